// Allowances per minute. Counted per account, or per address for those without one; what one account uses up
// never counts against another. Every answer carries the three headers.
import { isIPv4, isIPv6 } from 'node:net';
import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { RateHit } from '../cluster/cluster.ts';
import type { Counters } from '../cluster/counters.ts';
import { foldAddress } from './proxies.ts';
import type { Request } from './route.ts';

export const windowMs = 60_000;

export type RateLimiter = {
  /** Counts one call; the result tells whether it is still allowed. */
  count(rateClass: RateClass, who: string): Awaitable<RateHit>;
};

export const openRateLimiter = (
  counters: Counters,
  perMinute: Readonly<Record<RateClass, number>>,
  clock: Clock,
): RateLimiter => ({
  count(rateClass, who) {
    // Probes ask this very process how it is; what lies outside of it must not decide about the answer.
    const counter = rateClass === 'probe' ? counters.local : counters.shared;
    return counter.hit(`rate:${rateClass}:${who}`, perMinute[rateClass], windowMs, clock.now());
  },
});

/** Who shares one allowance: an IPv4 address, or the 64 bits of an IPv6 address that one customer has at the least. */
export const toAddressKey = (ip: string): string => `ip:${toNetwork(ip, { ipv4Bits: 32, ipv6Bits: 64 })}`;

/** Who may be one and the same though the addresses differ: the least that is given out as a block. */
export const toNetworkKey = (ip: string): string => `net:${toNetwork(ip, { ipv4Bits: 24, ipv6Bits: 48 })}`;

function toNetwork(
  ip: string,
  { ipv4Bits, ipv6Bits }: { readonly ipv4Bits: number; readonly ipv6Bits: number },
): string {
  const address = foldAddress(ip) ?? ip;
  if (isIPv4(address)) {
    const octets = address.split('.').slice(0, ipv4Bits / 8);
    return octets.length === 4 ? address : `${octets.join('.')}.0/${ipv4Bits}`;
  }
  if (!isIPv6(address)) return address;
  const [before = [], after] = address.split('::').map(part => (part === '' ? [] : part.split(':')));
  const zeros = after === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...new Array<string>(zeros).fill('0'), ...(after ?? [])];
  return `${groups.slice(0, ipv6Bits / 16).join(':')}::/${ipv6Bits}`;
}

export function toHeaders(hit: RateHit): Record<string, string> {
  return {
    'x-ratelimit-limit': String(hit.limit),
    'x-ratelimit-remaining': String(hit.remaining),
    'x-ratelimit-reset': String(Math.ceil(hit.resetAtMs / 1000)),
  };
}

/** What a verb has counted by itself stands in the headers of its answer like what the door counts. */
export function applyHit(request: Pick<Request, 'setHeader' | 'startedAt'>, hit: RateHit): void {
  for (const [name, value] of Object.entries(toHeaders(hit))) request.setHeader(name, value);
  refuseOverLimit(hit, request.startedAt);
}

export function toOverLimit(hit: RateHit, now: number): ApiError | null {
  if (hit.allowed) return null;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - now) / 1000));
  return new ApiError('RATE_LIMITED', `too many requests; try again in ${seconds} s`, { retryAfterSeconds: seconds });
}

export function refuseOverLimit(hit: RateHit, now: number): void {
  const refusal = toOverLimit(hit, now);
  if (refusal) throw refusal;
}
