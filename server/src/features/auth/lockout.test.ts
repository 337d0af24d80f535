// Lockout after failed sign-ins: equal responses, known addresses, concurrent guesses, and unlocking.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { engines } from '../../../../test/support/engines.ts';
import { until } from '../../../../test/support/heartbeats.ts';
import { databaseOf } from '../../../../test/support/run-server-command.ts';
import { runCommand } from '../../../../test/support/server-commands.ts';
import { countStatements } from '../../../../test/support/statement-count.ts';
import { findAccountByName, getDefaultTenant } from '../accounts/index.ts';
import { accountSubject, nameSubject, unlockAccount } from './lockout.ts';

const minute = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

type LockAnswer = {
  readonly status: number;
  readonly headers: string[];
  readonly retryAfter: string | null;
  body: unknown;
};

async function logIn(username: string, password: string, from = '198.51.100.66', at = app): Promise<LockAnswer> {
  const answer = await at.anonymous.fetch('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ username, password }),
  });
  const body = (await answer.json()) as { code: number };
  const headers = [...answer.headers.keys()].sort();
  return { status: answer.status, headers, retryAfter: answer.headers.get('retry-after'), body };
}

async function lockOut(username: string, from = '198.51.100.66', at = app): Promise<void> {
  for (let count = 0; count < 5; count += 1) expect((await logIn(username, 'a guess', from, at)).status).toBe(401);
  expect((await logIn(username, 'a guess', from, at)).status).toBe(403);
}

test('a locked account responds to the right password like to a wrong one, and like an unknown name', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('locked-a');
  await app.person('locked-b');
  await lockOut('locked-a');
  await lockOut('locked-b');
  expect(await logIn('locked-a', testPassword)).toEqual(await logIn('locked-b', 'a guess'));
  const [right, wrong, unknown]: LockAnswer[][] = [[], [], []];
  for (let count = 0; count < 7; count += 1) {
    right?.push(await logIn('locked-a@example.org', testPassword));
    wrong?.push(await logIn('locked-b@example.org', 'a guess'));
    unknown?.push(await logIn('nobody-at-all@example.org', 'a guess'));
  }
  expect(right).toEqual(wrong);
  expect(right).toEqual(unknown);
  expect(right?.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 403, 403]);
  app.clock.advance(15 * minute);
  expect((await logIn('locked-a@example.org', testPassword)).status).toBe(200);
});

test('a lock does not reveal which tenants exist', { tags: 'long-on-postgres' }, async () => {
  await app.person('resident', { tenant: 'acme' });
  await lockOut('no-tenant/somebody');
  expect(await logIn(' No-Tenant / somebody', 'a guess')).toMatchObject({ status: 403 });
  const [missing, existing] = [await logIn('neither/somebody', 'a guess'), await logIn('acme/somebody', 'a guess')];
  expect(missing).toEqual(existing);
});

test('attempts with another name of a locked account do not extend its lock', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('shortly');
  await lockOut('shortly');
  app.clock.advance(14 * minute);
  for (let count = 0; count < 4; count += 1) await logIn('shortly@example.org', 'a guess');
  app.clock.advance(minute);
  expect((await logIn('shortly', testPassword)).status).toBe(200);
});

test('failed attempts with several names of an account lock it together', { tags: 'long-on-postgres' }, async () => {
  await app.person('spread');
  for (const name of ['spread', 'spread@example.org', 'spread', 'spread@example.org', 'spread'])
    expect((await logIn(name, 'a guess')).status).toBe(401);
  const right = await logIn('spread', testPassword);
  expect(right).toEqual(await logIn('spread-not-there', 'a guess'));
});

test('a known address can sign in while other addresses lock the account, and has a lock of its own', async () => {
  await app.person('root-a', { role: 'admin' });
  const [home, away] = ['203.0.113.5', '203.0.113.6'];
  expect((await logIn('root-a', testPassword, home)).status).toBe(200);
  await lockOut('root-a');
  await lockOut('root-a@example.org', '198.51.100.67');
  expect((await logIn('root-a', testPassword, away)).status).toBe(403);
  expect((await logIn('root-a', testPassword, home)).status).toBe(200);
  expect((await logIn('ROOT-A@example.org', testPassword, home)).status).toBe(200);
  app.clock.advance(15 * minute);
  await lockOut('root-a', home);
  expect((await logIn('root-a', testPassword, home)).status, 'guessing from there is bounded as well').toBe(403);
  expect((await logIn('root-a', testPassword, away)).status, 'and harms nobody else').toBe(200);
});

test('the rate limit for a name does not block a known address', { tags: 'long-on-postgres' }, async () => {
  await using limited = await startApp({
    env: { RECORDPROOF_RATE_LIMIT_AUTH: '4', RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' },
  });
  await limited.person('root', { role: 'admin' });
  expect((await logIn('root', testPassword, '203.0.113.5', limited)).status).toBe(200);
  for (let from = 1; from < 8; from += 1) await logIn('root', 'a guess', `198.51.100.${from}`, limited);
  expect((await logIn('root', testPassword, '203.0.113.6', limited)).status).toBe(429);
  expect((await logIn('root', testPassword, '203.0.113.5', limited)).status).toBe(200);
});

test('concurrent guesses do not block a known address', async () => {
  await app.person('rival');
  const home = '203.0.113.9';
  expect((await logIn('rival', testPassword, home)).status).toBe(200);
  const guesses = Array.from({ length: 12 }, (_, at) => logIn(at % 2 ? 'rival' : 'rival@example.org', 'a guess'));
  const answers = await Promise.all([logIn('rival', testPassword, home), ...guesses]);
  expect(answers[0]?.status).toBe(200);
  expect((await logIn('rival', testPassword, home)).status).toBe(200);
});

test('an account keeps its newest twenty known addresses for ninety days, only as hashes', {
  tags: 'long',
}, async () => {
  const { db } = app.app.database;
  await app.person('traveller');
  for (let host = 1; host <= 22; host += 1) {
    app.clock.advance(1000);
    expect((await logIn('traveller', testPassword, `192.0.2.${host}`)).status).toBe(200);
  }
  const account = db.selectFrom('account').select('id').where('username', '=', 'traveller');
  const rows = await db.selectFrom('known_address').selectAll().where('user_id', '=', account).execute();
  expect(rows).toHaveLength(20);
  expect(JSON.stringify(rows)).not.toContain('192.0.2.');
  await lockOut('traveller');
  expect((await logIn('traveller', testPassword, '192.0.2.22')).status).toBe(200);
  expect((await logIn('traveller', testPassword, '192.0.2.1')).status).toBe(403);
  app.clock.advance(91 * 24 * 60 * minute);
  await app.drain();
  expect(await db.selectFrom('known_address').selectAll().where('user_id', '=', account).execute()).toEqual([]);
});

const command = (...args: string[]) =>
  runCommand(['admin', 'unlock', ...args], { RECORDPROOF_DATA: app.folder, ...databaseOf(app) });

test('the unlock command ends a lock, and adds a known address that attacks cannot lock', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('keeper', { role: 'admin' });
  const here = '203.0.113.77';
  await lockOut('keeper');
  expect(await command('--username', 'keeper')).toMatchObject({ code: 0, out: 'keeper is unlocked\n' });
  expect((await logIn('keeper', testPassword, '203.0.113.78')).status).toBe(200);
  await lockOut('keeper');
  expect(await command('--username', 'keeper@example.org', '--address', here)).toMatchObject({ code: 0 });
  await lockOut('keeper');
  expect((await logIn('keeper', testPassword, here)).status).toBe(200);
  const rows = await listAuditRows(app.app.database.db, { operation_type: 'unlock' });
  expect(rows).toMatchObject([
    { description: 'locks of keeper ended on the server', request_param: '{}' },
    { description: 'locks of keeper ended on the server', request_param: `{"address":"${here}"}` },
  ]);
  expect(await command('--username', 'keeper', '--address', 'home')).toMatchObject({ code: 64 });
  expect(await command('--username', 'nobody-here')).toMatchObject({ code: 1 });
});

test.runIf(engines.includes('sqlite'))('a sign-in looks its address up once', async () => {
  await app.person('once');
  const { texts } = countStatements();
  expect((await logIn('once', testPassword)).status).toBe(200);
  const lookups = [...texts].filter(([text]) => text.startsWith('select') && text.includes('"known_address"'));
  expect(lookups.map(([, times]) => times)).toEqual([1]);
});

test.runIf(engines.includes('postgres'))('unlocking and concurrent failed attempts do not deadlock', async () => {
  const { db } = app.app.database;
  await app.person('ordered');
  const account = await findAccountByName(db, await getDefaultTenant(db), 'ordered');
  if (account === null) throw new Error('there is no such account');
  const subjects = [accountSubject(account.id), nameSubject(account.tenant_id, 'ordered')];
  const now = app.clock.now();
  await db.deleteFrom('login_failure').execute();
  for (const subject of subjects.toReversed()) // the table has them in the other order
    await db
      .insertInto('login_failure')
      .values({ subject, failures: 1, locked_until: null, updated_at: now })
      .execute();
  const isWaiting = async () =>
    (
      await sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    ).rows.length > 0;
  let unlocking: Promise<void> | undefined;
  await db.transaction().execute(async tx => {
    const touch = (subject: string | undefined) =>
      tx
        .updateTable('login_failure')
        .set({ updated_at: now })
        .where('subject', '=', subject ?? '')
        .execute();
    await touch(subjects[0]);
    unlocking = db.transaction().execute(unlock => unlockAccount(unlock, account));
    unlocking.catch(() => {}); // is looked at below
    await until(isWaiting);
    await touch(subjects[1]);
  });
  await unlocking;
  expect(await db.selectFrom('login_failure').selectAll().execute()).toEqual([]);
});
