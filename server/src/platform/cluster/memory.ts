// In-process cluster of a single server. Its maps are bounded: a flood of keys evicts expired entries first, then the
// least recently used, and keys at their limit last.

import type { LogPort } from '../log-port.ts';
import {
  type Cluster,
  ClusterUnavailable,
  callHandler,
  checkCacheKey,
  checkMessage,
  checkTtl,
  checkValue,
  checkWindow,
  type MessageHandler,
  type RateHit,
  type Unsubscribe,
} from './cluster.ts';
import { SlidingWindow } from './sliding-window.ts';

type MemoryClusterOptions = {
  readonly clock: { now(): number };
  readonly log: LogPort;
  /** Maximum number of rate windows, and of one-time values. */
  readonly maxKeys?: number;
};

type OneTimeValue = { readonly value: string; readonly expiresAtMs: number };

export class MemoryCluster implements Cluster {
  readonly #clock: { now(): number };
  readonly #log: LogPort;
  readonly #maxKeys: number;
  // Both in least recently used order.
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #values = new Map<string, OneTimeValue>();
  readonly #handlers = new Map<string, Set<{ readonly call: MessageHandler }>>();
  #closed = false;

  constructor(options: MemoryClusterOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#maxKeys = options.maxKeys ?? 100_000;
  }

  get keyCount(): number {
    return this.#windows.size + this.#values.size;
  }

  hit(key: string, limit: number, windowMs: number, nowMs: number): RateHit {
    this.#checkOpen();
    checkCacheKey(key);
    checkWindow(limit, windowMs);
    const window = this.#windows.get(key) ?? new SlidingWindow();
    const hit = window.hit(limit, windowMs, nowMs);
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > this.#maxKeys) this.#evictWindows(nowMs);
    return hit;
  }

  uncount(key: string): void {
    this.#checkOpen();
    checkCacheKey(key);
    this.#windows.get(key)?.uncount();
  }

  putOnce(key: string, value: string, ttlMs: number): boolean {
    this.#checkOpen();
    checkCacheKey(key);
    checkValue(value);
    checkTtl(ttlMs);
    const nowMs = this.#clock.now();
    const present = this.#values.get(key);
    if (present !== undefined && present.expiresAtMs > nowMs) return false;
    this.#values.delete(key);
    this.#values.set(key, { value, expiresAtMs: nowMs + ttlMs });
    if (this.#values.size > this.#maxKeys) {
      evict(this.#values, this.#maxKeys, [entry => entry.expiresAtMs <= nowMs, () => true]);
    }
    return true;
  }

  take(key: string): string | null {
    this.#checkOpen();
    checkCacheKey(key);
    const found = this.#values.get(key);
    this.#values.delete(key);
    return found !== undefined && found.expiresAtMs > this.#clock.now() ? found.value : null;
  }

  publish(channel: string, message: string): number {
    this.#checkOpen();
    checkCacheKey(channel);
    checkMessage(message);
    // Asynchronously: a handler must not slow the publisher down or run inside its transaction.
    queueMicrotask(() => {
      for (const handler of [...(this.#handlers.get(channel) ?? [])]) callHandler(handler.call, message, this.#log);
    });
    return this.#handlers.has(channel) ? 1 : 0;
  }

  subscribe(channel: string, handler: MessageHandler): Unsubscribe {
    this.#checkOpen();
    checkCacheKey(channel);
    const entry = { call: handler };
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(entry));
    return () => {
      handlers.delete(entry);
      if (handlers.size === 0 && this.#handlers.get(channel) === handlers) this.#handlers.delete(channel);
    };
  }

  async probe(): Promise<{ readonly mode: 'embedded' }> {
    return { mode: 'embedded' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#windows.clear();
    this.#values.clear();
    this.#handlers.clear();
  }

  #checkOpen(): void {
    if (this.#closed) throw new ClusterUnavailable('the cluster connection was closed');
  }

  #evictWindows(nowMs: number): void {
    evict(this.#windows, this.#maxKeys, [window => window.isOver(nowMs), window => !window.isFull(), () => true]);
  }
}

// Frees a tenth at once, so that a flood does not scan the map for each key.
const evict = <T>(map: Map<string, T>, maxKeys: number, order: readonly ((entry: T) => boolean)[]): void => {
  const targetSize = Math.max(1, Math.floor(maxKeys * 0.9));
  for (const [round, mayGo] of order.entries()) {
    for (const [key, entry] of map) {
      // The first round always removes expired entries; later rounds stop once there is space.
      if (round > 0 && map.size <= targetSize) return;
      if (mayGo(entry)) map.delete(key);
    }
  }
};
