// Short-lived state that several servers share: rate limit windows, one-time tokens, broadcasts. Nothing here is
// durable; durable state belongs in the database.

import type { Awaitable } from '../awaitable.ts';
import type { CircuitOpenError } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';

export type RateHit = {
  /** Calls within the window, including this one even if it was rejected. */
  readonly count: number;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted call leaves the window and one more becomes possible. */
  readonly resetAtMs: number;
  readonly allowed: boolean;
};

export type MessageHandler = (message: string) => void;
export type Unsubscribe = () => void;

export type ClusterHealth =
  | { readonly mode: 'embedded' }
  | { readonly mode: 'redis'; readonly connected: boolean; readonly latencyMs?: number; readonly version?: string };

export type Cluster = AsyncDisposable & {
  /**
   * Counts one call under the key. Atomic across servers: of any number of parallel calls exactly `limit` are allowed
   * in any span of `windowMs`. Rejected calls are not counted, so waiting always helps.
   */
  hit(key: string, limit: number, windowMs: number, nowMs: number): Awaitable<RateHit>;

  /**
   * Removes the newest counted call under the key; does nothing without one. For calls that are counted before their
   * result is known, so that parallel attempts gain nothing over sequential ones.
   */
  uncount(key: string): Awaitable<void>;

  /** Stores a value unless the key holds a live one; returns whether it did. Expires after `ttlMs` (≥ 1). */
  putOnce(key: string, value: string, ttlMs: number): Awaitable<boolean>;

  /** Returns and removes a live value; of parallel callers exactly one gets it, the others null. */
  take(key: string): Awaitable<string | null>;

  /**
   * Delivers the message (≤ maxMessageBytes) to all current subscribers in all processes; returns the number of
   * processes.
   */
  publish(channel: string, message: string): Awaitable<number>;

  /**
   * Calls the handler for each message, in order per publisher, without awaiting it; its errors are logged and ignored.
   * Survives outages: `onGap` is called when messages may have been lost, so that the subscriber reads its state again.
   */
  subscribe(channel: string, handler: MessageHandler, onGap?: () => void): Awaitable<Unsubscribe>;

  /** Never throws; returns within a bounded time. */
  probe(): Promise<ClusterHealth>;
};

/** The backend is unreachable or timed out. Whether the operation took effect is unknown. */
export class ClusterUnavailable extends Error {
  constructor(reason: string, cause?: CircuitOpenError) {
    super(`the cluster service is not available: ${reason}`, cause && { cause });
    this.name = 'ClusterUnavailable';
  }
}

/** Resolution of the sliding window: a rejected caller waits at most this fraction of the window too long. */
export const slotsPerWindow = 20;

export const maxMessageBytes = 64 * 1024;
export const maxKeyBytes = 512;

const checkText = (what: string, text: string, maxBytes: number): void => {
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
    throw new RangeError(`a cluster ${what} is limited to ${maxBytes} bytes`);
};

export const checkCacheKey = (key: string): void => checkText('key', key, maxKeyBytes);
export const checkValue = (value: string): void => checkText('value', value, maxMessageBytes);
export const checkMessage = (message: string): void => checkText('message', message, maxMessageBytes);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

export const checkWindow = (limit: number, windowMs: number): void => {
  if (!isCount(limit) || !isCount(windowMs)) throw new RangeError('a rate limit needs a whole limit and window, ≥ 1');
};

export const checkTtl = (ttlMs: number): void => {
  if (!isCount(ttlMs)) throw new RangeError('a one-time value needs a whole life time in milliseconds, ≥ 1');
};

/** Calls a subscriber so that neither an exception nor a rejected promise reaches the connection. */
export const callHandler = (handler: MessageHandler, message: string, log: LogPort): void => {
  const report = (error: unknown) => log.warn({ err: error }, 'a subscriber failed to process a message');
  try {
    const answer: unknown = handler(message);
    if (answer instanceof Promise) answer.catch(report);
  } catch (error) {
    report(error);
  }
};
