// Many keys in one parameter: the statement has the same text for any number of keys.
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Key } from './tables.ts';

/** For `where`: the column is one of the keys; false without keys. */
export const isOneOf = (engine: Engine, column: string, keys: readonly Key[]): Expression<SqlBool> =>
  engine === 'postgres'
    ? sql<SqlBool>`${sql.ref(column)} = any(${keys}::bigint[])`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(keys)}))`;
