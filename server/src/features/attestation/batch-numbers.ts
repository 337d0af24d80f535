// The numbers of batches. A batch has one root on the chain for ever, so that a number is never given twice, also not when
// the database was restored from an older backup while the ledger remembers the batches since.
import { sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { findHighestBatch, isBatchOnLedger } from '../chain/index.ts';

export const toBatchNo = (batchId: Key): string => `MB-${batchId}`;

/** The id of a batch that was just inserted, moved behind all that the ledger knows if it is one of theirs. */
export async function ensureUnusedNumber(tx: Tx, engine: Engine, id: Key): Promise<Key> {
  if (!(await isBatchOnLedger(tx, toBatchNo(id)))) return id;
  const free = (await findHighestBatch(tx)) + 1;
  await tx.updateTable('attestation_batch').set({ id: free }).where('id', '=', id).execute();
  if (engine === 'postgres')
    // SQLite goes on from the greatest by itself
    await sql`select setval(pg_get_serial_sequence('attestation_batch', 'id'), ${integer(free)})`.execute(tx);
  return free;
}
