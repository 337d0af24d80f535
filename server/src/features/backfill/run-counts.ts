// How many items of a run ended how. Of a run that is over the counts stand in its row, written by the transaction that ended
// it; what is not over is counted whenever somebody asks, and that is one run of a tenant at most.
import type { Db, Tx } from '../../platform/db/tables.ts';
import { countItems, type ReasonCount } from './item-queries.ts';
import type { RunRow } from './run-queries.ts';

export const readCounts = async (db: Db, run: RunRow): Promise<readonly ReasonCount[]> =>
  run.counts === null ? countItems(db, run) : (JSON.parse(run.counts) as ReasonCount[]);

/** For the transaction that ends the run: none of its items may be open or claimed then. */
export async function takeCounts(tx: Tx, run: RunRow) {
  const rows = await countItems(tx, run);
  return { rows, counts: JSON.stringify(rows) };
}
