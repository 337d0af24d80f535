// Rate limits per minute, counted per account, or per address without one. Accounts never count against each other.
// Every response has the three rate limit headers.
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
  /** Counts one call and returns whether it is allowed. */
  count(rateClass: RateClass, who: string): Awaitable<RateHit>;
};

export const openRateLimiter = (
  counters: Counters,
  perMinute: Readonly<Record<RateClass, number>>,
  clock: Clock,
): RateLimiter => ({
  count(rateClass, who) {
    // Probes ask for the state of this process, so they must not depend on anything outside it.
    const counter = rateClass === 'probe' ? counters.local : counters.shared;
    return counter.hit(`rate:${rateClass}:${who}`, perMinute[rateClass], windowMs, clock.now());
  },
});

/** Unit of one rate limit: an IPv4 address, or an IPv6 /64, the smallest block of one customer. */
export const toAddressKey = (ip: string): string => `ip:${toNetwork(ip, { ipv4Bits: 32, ipv6Bits: 64 })}`;

/** Addresses that may belong to one client: the smallest blocks that are assigned. */
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

/** For handlers that count by themselves: sets the same response headers as the HTTP layer. */
export function applyHit(request: Pick<Request, 'setHeader' | 'startedAt'>, hit: RateHit): void {
  for (const [name, value] of Object.entries(toHeaders(hit))) request.setHeader(name, value);
  rejectOverLimit(hit, request.startedAt);
}

export function toOverLimit(hit: RateHit, now: number): ApiError | null {
  if (hit.allowed) return null;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - now) / 1000));
  return new ApiError('RATE_LIMITED', `too many requests; try again in ${seconds} s`, { retryAfterSeconds: seconds });
}

export function rejectOverLimit(hit: RateHit, now: number): void {
  const rejection = toOverLimit(hit, now);
  if (rejection) throw rejection;
}
