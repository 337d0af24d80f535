// Connections to PostgreSQL that are lost, and commits that fail or whose answer is lost.
import { readFile } from 'node:fs/promises';
import { OutcomeUnknown } from '@recordproof/server/platform/db/database-errors.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import type { Tx } from '@recordproof/server/platform/db/tables.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

/** The session of the next transaction that inserts into the table ends during its commit. */
async function endNextCommit(url: string, table: string): Promise<void> {
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  await observer.query(`
    create sequence commits;
    create function end_session() returns trigger language plpgsql as $$ begin
      if nextval('commits') = 1 then perform pg_terminate_backend(pg_backend_pid()), pg_sleep(1); end if;
      return null; end $$;
    create constraint trigger ending after insert on ${table} deferrable initially deferred
      for each row execute function end_session();`);
  await observer.end();
}

async function openFresh() {
  const { url } = await (await postgres()).freshDatabase();
  const database = await openDatabase({ kind: 'postgres', url: new Secret(url), poolSize: 3 });
  await sql`create table entry (id bigint)`.execute(database.db);
  const attempt = (work: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
    database.db
      .transaction()
      .execute(work)
      .catch((error: unknown) => error);
  return { ...database, url, attempt, [Symbol.asyncDispose]: () => database.close() };
}

test('a commit whose connection is lost has an unknown outcome, and the next one succeeds', async () => {
  await using database = await openFresh();
  await endNextCommit(database.url, 'entry');
  const insert = (tx: Tx) => sql`insert into entry values (1)`.execute(tx);
  expect(await database.attempt(insert)).toBeInstanceOf(OutcomeUnknown);
  expect(await database.attempt(insert)).not.toBeInstanceOf(Error);
});

test('a commit that PostgreSQL turns into a rollback has a known outcome', async () => {
  await using database = await openFresh();
  const error = await database.attempt(async tx => {
    await sql`insert into entry values (1)`.execute(tx);
    await sql`select 1 / 0`.execute(tx).catch(() => {});
  });
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(OutcomeUnknown);
  expect((await sql`select * from entry`.execute(database.db)).rows).toEqual([]);
});

test('a file whose commit was lost is stored by a second one', { tags: 'long', timeout: 120_000 }, async () => {
  const { url } = await (await postgres()).freshDatabase();
  await using app = await startApp({ env: { DATABASE_URL: url } });
  const alice = await app.person('alice');
  await app.drain();
  await endNextCommit(url, 'manifest');
  expect(await sendFile(alice, await pattern(1000, 1))).toMatchObject({ status: 200 });
  await app.drain();
  await checkEverything(app);
});

/** When the next keep-alive probe is sent, in seconds, by the client's port; empty without a timer. */
async function listProbes(): Promise<ReadonlyMap<number, number>> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1);
  return new Map(
    lines.flatMap((line): [number, number][] => {
      const [, local = '', , , , timer = ''] = line.trim().split(/\s+/);
      const [kind, jiffies = ''] = timer.split(':');
      return kind === '02'
        ? [[Number.parseInt(local.split(':')[1] ?? '', 16), Number.parseInt(jiffies, 16) / 100]]
        : [];
    }),
  );
}

test.runIf(process.platform === 'linux')(
  'silent connections are probed, so that a lost peer is noticed',
  { tags: 'long' },
  async () => {
    const { url } = await (await postgres()).freshDatabase();
    await using app = await startApp({ env: { DATABASE_URL: url } });
    const { db } = app.app.database;
    const listConnections = async () => {
      const { rows } = await sql<{ name: string; port: number }>`
      select application_name as name, client_port as port from pg_stat_activity
      where datname = current_database() and client_port > 0`.execute(db);
      const probes = await listProbes();
      return rows.map(({ name, port }) => ({ name, isProbed: (probes.get(port) ?? Number.POSITIVE_INFINITY) <= 10 }));
    };
    const names = (await listConnections()).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(['recordproof-presence', 'recordproof-server']);
    // A connection with a query on its way has another timer.
    const listUnprobed = async () => (await listConnections()).filter(({ isProbed }) => !isProbed);
    await expect.poll(listUnprobed).toEqual([]);
  },
);
