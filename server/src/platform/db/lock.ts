// Locks that live as long as a transaction. SQLite has one writer anyway; PostgreSQL takes an advisory lock, which must
// be the first statement that matters: what is read after it is the newest state.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Tx } from './tables.ts';

/** The number that PostgreSQL knows the lock of this name by. */
export const toLockKey = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE(0).toString();

/** Holds the locks of these names until the transaction ends; taken in their order, each waits for whoever has it. */
export async function lockInTransaction(tx: Tx, engine: Engine, ...names: readonly string[]): Promise<void> {
  if (engine === 'sqlite') return;
  const keys = names.map(toLockKey);
  await sql`select pg_advisory_xact_lock(key) from unnest(${keys}::bigint[]) key`.execute(tx);
}
