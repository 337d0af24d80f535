// Pauses, resumes, cancels and retries runs, and notes that an old key was retired. What a worker has under way it finishes.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { KeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { blockerTexts } from '@recordproof/shared/api/retirement-blockers.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { hasEnvelopesBeside } from '../envelopes/index.ts';
import { requeueFailed } from './item-queries.ts';
import { judgeRetirement, nextStatus, type RunChange } from './policy.ts';
import {
  findLatestApply,
  findPolicy,
  hasUnfinishedRun,
  holdRun,
  type PolicyRow,
  type RunRow,
  updatePolicy,
  updateRun,
} from './queries.ts';
import { toRunJob } from './run-job.ts';

type Changing = Pick<Server, 'database' | 'clock'>;

const done: Readonly<Record<RunChange, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'tried again',
};

export const changeRun = (
  { database, clock }: Changing,
  call: Call,
  { id, change }: { readonly id: Key; readonly change: RunChange },
): Promise<RunRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    await lockInTransaction(tx, database.kind, `key-rotation ${tenantId}`);
    const run = await holdRun(tx, database.kind, tenantId, id);
    if (run === null) throw new ApiError('RESULT_DATA_NONE', 'there is no run of this number');
    const status = nextStatus(run.status, change);
    if (status === null)
      throw new ApiError('RUN_STATE_CONFLICT', `a run that is ${run.status} cannot be ${done[change]}`);
    const now = clock.now();
    if (change === 'retry') await takeUpAgain(tx, run, now);
    const isOver = status === 'CANCELLED';
    const changed = await updateRun(tx, id, { status, completed_at: isOver ? now : null });
    const entry = { module: 'key-rotation', operation: `${change}-run`, description: `key rotation ${id}: ${change}` };
    await appendAudit(tx, call, { ...entry, param: { runId: id, before: run.status, after: status } }, now);
    if (status === 'RUNNING') await enqueue(tx, toRunJob(changed), now);
    return changed;
  });

async function takeUpAgain(tx: Tx, run: RunRow, now: Time): Promise<void> {
  if (await hasUnfinishedRun(tx, run.tenant_id))
    throw new ApiError('RUN_STATE_CONFLICT', 'another run is not finished');
  if ((await requeueFailed(tx, run.id, now)) === 0)
    throw new ApiError('RUN_STATE_CONFLICT', 'nothing of it may succeed next time; mend the cause and start a new run');
}

export async function readRetirement(db: Db, policy: PolicyRow, now: Time) {
  const target = {
    provider: policy.provider,
    contract: policy.provider_contract,
    keyVersion: policy.provider_key_version,
  };
  const latest = await findLatestApply(db, policy.tenant_id);
  const isOldKeyInUse = latest !== null && (await hasEnvelopesBeside(db, policy.tenant_id, target));
  return { latest, ...judgeRetirement(policy, { latest, isOldKeyInUse, now }) };
}

/** Once is enough: again changes nothing. */
export const acknowledgeRetirement = ({ database, clock }: Changing, call: Call): Promise<PolicyRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    await lockInTransaction(tx, database.kind, `key-rotation ${tenantId}`);
    const policy = await findPolicy(tx, tenantId);
    if (policy === null) throw new ApiError('RESULT_DATA_NONE', 'there is no policy yet');
    const now = clock.now();
    const { state, reason, latest } = await readRetirement(tx, policy, now);
    if (state === 'ACKNOWLEDGED') return policy;
    if (state !== 'READY' || latest === null) throw stillNeeded(reason);
    const entry = {
      module: 'key-rotation',
      operation: 'acknowledge-retirement',
      description: 'the old key was said to be retired',
      param: { runId: latest.id, policyVersion: policy.version },
    };
    await appendAudit(tx, call, entry, now);
    return updatePolicy(tx, policy.id, { acknowledged_run_id: latest.id, acknowledged_at: now });
  });

function stillNeeded(reason: KeyRotationPolicy['retirement']['reason']): ApiError {
  const why = reason === null ? '' : `: ${blockerTexts[reason]}`;
  return new ApiError('RUN_STATE_CONFLICT', `the old key is still needed, or may be${why}`, { detail: { reason } });
}
