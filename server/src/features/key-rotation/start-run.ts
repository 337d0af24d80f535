// Begins a run: over the envelopes that there are now, towards the target that the policy names now, once for a requestId.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import {
  findLastEnvelopeId,
  findPolicy,
  findRunByRequest,
  hasUnfinishedRun,
  insertRun,
  type PolicyRow,
  type RunRow,
} from './queries.ts';
import { toRunJob } from './run-job.ts';

type Wish = Pick<RunRow, 'mode'> & { readonly requestId: string };
type Starting = Pick<Server, 'database' | 'clock'>;

export const startRun = (server: Starting, call: Call<Party>, wish: Wish): Promise<RunRow> =>
  server.database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    await lockInTransaction(tx, server.database.kind, `key-rotation ${tenantId}`);
    const policy = await findPolicy(tx, tenantId);
    if (policy === null) throw new ApiError('UNPROCESSABLE', 'there is no policy yet; save one first');
    const known = await findRunByRequest(tx, tenantId, wish.requestId);
    if (known) {
      if (known.mode === wish.mode && known.policy_version === policy.version) return known;
      throw new ApiError('REQUEST_ID_REUSED');
    }
    if (await hasUnfinishedRun(tx, tenantId))
      throw new ApiError('RUN_STATE_CONFLICT', 'another run is not finished; wait for it or cancel it');
    return plan(server, tx, call, { policy, wish });
  });

async function plan(
  { clock }: Starting,
  tx: Tx,
  call: Call<Party>,
  { policy, wish }: { readonly policy: PolicyRow; readonly wish: Wish },
): Promise<RunRow> {
  const now = clock.now();
  const { version, id, next_run_at, updated_at, acknowledged_at, acknowledged_run_id, ...frozen } = policy;
  const { grace_period_seconds, schedule_interval_seconds, ...target } = frozen;
  const run = await insertRun(tx, {
    ...target,
    request_id: wish.requestId,
    mode: wish.mode,
    status: 'PLANNED',
    policy_version: version,
    last_envelope_id: await findLastEnvelopeId(tx, policy.tenant_id),
    seen_envelope_id: 0,
    next_batch_at: now,
    failure_category: null,
    created_at: now,
    started_at: null,
    completed_at: null,
  });
  const entry = {
    module: 'key-rotation',
    operation: 'start-run',
    description: `key rotation ${run.id} planned`,
    param: { runId: run.id, mode: run.mode, requestId: run.request_id, policyVersion: run.policy_version },
  };
  await appendAudit(tx, call, entry, now);
  await enqueue(tx, toRunJob(run), now);
  return run;
}
