// Allowances per minute. Counted per account, or per address for those without one; what one account uses up
// never counts against another. Every answer carries the three headers.

import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { Cluster, RateHit } from '../cluster/cluster.ts';

export const windowMs = 60_000;

export type RateLimiter = {
  /** Counts one call; the result tells whether it is still allowed. */
  count(rateClass: RateClass, who: string): Awaitable<RateHit>;
};

export const openRateLimiter = (
  cluster: Pick<Cluster, 'hit'>,
  perMinute: Readonly<Record<RateClass, number>>,
  clock: Clock,
): RateLimiter => ({
  count: (rateClass, who) => cluster.hit(`rate:${rateClass}:${who}`, perMinute[rateClass], windowMs, clock.now()),
});

export function toHeaders(hit: RateHit): Record<string, string> {
  return {
    'x-ratelimit-limit': String(hit.limit),
    'x-ratelimit-remaining': String(hit.remaining),
    'x-ratelimit-reset': String(Math.ceil(hit.resetAtMs / 1000)),
  };
}

export function refuseOverLimit(hit: RateHit, now: number): void {
  if (hit.allowed) return;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - now) / 1000));
  throw new ApiError('RATE_LIMITED', `too many requests; try again in ${seconds} s`, { retryAfterSeconds: seconds });
}
