import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Key, Tables } from './tables.ts';

/**
 * For `update … where <this>`: the rows that the query finds, each for one claimer only. On PostgreSQL rows that another
 * transaction holds are passed over, and the query runs once, whatever plan is chosen.
 */
export function claimedFrom<Table extends keyof Tables>(
  engine: Engine,
  query: SelectQueryBuilder<Tables, Table, { id: Key }>,
): Expression<SqlBool> {
  if (engine === 'sqlite') return sql<SqlBool>`id in (${query})`;
  return sql<SqlBool>`id = any(array(${query.forUpdate().skipLocked()}))`;
}

/** A number in a place where PostgreSQL cannot guess the type of a parameter. */
export const integer = (value: number) => sql<number>`cast(${value} as bigint)`;
