// One journey in which every kind of secret is used, rightly and wrongly, and then a look through everything that was
// written about it: the log at its most talkative and without its filter, every row of the database, metrics, health, and
// the answers that refuse.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as authApi from '@recordproof/shared/api/auth.ts';
import * as shareApi from '@recordproof/shared/api/share-access.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../test/support/each-app.ts';
import { resetSchema } from '../../../test/support/reusable-databases.ts';
import { share } from '../../../test/support/shares.ts';
import { completeDirect, putSigned, startDirect, storeProxied } from '../../../test/support/uploads.ts';

const secret = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`;

const managementToken = secret('management');
const passwords = { own: secret('own'), wrong: secret('wrong'), share: secret('share'), guess: secret('guess') };

type Journey = {
  /** By what they are. */
  readonly secrets: Map<string, string>;
  /** What strangers and operators were answered. */
  readonly answers: string[];
};

async function openAccount(app: TestApp, { secrets, answers }: Journey) {
  const { anonymous } = app;
  const email = 'ada@example.org';
  await anonymous.call(authApi.requestMailCode, { body: { email, type: 'register' } });
  const code = await app.mailedCode(email);
  await anonymous.call(authApi.register, { body: { email, code, username: 'ada', password: passwords.own } });
  const rejected = await anonymous.expectError(authApi.login, { body: { username: 'ada', password: passwords.wrong } });
  answers.push(JSON.stringify(rejected), rejected.message);
  const ada = await app.person('somebody');
  await ada.login('ada', passwords.own);
  secrets.set('session token', ada.token ?? '');
  const { sseToken } = await ada.call(authApi.issueStreamToken);
  secrets.set('stream token', sseToken);
  const stream = new AbortController();
  await ada.fetch(`/api/v1/sse/connect?token=${sseToken}`, { signal: stream.signal, headers: { authorization: '' } });
  stream.abort();
  const again = await app.anonymous.fetch(`/api/v1/sse/connect?token=${sseToken}`);
  answers.push(await again.text());
  return ada;
}

async function shareAndSign(app: TestApp, journey: Journey, ada: Awaited<ReturnType<typeof openAccount>>) {
  const { secrets, answers } = journey;
  const { fileHash } = await storeProxied(ada, randomBytes(5000));
  const { shareCode } = await share(ada, fileHash, { password: passwords.share });
  const params = { code: shareCode };
  const rejected = await app.anonymous.expectError(shareApi.openShare, { params, body: { password: passwords.guess } });
  answers.push(JSON.stringify(rejected), rejected.message);
  const { grant } = await app.anonymous.call(shareApi.openShare, { params, body: { password: passwords.share } });
  secrets.set('grant', grant);
  const started = await startDirect(ada, randomBytes(3000));
  for (const part of started.parts) {
    const address = new URL(part.uploadUrl);
    for (const [name, value] of address.searchParams)
      if (/sig/i.test(name)) secrets.set(`signature of part ${part.index}`, value);
    answers.push(await (await putSigned(part, randomBytes(10))).text());
  }
  await ada.fetch(`/api/v1/files?token=${ada.token}`);
  await ada
    .expectError(shareApi.openShare, { params: { code: 'nothere00000' } })
    .then(error => answers.push(error.message));
  await completeDirect(ada, started.clientId).catch(error => answers.push(String(error)));
}

/** The keys of the server, as they stand in its files. */
async function addKeys({ config }: TestApp, { secrets }: Journey): Promise<void> {
  for (const entry of await readdir(config.keysFolder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(config.keysFolder, entry.name));
    const found = bytes.toString('utf8').match(/[A-Za-z0-9+/_-]{40,}={0,2}/g) ?? [bytes.toString('latin1')];
    for (const [index, key] of found.entries()) secrets.set(`${entry.name} ${index}`, key);
  }
}

const toText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

/** Every value of every row. */
async function listRows({ app }: TestApp): Promise<string[]> {
  const { db } = app.database;
  const tables = await db.introspection.getTables();
  const written: string[] = [];
  for (const { name, schema } of tables) {
    if (schema === resetSchema) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    written.push(...rows.flatMap(row => Object.values(row).map(value => `${name}: ${toText(value)}`)));
  }
  return written;
}

async function travel(start: StartApp) {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: line => void lines.push(`log: ${line}`) });
  const journey: Journey = { secrets: new Map(), answers: [] };
  await using app = await start({ log, env: { RECORDPROOF_MANAGEMENT_TOKEN: managementToken } });
  const { setupCode } = app.app;
  if (setupCode !== null) journey.secrets.set('set-up code', setupCode);
  await shareAndSign(app, journey, await openAccount(app, journey));
  await app.drain();
  await addKeys(app, journey);
  for (const path of ['prometheus', 'health', 'circuitbreakers']) {
    const headers = { authorization: `Bearer ${managementToken}` };
    journey.answers.push(await (await app.anonymous.fetch(`/actuator/${path}`, { headers })).text());
  }
  for (const [what, value] of Object.entries(passwords)) journey.secrets.set(`password: ${what}`, value);
  journey.secrets.set('management token', managementToken);
  return { journey, written: [...lines, ...journey.answers, ...(await listRows(app))], lines };
}

eachApp(start => {
  test('no password, token, signature or key appears in logs, rows, metrics or error responses', async () => {
    const { journey, written, lines } = await travel(start);
    const kinds = [...journey.secrets.keys()];
    for (const kind of ['session token', 'stream token', 'grant', 'signature of part 0', 'set-up code', 'master-keys'])
      expect(
        kinds.some(known => known.startsWith(kind)),
        `${kind} among ${kinds}`,
      ).toBe(true);
    expect(lines.length).toBeGreaterThan(10);
    expect(written.length).toBeGreaterThan(200);
    const found = [...journey.secrets].flatMap(([kind, value]) =>
      written.filter(text => text.includes(value)).map(text => `${kind} in ${text.slice(0, 120)}`),
    );
    expect(found).toEqual([]);
  });
});
