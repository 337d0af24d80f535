// Servers on one PostgreSQL detect each other: incompatible ones do not run together, and none migrates the schema
// while another runs.
import { type Migration, migrate } from '@recordproof/server/platform/db/migrate.ts';
import { type Database, openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { openPresence } from '@recordproof/server/platform/db/presence.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { postgres, runSql, stopPostgres } from '../support/postgres.ts';

afterAll(stopPostgres);

const log = { info: () => {}, warn: () => {} };
const several = { RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };

const ofPresence = `application_name = 'recordproof-presence' and datname = current_database()`;

const freshUrl = async (): Promise<string> => (await (await postgres()).freshDatabase()).url;
const optionsOf = (url: string) => ({ kind: 'postgres', url: new Secret(url), poolSize: 2 }) as const;
const open = (url: string, allowsOthers: boolean) => openPresence({ database: optionsOf(url), allowsOthers, log });

async function withDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(optionsOf(url));
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

test('a second server without Redis is rejected with the reason until the first one stops', async () => {
  const env = { DATABASE_URL: await freshUrl() };
  const first = await startApp({ env });
  await expect(startApp({ env })).rejects.toThrow(/without Redis they share no state.*Set REDIS_URL/);
  await expect(startApp({ env: { ...env, ...several } })).rejects.toThrow(
    'a server without Redis runs on this database',
  );
  await first[Symbol.asyncDispose]();
  await using _next = await open(env.DATABASE_URL, false);
});

test('of servers without Redis that start concurrently exactly one runs', async () => {
  const url = await freshUrl();
  const tries = await Promise.allSettled(Array.from({ length: 4 }, () => open(url, false)));
  const running = tries.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  expect(running).toHaveLength(1);
  for (const one of running) await one[Symbol.asyncDispose]();
});

test('servers configured for peers run together, and a server that is not cannot join them', async () => {
  const url = await freshUrl();
  await using _first = await open(url, true);
  await using _second = await open(url, true);
  await expect(open(url, false)).rejects.toThrow('another server runs on this database');
});

test('a server whose presence connection is cut registers itself again', async () => {
  const url = await freshUrl();
  const warnings: string[] = [];
  const watched = { ...log, warn: (_fields: object, message: string) => void warnings.push(message) };
  await using presence = await openPresence({ database: optionsOf(url), allowsOthers: false, log: watched });
  await runSql(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${ofPresence}`);
  await expect.poll(() => warnings).toEqual([expect.stringContaining('lost the connection')]);
  await expect.poll(() => presence.isHeld).toBe(true);
  await expect(open(url, false)).rejects.toThrow('another server runs on this database');
});

const step = (version: number, statement: string): Migration => ({
  name: `V3.0.${version} step`,
  statements: () => [statement],
});

test('a migration that breaks running servers is rejected until they stop; a compatible one is applied', async () => {
  const url = await freshUrl();
  const steps = [step(0, 'create table thing (id bigint primary key)')];
  const bring = () => withDatabase(url, ({ db }) => migrate(db, 'postgres', steps, 0));
  await bring();
  const running = await open(url, true);
  await running.relyOnSchema();
  steps.push(step(1, 'alter table thing add column note text'));
  expect(await bring()).toEqual(['V3.0.1 step']);
  steps.push(step(2, 'alter table thing drop column note'));
  await expect(bring()).rejects.toThrow('"V3.0.2 step" would break them; stop all of them');
  await running[Symbol.asyncDispose]();
  expect(await bring()).toEqual(['V3.0.2 step']);
});
