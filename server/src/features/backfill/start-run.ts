// Begins a run: over the records that there are now, or over what a scan found that can be backfilled.

import type { BackfillMode } from '@recordproof/shared/api/backfill.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { toRunJob } from './run-job.ts';
import { findLastFileId, findLastItemId, findRun, hasUnfinishedRun, insertRun, type RunRow } from './run-queries.ts';

type Wish = { readonly mode: BackfillMode; readonly snapshotRunId: Key | null };
type Starting = Pick<Server, 'database' | 'clock' | 'config'>;

export function startRun({ database, clock, config }: Starting, call: Call<Party>, wish: Wish): Promise<RunRow> {
  if (wish.mode === 'APPLY' && !config.backfill.applyEnabled)
    throw new ApiError('PERMISSION_UNAUTHORIZED', 'this server applies no backfill; backfill.apply.enabled is false');
  return database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    await lockInTransaction(tx, database.kind, `backfill ${tenantId}`);
    if (await hasUnfinishedRun(tx, tenantId))
      throw new ApiError('RUN_STATE_CONFLICT', 'another run is not finished; wait for it, or resume it');
    const scan = await findScan(tx, tenantId, wish);
    const now = clock.now();
    const run = await insertRun(tx, {
      tenant_id: tenantId,
      mode: wish.mode,
      status: 'PLANNED',
      snapshot_run_id: wish.snapshotRunId,
      snapshot_digest: scan?.snapshot_digest ?? null,
      last_id: scan === null ? await findLastFileId(tx, tenantId) : await findLastItemId(tx, scan),
      seen_id: 0,
      failure: null,
      counts: null,
      created_at: now,
      started_at: null,
      completed_at: null,
      fence: 0,
      due_at: now,
    });
    const entry = {
      module: 'backfill',
      operation: 'start-run',
      description: `backfill run ${run.id} planned`,
      param: { runId: run.id, ...wish, snapshotDigest: run.snapshot_digest },
    };
    await appendAudit(tx, call, entry, now);
    await enqueue(tx, toRunJob(run), now);
    return run;
  });
}

async function findScan(tx: Tx, tenantId: Key, { snapshotRunId }: Wish): Promise<RunRow | null> {
  if (snapshotRunId === null) return null;
  const scan = await findRun(tx, tenantId, snapshotRunId);
  if (scan === null) throw new ApiError('RESULT_DATA_NONE', 'there is no such scan');
  if (scan.mode === 'SCAN' && scan.status === 'SNAPSHOT_READY') return scan;
  throw new ApiError('RUN_STATE_CONFLICT', 'that run is no scan that is SNAPSHOT_READY');
}
