// Batch numbers. A number is never reused, because its root is on the chain permanently; also not after a restore from
// an older backup, when the ledger knows later batches.
import { sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { findHighestBatch, isBatchOnLedger } from '../chain/index.ts';

export const toBatchNo = (batchId: Key): string => `MB-${batchId}`;

/** Moves the id of a newly inserted batch past all numbers that the ledger knows, if it is one of them. */
export async function ensureUnusedNumber(tx: Tx, engine: Engine, id: Key): Promise<Key> {
  if (!(await isBatchOnLedger(tx, toBatchNo(id)))) return id;
  const free = (await findHighestBatch(tx)) + 1;
  await tx.updateTable('attestation_batch').set({ id: free }).where('id', '=', id).execute();
  if (engine === 'postgres')
    // SQLite continues from the greatest id by itself
    await sql`select setval(pg_get_serial_sequence('attestation_batch', 'id'), ${integer(free)})`.execute(tx);
  return free;
}
