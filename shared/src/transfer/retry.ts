// Retry policy: which failures are retried, and after what wait. A Retry-After of the server is honoured; otherwise
// exponential backoff with jitter.
import { TransportError } from '../api/client.ts';
import { ApiError, storageFull } from '../api/errors.ts';
import { type Clock, HttpBroken } from './ports.ts';
import { TransferError } from './transfer-error.ts';
import { maxWaitSeconds, type OnWait, toWait, type Wait, waitOut } from './wait.ts';

export type RetryPolicy = {
  readonly maxTries: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
};

export const defaultRetryPolicy: RetryPolicy = {
  maxTries: 9,
  firstWaitMs: 300,
  maxWaitMs: 30_000,
};

const passing = new Set([408, 425, 429, 502, 503, 504]);

/** A temporary error of an object store. */
export class StoreBusy extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, retryAfter: string | null) {
    super(`the object store answered ${status}`);
    this.name = 'StoreBusy';
    this.retryAfterSeconds = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  }
}

/** For answers of an object store, where 500 only means "try again". */
export const isPassingStatus = (status: number): boolean => status === 500 || passing.has(status);

export function isPassing(error: unknown): boolean {
  if (error instanceof HttpBroken || error instanceof StoreBusy) return true;
  if (error instanceof ApiError && error.kind === 'MAINTENANCE') return false; // it may last; what was sent is kept
  if (error instanceof ApiError) return error.kind === 'INTERNAL' || passing.has(error.status);
  return error instanceof TransportError && (error.failure === 'unreachable' || error.failure === 'timed-out');
}

/** The next try would fail, too, until space is freed. */
export const isStorageFull = (error: unknown): boolean =>
  error instanceof ApiError && error.detail?.reason === storageFull;

const askedToWait = (error: unknown): Wait | undefined => {
  if (!(error instanceof StoreBusy)) return toWait(error);
  const { retryAfterSeconds: seconds } = error;
  const isObeyed = seconds !== undefined && seconds <= maxWaitSeconds;
  return isObeyed ? { why: 'busy', seconds, perMinute: undefined } : undefined;
};

const isTooLong = (error: unknown): boolean =>
  (error instanceof ApiError || error instanceof StoreBusy) && (error.retryAfterSeconds ?? 0) > maxWaitSeconds;

/** `tries`: the number of failures so far, at least one. */
export function toWaitMs(error: unknown, tries: number, policy: RetryPolicy, random: number): number {
  const ceiling = Math.min(policy.maxWaitMs, policy.firstWaitMs * 2 ** (tries - 1));
  const spread = ceiling / 2 + (ceiling / 2) * random;
  const serverWait = askedToWait(error);
  return serverWait === undefined ? spread : Math.max(spread, serverWait.seconds * 1000 + policy.firstWaitMs * random);
}

export type RetryOptions = {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry?: ((error: unknown, waitMs: number) => void) | undefined;
  readonly onWait?: OnWait | undefined;
};

/** `work` must be idempotent. Waiting for a rate limit does not count as a failure. */
export async function withRetries<T>(options: RetryOptions, what: string, work: () => Promise<T>): Promise<T> {
  const { clock, policy, signal } = options;
  for (let tries = 1; ; ) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing(error) || isStorageFull(error)) throw error;
      const serverWait = askedToWait(error);
      if (serverWait?.why === 'rate-limit') {
        await waitOut(serverWait, options);
        continue;
      }
      if (isTooLong(error) || tries >= policy.maxTries) throw gaveUp(what, tries, error);
      const waitMs = toWaitMs(error, tries, policy, clock.random());
      if (serverWait) options.onWait?.(serverWait);
      else options.onRetry?.(error, waitMs);
      await clock.sleep(waitMs, signal);
      tries += 1;
    }
  }
}

function gaveUp(what: string, tries: number, error: unknown): Error {
  if (error instanceof TransportError || error instanceof ApiError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new TransferError('gave-up', `${what}: ${tries} tries have failed, the last with: ${why}`, error);
}
