// Batch numbers. A number is never reused, because its root is on the chain permanently; also not after a restore from
// an older backup, when the ledger knows later batches. The ids of their leaves are not reused either: the id of a proof
// follows from that of its leaf, and another proof with an issued id would contradict the issued one.
import { sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { findHighestBatch, isBatchOnLedger } from '../chain/index.ts';

export const toBatchNo = (batchId: Key): string => `MB-${batchId}`;

/** More than a batch may have. */
const leavesPerBatch = 1_000_000;

/** Moves the id of a newly inserted batch past all numbers that the ledger knows, if it is one of them. */
export async function ensureUnusedNumber(tx: Tx, engine: Engine, id: Key): Promise<Key> {
  if (!(await isBatchOnLedger(tx, toBatchNo(id)))) return id;
  const free = (await findHighestBatch(tx)) + 1;
  await tx.updateTable('attestation_batch').set({ id: free }).where('id', '=', id).execute();
  const lostLeaves = integer((free - id) * leavesPerBatch);
  if (engine === 'postgres') {
    // SQLite continues from the greatest id by itself
    await sql`select setval(pg_get_serial_sequence('attestation_batch', 'id'), ${integer(free)})`.execute(tx);
    const leafIds = sql`pg_get_serial_sequence('attestation_leaf', 'id')`;
    await sql`select setval(${leafIds}, nextval(${leafIds}) + ${lostLeaves})`.execute(tx);
    return free;
  }
  await sql`insert into sqlite_sequence (name, seq) select 'attestation_leaf', 0
    where not exists (select 1 from sqlite_sequence where name = 'attestation_leaf')`.execute(tx);
  await sql`update sqlite_sequence set seq = seq + ${lostLeaves} where name = 'attestation_leaf'`.execute(tx);
  return free;
}
