// Pauses and resumes runs, and takes up single items again. What a worker has under way it finishes.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { findItem, type ItemRow, requeueItem } from './item-queries.ts';
import { isEligible, mayRetryIn, nextStatus, type RunChange } from './policy.ts';
import { toRunJob } from './run-job.ts';
import { hasUnfinishedRun, holdRun, isSnapshotInUse, type RunRow, updateRun } from './run-queries.ts';

type Changing = Pick<Server, 'database' | 'clock'>;

async function getRun({ database }: Changing, tx: Tx, tenantId: Key, id: Key): Promise<RunRow> {
  await lockInTransaction(tx, database.kind, `backfill ${tenantId}`);
  const run = await holdRun(tx, database.kind, tenantId, id);
  if (run === null) throw new ApiError('RESULT_DATA_NONE', 'there is no run of this number');
  return run;
}

export const changeRun = (
  server: Changing,
  call: Call,
  { runId, change }: { readonly runId: Key; readonly change: RunChange },
): Promise<RunRow> =>
  server.database.db.transaction().execute(async tx => {
    const run = await getRun(server, tx, call.actor.tenantId, runId);
    const status = nextStatus(run.status, change);
    const changed = status === null ? null : await updateRun(tx, run, { status });
    if (changed === null) throw new ApiError('RUN_STATE_CONFLICT', `a run that is ${run.status} cannot ${change}`);
    const now = server.clock.now();
    const entry = {
      module: 'backfill',
      operation: `${change}-run`,
      description: `backfill run ${runId}: ${change}`,
      param: { runId, before: run.status, after: changed.status },
    };
    await appendAudit(tx, call, entry, now);
    if (changed.status === 'PLANNED') await enqueue(tx, toRunJob(changed), now);
    return changed;
  });

export const retryItem = (
  server: Changing,
  call: Call,
  { runId, itemId }: { readonly runId: Key; readonly itemId: Key },
): Promise<ItemRow> =>
  server.database.db.transaction().execute(async tx => {
    const run = await getRun(server, tx, call.actor.tenantId, runId);
    const item = await findItem(tx, run, itemId);
    if (item === null) throw new ApiError('RESULT_DATA_NONE', 'this run has no item of this number');
    if (!isEligible(item)) throw new ApiError('RUN_STATE_CONFLICT', 'this item did not fail, or would fail again');
    const now = server.clock.now();
    await reopen(tx, run);
    const again = await requeueItem(tx, item, now);
    const entry = {
      module: 'backfill',
      operation: 'retry-item',
      description: `item ${itemId} of backfill run ${runId} taken up again`,
      param: { runId, itemId, fileId: item.file_id, reason: item.reason },
    };
    await appendAudit(tx, call, entry, now);
    await enqueue(tx, toRunJob(run), now);
    return again;
  });

/** A run that is over goes on, unless another stands on what it found. */
async function reopen(tx: Tx, run: RunRow): Promise<void> {
  if (!mayRetryIn(run)) throw new ApiError('RUN_STATE_CONFLICT', `a run that is ${run.status} takes nothing up again`);
  if (await isSnapshotInUse(tx, run))
    throw new ApiError('RUN_STATE_CONFLICT', 'another run started from this snapshot; take a new one');
  if (run.completed_at === null) return;
  if (await hasUnfinishedRun(tx, run.tenant_id))
    throw new ApiError('RUN_STATE_CONFLICT', 'another run is not finished; wait for it, or resume it');
  await updateRun(tx, run, { status: 'PLANNED', completed_at: null, counts: null });
}
