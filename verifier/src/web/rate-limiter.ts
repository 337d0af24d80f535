// A rate limiter with fixed windows per client. It holds at most `maxClients`; the client with the oldest window is
// evicted first, so that a flood of addresses cannot lock others out.

import { BoundedMap } from '@recordproof/shared/bounded-map.ts';

type Window = { count: number; endsAt: number };

export class RateLimiter {
  readonly #windows: BoundedMap<string, Window>;
  readonly #limits: { requests: number; windowMillis: number; maxClients: number };
  readonly #now: () => number;

  constructor(limits: { requests: number; windowMillis: number; maxClients: number }, now: () => number) {
    this.#limits = limits;
    this.#windows = new BoundedMap(limits.maxClients);
    this.#now = now;
  }

  get clients(): number {
    return this.#windows.size;
  }

  /** Returns undefined if the request is allowed, else the seconds to wait. */
  take(client: string): number | undefined {
    const now = this.#now();
    this.#forgetEnded(now);
    const window = this.#windows.get(client) ?? this.#open(client, now);
    window.count += 1;
    return window.count > this.#limits.requests ? Math.ceil((window.endsAt - now) / 1000) : undefined;
  }

  #open(client: string, now: number): Window {
    const window = { count: 0, endsAt: now + this.#limits.windowMillis };
    this.#windows.set(client, window);
    return window;
  }

  /** All windows have the same length, so they end in the order of their start. */
  #forgetEnded(now: number): void {
    for (const [client, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.evict(client);
    }
  }
}
