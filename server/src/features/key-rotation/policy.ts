// What may happen to a run, when the next try of an item comes, and when an old key may go. Pure.
import type { KeyRotationPolicy, RunStatus } from '@recordproof/shared/api/key-rotation.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { PolicyRow, RunRow } from './queries.ts';

export type RunChange = 'pause' | 'resume' | 'cancel' | 'retry';

const changes: Readonly<Record<RunChange, { readonly from: readonly RunStatus[]; readonly to: RunStatus }>> = {
  pause: { from: ['PLANNED', 'RUNNING'], to: 'PAUSED' },
  resume: { from: ['PAUSED'], to: 'RUNNING' },
  cancel: { from: ['PLANNED', 'RUNNING', 'PAUSED'], to: 'CANCELLED' },
  retry: { from: ['COMPLETED_WITH_FAILURES'], to: 'RUNNING' },
};

/** The state after the change; null where it may not be. */
export const nextStatus = (status: RunStatus, change: RunChange): RunStatus | null =>
  changes[change].from.includes(status) ? changes[change].to : null;

type Backoff = Pick<RunRow, 'initial_backoff_seconds' | 'max_backoff_seconds'>;

/** Doubles with each attempt that failed. */
export const backoffMs = (run: Backoff, attempts: number): number =>
  Math.min(run.max_backoff_seconds, run.initial_backoff_seconds * 2 ** (attempts - 1)) * 1000;

/** At most a hundredth of what a minute may have, so that no minute has a whole batch too many. */
export const toBatchSize = (run: Pick<RunRow, 'batch_size' | 'max_items_per_minute'>): number =>
  Math.min(run.batch_size, Math.max(1, Math.floor(run.max_items_per_minute / 100)));

/** What a worker that comes late may catch up with: another hundredth of a minute. */
const catchUpMs = 600;

/** When the batch after this one may begin. */
export const nextBatchAt = (run: Pick<RunRow, 'next_batch_at' | 'max_items_per_minute'>, items: number, now: Time) =>
  Math.max(now - catchUpMs, run.next_batch_at) + Math.ceil((items * 60_000) / run.max_items_per_minute);

type Retirement = Pick<KeyRotationPolicy['retirement'], 'state' | 'reason'> & { readonly readyAt: Time | null };
type Judged = { readonly latest: RunRow | null; readonly isOldKeyInUse: boolean; readonly now: Time };

export function judgeRetirement(policy: PolicyRow, { latest, isOldKeyInUse, now }: Judged): Retirement {
  const notYet = (reason: Retirement['reason'], readyAt: Time | null = null) =>
    ({ state: 'NOT_READY', reason, readyAt }) as const;
  if (latest === null) return notYet('NO_APPLY_RUN');
  if (latest.policy_version !== policy.version) return notYet('POLICY_CHANGED');
  if (latest.status !== 'COMPLETED' || latest.completed_at === null) return notYet('RUN_NOT_COMPLETED');
  if (isOldKeyInUse) return notYet('OLD_KEY_IN_USE');
  const readyAt = latest.completed_at + policy.grace_period_seconds * 1000;
  if (now < readyAt) return notYet('GRACE_PERIOD', readyAt);
  const state = policy.acknowledged_run_id === latest.id ? 'ACKNOWLEDGED' : 'READY';
  return { state, reason: null, readyAt };
}
