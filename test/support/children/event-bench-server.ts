// A whole server for the bench of event streams. Creates accounts and tokens without the login, which is slow by
// design; on a message with a name it sends all accounts, or one, an event by that name, and reports when it began.
import { createAccount, getDefaultTenant } from '@recordproof/server/features/accounts/index.ts';
import { openTokens } from '@recordproof/server/features/auth/index.ts';
import { type Audience, notify } from '@recordproof/server/features/events/index.ts';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { openServerKeys } from '@recordproof/server/platform/crypto/server-keys.ts';
import { openApp } from '../../../server/src/compose/app.ts';
import { readConfig } from '../../../server/src/config/config.ts';
import { silentLog } from '../../../server/src/platform/telemetry/log.ts';
import { childInput, tell } from '../child.ts';

export type BenchServerInput = { readonly env: Readonly<Record<string, string>>; readonly accounts: number };
export type BenchServerReady = { readonly url: string; readonly tokens: readonly string[] };
export type BenchServerOrder = { readonly title: string; readonly account?: number };
/** Nanoseconds on the clock that all processes of the machine share. */
export type BenchServerMessage = { readonly title: string; readonly at: string };

const { env, accounts } = childInput<BenchServerInput>();
const config = await readConfig([], env);
const app = await openApp(config, { log: silentLog });
const { db } = app.database;
const now = systemClock.now();
const tenantId = await getDefaultTenant(db);
const tokens = openTokens(openServerKeys(config.keysFolder, { create: false }).token, systemClock, 3600);

const people = await db.transaction().execute(async tx => {
  const made = [];
  for (let index = 0; index < accounts; index += 1) {
    const name = `user-${index}`;
    const request = { tenantId, username: name, email: `${name}@example.org`, role: 'user', passwordHash: '' } as const;
    made.push(await createAccount(tx, localOrigin('bench', now), request, now));
  }
  return made;
});
const issued = await Promise.all(people.map(person => tokens.issue(person)));
tell({ url: app.url, tokens: issued.map(({ token }) => token) } satisfies BenchServerReady);

process.on('message', async text => {
  const { title, account } = JSON.parse(String(text)) as BenchServerOrder;
  const to: Audience =
    account === undefined ? { kind: 'tenant' } : { kind: 'users', userIds: [people[account]?.id ?? 0] };
  const payload = { id: '1', title, priority: 0, isPinned: false };
  const at = process.hrtime.bigint();
  await db
    .transaction()
    .execute(tx => notify(tx, { tenantId, to, type: 'announcement-published', payload }, systemClock.now()));
  tell({ title, at: String(at) } satisfies BenchServerMessage);
});
