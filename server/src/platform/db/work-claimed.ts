// Bounded parallel work on claimed rows; the lease of each row ends with its own work.
import { inParallel } from '../in-parallel.ts';
import type { Claim, FencedTable } from './claim.ts';
import { Lease, type Leasing } from './lease.ts';

type Claimed<Row> = Leasing & {
  readonly table: FencedTable;
  /** Freshly claimed. */
  readonly rows: readonly Row[];
  readonly atOnce: number;
};

/** `lost` is aborted when another server has taken over the row, or may have. */
export async function workClaimed<Row extends Claim>(
  { table, rows, atOnce, ...leasing }: Claimed<Row>,
  work: (row: Row, lost: AbortSignal) => Promise<void>,
): Promise<void> {
  using leases = new DisposableStack();
  const held = rows.map(row => ({ row, lease: leases.use(new Lease(leasing, { table, claim: row })) }));
  const workOne = async ({ row, lease }: (typeof held)[number]) => {
    using _ended = lease;
    await work(row, lease.lost);
  };
  await inParallel(held, workOne, atOnce);
}
