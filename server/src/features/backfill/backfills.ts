// Backfills as a kind of run: SCAN over the files that exist at the start, DRY_RUN and APPLY over the items of a scan.
import type { BackfillMode, BackfillRunStatus } from '@recordproof/shared/api/backfill.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import {
  assertAllFinished,
  defineRun,
  findLastId,
  findRun,
  lockRun,
  noSuchRun,
  startRun,
  toRunJob,
  updateRun,
  withRunLock,
} from '../runs/index.ts';
import {
  backfillItems,
  countItemsAsJson,
  dropOpenItems,
  findItem,
  findLastItemId,
  type ItemRow,
  type RunRow,
  requeueItem,
} from './item-queries.ts';
import { isRetryable } from './policy.ts';

export const backfills = defineRun<RunRow, 'backfill_item'>({
  name: 'backfill',
  title: 'backfill run',
  table: 'backfill_run',
  items: backfillItems,
  seenColumn: 'seen_id',
  lastColumn: 'last_id',
  unfinished: ['PLANNED', 'SCANNING', 'APPLYING', 'PAUSED'],
  activeStatuses: ['SCANNING', 'APPLYING'],
  changes: {
    pause: { from: ['PLANNED', 'SCANNING', 'APPLYING'], to: 'PAUSED' },
    resume: { from: ['PAUSED'], to: 'PLANNED' },
  },
  async fail(tx, run, failure, now) {
    await dropOpenItems(tx, run, now);
    const { counts } = await countItemsAsJson(tx, run);
    return { change: { status: 'FAILED', failure, counts }, param: { failure } };
  },
});

/** Whether this server processes runs of the mode. */
export const mayWorkOn = ({ backfill }: Pick<Server['config'], 'backfill'>, mode: BackfillMode): boolean =>
  backfill.workerEnabled && (mode !== 'APPLY' || backfill.applyEnabled);

type Starts = Pick<Server, 'database' | 'clock' | 'config'>;
type Input = { readonly mode: BackfillMode; readonly snapshotRunId: Key | null };

export async function startBackfill(server: Starts, call: Call<Party>, input: Input): Promise<RunRow> {
  const { mode, snapshotRunId } = input;
  const { tenantId } = call.actor;
  if (mode === 'APPLY' && !server.config.backfill.applyEnabled)
    throw new ApiError(
      'PERMISSION_UNAUTHORIZED',
      'APPLY is disabled on this server; set backfill.apply.enabled to true',
    );
  return startRun<RunRow>(server, backfills, call, {
    async plan(tx, now) {
      const scan = snapshotRunId === null ? null : await getScan(tx, tenantId, snapshotRunId);
      const last_id = scan === null ? await findLastId(tx, 'file', tenantId) : await findLastItemId(tx, scan);
      const snapshot = { snapshot_run_id: snapshotRunId, snapshot_digest: scan?.snapshot_digest ?? null };
      return { mode, ...snapshot, last_id, seen_id: 0, failure: null, counts: null, fence: 0, due_at: now };
    },
    toParam: run => ({ ...input, snapshotDigest: run.snapshot_digest }),
  });
}

async function getScan(tx: Tx, tenantId: Key, runId: Key): Promise<RunRow> {
  const which = { tenantId, runId };
  const scan = await findRun(tx, backfills, which);
  if (scan === null) throw noSuchRun();
  if (scan.mode === 'SCAN' && scan.status === 'SNAPSHOT_READY') return scan;
  const state = `run ${runId} is no finished scan (${scan.mode}, ${scan.status})`;
  throw new ApiError('RUN_STATE_CONFLICT', `${state}: start from a scan that is SNAPSHOT_READY`);
}

/** The run statuses in which items may be retried: not while the run is active, because its items are being counted. */
const retryStatuses: readonly BackfillRunStatus[] = ['SNAPSHOT_READY', 'COMPLETED', 'PLANNED', 'PAUSED'];

export const retryItem = (
  server: Starts,
  call: Call,
  { runId, itemId }: { readonly runId: Key; readonly itemId: Key },
): Promise<ItemRow> => {
  const { tenantId } = call.actor;
  return withRunLock(server, backfills, tenantId, async tx => {
    const which = { tenantId, runId };
    const run = await lockRun(tx, server.database.kind, backfills, which);
    if (run === null) throw noSuchRun();
    const item = await findItem(tx, run, itemId);
    if (item === null) throw new ApiError('RESULT_DATA_NONE', `run ${runId} has no item ${itemId}: list its items`);
    if (!isRetryable(item))
      throw new ApiError('RUN_STATE_CONFLICT', `item ${itemId} is ${item.status} and cannot be retried`);
    const now = server.clock.now();
    await reopen(tx, run);
    const requeued = await requeueItem(tx, item, now);
    await recordAudit(tx, call, now, 'backfill.retry-item', `item ${itemId} of backfill run ${runId} taken up again`, {
      runId,
      itemId,
      fileId: item.file_id,
      reason: item.reason,
    });
    await enqueue(tx, toRunJob(backfills, run), now);
    return requeued;
  });
};

/** A finished run is planned again, unless another run depends on its snapshot. */
async function reopen(tx: Tx, run: RunRow): Promise<void> {
  if (!retryStatuses.includes(run.status))
    throw new ApiError('RUN_STATE_CONFLICT', `run ${run.id} is ${run.status}: none of its items can be retried`);
  if (await isSnapshotInUse(tx, run))
    throw new ApiError('RUN_STATE_CONFLICT', `another run started from scan ${run.id}: start a new scan`);
  if (run.completed_at === null) return;
  await assertAllFinished(tx, backfills, run.tenant_id);
  await updateRun(tx, backfills, run, { status: 'PLANNED', completed_at: null, counts: null });
}

async function isSnapshotInUse(db: Db, run: RunRow): Promise<boolean> {
  const runs = db.selectFrom('backfill_run').select('id').where('tenant_id', '=', run.tenant_id);
  return (await runs.where('snapshot_run_id', '=', run.id).limit(1).executeTakeFirst()) !== undefined;
}
