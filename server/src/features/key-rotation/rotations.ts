// Key rotations as a kind of run: over the envelopes that exist at the start, towards the policy's target at that time.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { defineRun, findLastId, startRun } from '../runs/index.ts';
import { countItems, releaseClaims, requeueFailed, rotationItems } from './item-queries.ts';
import { findPolicy, findRunByRequest, type PolicyRow, type RunRow } from './queries.ts';

export const rotations = defineRun<RunRow, 'key_rotation_item'>({
  name: 'key-rotation',
  title: 'key rotation',
  table: 'key_rotation_run',
  items: rotationItems,
  seenColumn: 'seen_envelope_id',
  lastColumn: 'last_envelope_id',
  unfinished: ['PLANNED', 'RUNNING', 'PAUSED'],
  activeStatuses: ['RUNNING'],
  changes: {
    pause: { from: ['PLANNED', 'RUNNING'], to: 'PAUSED' },
    resume: { from: ['PAUSED'], to: 'RUNNING' },
    cancel: { from: ['PLANNED', 'RUNNING', 'PAUSED'], to: 'CANCELLED' },
    retry: {
      from: ['COMPLETED_WITH_FAILURES'],
      to: 'RUNNING',
      async prepare(tx, run, now) {
        if ((await requeueFailed(tx, run.id, now)) > 0) return;
        const advice = 'fix the cause of the failures and start a new run';
        throw new ApiError('RUN_STATE_CONFLICT', `run ${run.id} has no item that can be retried: ${advice}`);
      },
    },
  },
  async fail(tx, run, failure, now) {
    await releaseClaims(tx, run.id, now);
    const change = { status: 'FAILED', failure_category: 'INTERNAL', started_at: run.started_at ?? now } as const;
    return { change, param: { mode: run.mode, ...(await countItems(tx, run.id)), failure } };
  },
});

export type Starts = Pick<Server, 'database' | 'clock'>;
type Input = Pick<RunRow, 'mode'> & { readonly requestId: string };

/** Once per requestId. */
export const startRotation = (server: Starts, call: Call<Party>, { mode, requestId }: Input): Promise<RunRow> => {
  const { tenantId } = call.actor;
  const getPolicy = async (tx: Tx): Promise<PolicyRow> => {
    const policy = await findPolicy(tx, tenantId);
    if (policy === null) throw new ApiError('UNPROCESSABLE', 'there is no key rotation policy: put one first');
    return policy;
  };
  return startRun<RunRow>(server, rotations, call, {
    async findEarlier(tx) {
      const policy = await getPolicy(tx);
      const earlier = await findRunByRequest(tx, tenantId, requestId);
      if (earlier === null || (earlier.mode === mode && earlier.policy_version === policy.version)) return earlier;
      throw new ApiError('REQUEST_ID_REUSED');
    },
    async plan(tx, now) {
      const { version, id, next_run_at, updated_at, acknowledged_at, acknowledged_run_id, ...terms } =
        await getPolicy(tx);
      const { grace_period_seconds, schedule_interval_seconds, tenant_id, ...target } = terms;
      const last_envelope_id = await findLastId(tx, 'envelope', tenantId);
      const range = { last_envelope_id, seen_envelope_id: 0, next_batch_at: now, failure_category: null };
      return { ...target, ...range, request_id: requestId, mode, policy_version: version };
    },
    toParam: run => ({ mode, requestId, policyVersion: run.policy_version }),
  });
};
