// What several servers must agree on for a short time: rate windows, one-time tokens, messages to all.
// Nothing here is durable; whatever must survive belongs into the database.

import type { Awaitable } from '../awaitable.ts';
import type { CircuitOpenError } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';

export type RateHit = {
  /** Calls within the window, this one included even when it was refused. */
  readonly count: number;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted call leaves the window, that is when one more becomes possible. */
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
   * Counts one call under the key. Atomic, also among servers: of any number of parallel calls exactly
   * `limit` are allowed in any span of `windowMs`. Refused calls are not counted, so waiting always helps.
   */
  hit(key: string, limit: number, windowMs: number, nowMs: number): Awaitable<RateHit>;

  /**
   * Takes back the newest counted call under the key. For what is counted before it is known whether it counts, so that
   * tries at the same moment are worth no more than tries one after the other. Nothing happens where none is counted.
   */
  giveBack(key: string): Awaitable<void>;

  /** Stores a value unless the key holds a living one; says whether it did. Gone after `ttlMs` (≥ 1). */
  putOnce(key: string, value: string, ttlMs: number): Awaitable<boolean>;

  /** Returns a living value and removes it; of parallel takers exactly one gets it, the others null. */
  take(key: string): Awaitable<string | null>;

  /**
   * Hands the message (≤ maxMessageBytes) to everyone who is subscribed now, in this and all other processes; says how
   * many processes that were.
   */
  publish(channel: string, message: string): Awaitable<number>;

  /**
   * Calls the handler for each message, in order per publisher, without waiting for what it returns; its errors
   * are logged and change nothing. Holds on through outages of the backing: `onGap` is called when messages may
   * have been missed, so that the subscriber re-reads what it cares for.
   */
  subscribe(channel: string, handler: MessageHandler, onGap?: () => void): Awaitable<Unsubscribe>;

  /** Never throws and answers within a bounded time. */
  probe(): Promise<ClusterHealth>;
};

/** The backing cannot be reached or does not answer in time. Whether the operation took effect is unknown. */
export class ClusterUnavailable extends Error {
  constructor(reason: string, cause?: CircuitOpenError) {
    super(`the cluster service is not available: ${reason}`, cause && { cause });
    this.name = 'ClusterUnavailable';
  }
}

/** How finely the sliding window is cut: a refused caller waits at most this share of the window too long. */
export const slotsPerWindow = 20;

export const maxMessageBytes = 64 * 1024;
export const maxKeyBytes = 512;

const checkText = (what: string, text: string, maxBytes: number): void => {
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
    throw new RangeError(`a cluster ${what} is limited to ${maxBytes} bytes`);
};

export const checkKey = (key: string): void => checkText('key', key, maxKeyBytes);
export const checkValue = (value: string): void => checkText('value', value, maxMessageBytes);
export const checkMessage = (message: string): void => checkText('message', message, maxMessageBytes);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

export const checkWindow = (limit: number, windowMs: number): void => {
  if (!isCount(limit) || !isCount(windowMs)) throw new RangeError('a rate limit needs a whole limit and window, ≥ 1');
};

export const checkTtl = (ttlMs: number): void => {
  if (!isCount(ttlMs)) throw new RangeError('a one-time value needs a whole life time in milliseconds, ≥ 1');
};

/** Calls a subscriber so that neither a throw nor a rejected promise reaches the connection that feeds it. */
export const callHandler = (handler: MessageHandler, message: string, log: LogPort): void => {
  const report = (error: unknown) => log.warn({ err: error }, 'a subscriber failed on a message');
  try {
    const answer: unknown = handler(message);
    if (answer instanceof Promise) answer.catch(report);
  } catch (error) {
    report(error);
  }
};
