// Allowances per minute. Counted per account, or per address for those without one; what one account uses up
// never counts against another. Every answer carries the three headers.

import { isIPv6 } from 'node:net';
import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { RateHit } from '../cluster/cluster.ts';
import type { Limits } from '../cluster/limits.ts';

export const windowMs = 60_000;

export type RateLimiter = {
  /** Counts one call; the result tells whether it is still allowed. */
  count(rateClass: RateClass, who: string): Awaitable<RateHit>;
};

export const openRateLimiter = (
  limits: Limits,
  perMinute: Readonly<Record<RateClass, number>>,
  clock: Clock,
): RateLimiter => ({
  count(rateClass, who) {
    // Probes ask this very process how it is; what lies outside of it must not decide about the answer.
    const counter = rateClass === 'probe' ? limits.local : limits.shared;
    return counter.hit(`rate:${rateClass}:${who}`, perMinute[rateClass], windowMs, clock.now());
  },
});

/** Who shares one allowance: an IPv4 address, or the 64 bits of an IPv6 address that one customer has at the least. */
export function toAddressKey(ip: string): string {
  if (!ip.includes(':')) return `ip:${ip}`;
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(ip)?.[1];
  if (mapped !== undefined || !isIPv6(ip)) return `ip:${mapped ?? ip}`;
  const [before = [], after] = ip.replace(/%.*/, '').split('::').map(toGroups);
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...new Array<string>(zeros).fill('0'), ...(after ?? [])];
  return `ip:${groups.slice(0, 4).join(':')}::/64`;
}

const toGroups = (text: string): string[] =>
  text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16).toString(16));

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
