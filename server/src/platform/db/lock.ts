// Transaction-scoped locks. SQLite has a single writer anyway; PostgreSQL takes an advisory lock, which must come
// before any read that depends on it.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Tx } from './tables.ts';

/** The numeric id of the named lock in PostgreSQL. */
export const toLockKey = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE(0).toString();

/**
 * Holds the named locks until the transaction ends; they are acquired in the given order, waiting for other holders.
 */
export async function lockInTransaction(tx: Tx, engine: Engine, ...names: readonly string[]): Promise<void> {
  if (engine === 'sqlite') return;
  const keys = names.map(toLockKey);
  await sql`select pg_advisory_xact_lock(key) from unnest(${keys}::bigint[]) key`.execute(tx);
}
