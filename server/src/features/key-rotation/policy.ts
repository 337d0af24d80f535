// Rate and backoff of a key rotation, and whether the old key may be retired. Pure.
import type { KeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { PolicyRow, RunRow } from './queries.ts';

type Backoff = Pick<RunRow, 'initial_backoff_seconds' | 'max_backoff_seconds'>;

/** Doubles with each failed attempt. */
export const backoffMs = (run: Backoff, attempts: number): number =>
  Math.min(run.max_backoff_seconds, run.initial_backoff_seconds * 2 ** (attempts - 1)) * 1000;

/** At most a hundredth of the items per minute, so that the rate is exceeded by at most 1%. */
export const toBatchSize = (run: Pick<RunRow, 'batch_size' | 'max_items_per_minute'>): number =>
  Math.min(run.batch_size, Math.max(1, Math.floor(run.max_items_per_minute / 100)));

/** A late worker may catch up a hundredth of a minute. */
const catchUpMs = 600;

/** When the next batch may begin. */
export const nextBatchAt = (run: Pick<RunRow, 'next_batch_at' | 'max_items_per_minute'>, items: number, now: Time) =>
  Math.max(now - catchUpMs, run.next_batch_at) + Math.ceil((items * 60_000) / run.max_items_per_minute);

type Retirement = Pick<KeyRotationPolicy['retirement'], 'state' | 'reason'> & { readonly readyAt: Time | null };
type RetirementInput = { readonly latest: RunRow | null; readonly isOldKeyInUse: boolean; readonly now: Time };

export function classifyRetirement(policy: PolicyRow, { latest, isOldKeyInUse, now }: RetirementInput): Retirement {
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
