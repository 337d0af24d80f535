// Health mails to administrators: changes of health and objectives since the last mail, and damage of their tenant's
// files. Installation-wide states go to the administrators of the default tenant. The first change is mailed at once,
// then at most one mail per hour.
import { type MailTexts, mailWords } from '@recordproof/shared/words/mails.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount, getDefaultTenant, listActiveAdmins, listTenants } from '../accounts/index.ts';
import { countUnresolvedByTenant } from '../integrity/index.ts';
import { listConditions, listMailed, type MailedRow, markMailed } from './queries.ts';

const mailKind = 'monitor.mail';
const pauseMs = 3_600_000;

/** The states that are not normal, by name. */
type States = Readonly<Record<string, string>>;

type Mailing = Pick<Server, 'database' | 'clock' | 'config' | 'baseUrl'>;

export async function mailChanges(server: Mailing, isNormal: (state: string) => boolean): Promise<void> {
  const { database, clock, config } = server;
  const texts = mailWords[config.mail.language].health;
  if (!config.health.mail) return;
  const { db } = database;
  const conditions = (await listConditions(db)).filter(({ told }) => !isNormal(told));
  const ofInstallation = Object.fromEntries(conditions.map(({ name, told }) => [name, told]));
  const damage = await countUnresolvedByTenant(db);
  const mailed = new Map((await listMailed(db)).map(row => [row.tenant_id, row]));
  const defaultTenant = await getDefaultTenant(db);
  for (const { id } of await listTenants(db)) {
    const alerts = damage.get(id) ?? 0;
    const states: States = {
      ...(id === defaultTenant && ofInstallation),
      ...(alerts > 0 && { integrity: texts.alerts(alerts) }),
    };
    const before = mailed.get(id) ?? { tenant_id: id, states: '{}', mailed_at: 0 };
    await mailTenant(server, before, states, clock.now());
  }
}

async function mailTenant(
  { database, baseUrl, config }: Mailing,
  before: MailedRow,
  states: States,
  now: Time,
): Promise<void> {
  const after = JSON.stringify(states);
  if (after === before.states || now < before.mailed_at + pauseMs) return;
  const texts = mailWords[config.mail.language].health;
  const letter = toLetter(JSON.parse(before.states) as States, states, baseUrl(), texts);
  await database.db.transaction().execute(async tx => {
    if (!(await markMailed(tx, before, { states: after, now }))) return; // another server was faster
    for (const { id } of await listActiveAdmins(tx, before.tenant_id))
      await enqueueLetter(tx, { tenantId: before.tenant_id, userId: id, ...letter }, now);
  });
}

type Letter = { readonly subject: string; readonly text: string };

const enqueueLetter = (tx: Tx, letter: Letter & { readonly tenantId: Key; readonly userId: Key }, now: Time) =>
  enqueue(tx, { kind: mailKind, payload: letter }, now);

const toLine = (name: string): string => name.replace(/^health\./, '');

function toLetter(before: States, after: States, address: string, texts: MailTexts['health']): Letter {
  const { normal } = texts;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter(name => before[name] !== after[name]);
  const toState = (states: States, name: string) => `${toLine(name)}: ${states[name] ?? normal}`;
  const [first = ''] = changed;
  const list = (lines: readonly string[]): string => lines.map(line => `  ${line}\n`).join('');
  const changes = changed.map(name => `${toState(after, name)} ${texts.before(before[name] ?? normal)}`);
  const open = Object.keys(after).map(name => toState(after, name));
  const now = open.length === 0 ? `${texts.allNormal}\n` : `${texts.notNormal}\n${list(open)}`;
  return {
    subject: `RecordProof: ${changed.length === 1 ? toState(after, first) : texts.changes(changed.length)}`,
    text: `${texts.changed(address)}\n${list(changes)}\n${now}\n${texts.details}\n`,
  };
}

/** The payload holds no address: an account that changed its address or role meanwhile is read again. */
export const mailJob = ({ database, mail }: Pick<Server, 'database' | 'mail'>): JobHandler => ({
  kind: mailKind,
  runsInMaintenance: true,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(30, 3600),
  run: async ({ payload }) => {
    const { tenantId, userId, subject, text } = payload as Letter & { readonly tenantId: Key; readonly userId: Key };
    const account = await findAccount(database.db, tenantId, userId);
    if (account === null || account.role !== 'admin' || account.status !== 'ACTIVE') return;
    await mail.send({ to: account.email, subject, text });
  },
});
