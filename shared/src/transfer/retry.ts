// When a failed request is worth another try, and how long to wait before it. A server that names a time is obeyed;
// otherwise the wait doubles and is spread, so that many clients do not come back together.
import { TransportError } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { type Clock, HttpBroken } from './ports.ts';
import { TransferError } from './transfer-error.ts';

export type RetryPolicy = {
  readonly maxTries: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** A server may ask for more patience than this; then the transfer ends instead. */
  readonly maxRetryAfterSeconds: number;
};

export const defaultRetryPolicy: RetryPolicy = {
  maxTries: 9,
  firstWaitMs: 300,
  maxWaitMs: 30_000,
  maxRetryAfterSeconds: 600,
};

const passing = new Set([408, 425, 429, 502, 503, 504]);

/** An answer of an object store that is worth another try. */
export class StoreBusy extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, retryAfter: string | null) {
    super(`the object store answered ${status}`);
    this.name = 'StoreBusy';
    this.retryAfterSeconds = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  }
}

/** For answers of an object store, where 500 says no more than "try again". */
export const isPassingStatus = (status: number): boolean => status === 500 || passing.has(status);

export function isPassing(error: unknown): boolean {
  if (error instanceof HttpBroken || error instanceof StoreBusy) return true;
  if (error instanceof ApiError) return error.kind === 'INTERNAL' || passing.has(error.status);
  return error instanceof TransportError && (error.failure === 'unreachable' || error.failure === 'timed-out');
}

const askedToWait = (error: unknown): number | undefined =>
  error instanceof ApiError || error instanceof StoreBusy ? error.retryAfterSeconds : undefined;

/** `tries` is how many have failed so far, at least one. */
export function toWaitMs(error: unknown, tries: number, policy: RetryPolicy, random: number): number {
  const ceiling = Math.min(policy.maxWaitMs, policy.firstWaitMs * 2 ** (tries - 1));
  const spread = ceiling / 2 + (ceiling / 2) * random;
  const asked = askedToWait(error);
  return asked === undefined ? spread : asked * 1000 + policy.firstWaitMs * random;
}

export type RetryOptions = {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry?: ((error: unknown, waitMs: number) => void) | undefined;
};

/** `work` must be safe to carry out twice. */
export async function withRetries<T>(options: RetryOptions, what: string, work: () => Promise<T>): Promise<T> {
  const { clock, policy, signal } = options;
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      const waitMs = toWaitMs(error, tries, policy, clock.random());
      const isTooLong = (askedToWait(error) ?? 0) > policy.maxRetryAfterSeconds;
      if (error instanceof ApiError && (isTooLong || tries >= policy.maxTries)) throw error;
      if (isTooLong || tries >= policy.maxTries) throw gaveUp(what, tries, error);
      options.onRetry?.(error, waitMs);
      await clock.sleep(waitMs, signal);
    }
  }
}

function gaveUp(what: string, tries: number, error: unknown): Error {
  if (error instanceof TransportError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new TransferError('gave-up', `${what}: ${tries} tries have failed, the last with: ${why}`, error);
}
