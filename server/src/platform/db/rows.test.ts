// Conditions without a value are errors before the database is asked: the rows of others would match.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { deleteWhere, selectWhere, updateWhere } from './rows.ts';
import type { Tables } from './tables.ts';

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: other => new SqliteIntrospector(other),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

test('a condition without a value is an error that names the column', async () => {
  const unset = { id: 7, tenant_id: undefined } as unknown as { id: number; tenant_id: number };
  expect(() => selectWhere(db, 'file', unset)).toThrow('condition "file.tenant_id" has no value');
  await expect(updateWhere(db, 'file', unset, { file_name: 'x' })).rejects.toThrow('"file.tenant_id"');
});

test('a query without any condition is an error that names the table', async () => {
  expect(() => selectWhere(db, 'file', {})).toThrow('query of "file" without a condition');
  await expect(deleteWhere(db, 'file', {})).rejects.toThrow('"file"');
});

test('all conditions are in the statement', () => {
  const { sql, parameters } = selectWhere(db, 'file', { tenant_id: 1, id: 7 }).select('id').compile();
  expect(sql).toBe('select "id" from "file" where "tenant_id" = ? and "id" = ?');
  expect(parameters).toEqual([1, 7]);
});
