// Databases that tests of PostgreSQL use one after another: a changed one is not used again.
import { migrations } from '@recordproof/server/compose/features.ts';
import { afterAll, expect, test } from 'vitest';
import { newDatabaseWith } from '../support/migrated-databases.ts';
import { runSql, stopPostgres } from '../support/postgres.ts';

afterAll(stopPostgres);

const exists = (url: string): Promise<boolean> =>
  runSql(url, 'select 1').then(
    () => true,
    () => false,
  );

test.for([
  ['created something', 'create table later (id integer)', false],
  ['dropped something', 'drop table file cascade', false],
  ['changed only rows', 'delete from file', true],
] as const)('a database in which a test %s', async ([, statement, isKept]) => {
  const { url, drop } = await newDatabaseWith(migrations);
  await runSql(url, statement);
  await drop();
  expect(await exists(url)).toBe(isKept);
});
