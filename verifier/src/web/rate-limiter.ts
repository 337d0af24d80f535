// Counts requests per client in windows of equal length. Holds at most `maxClients`; the client whose window is the
// oldest is forgotten first, so that a flood of addresses cannot lock the others out.

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

  /** Undefined when the request may go on, else the seconds after which it may come again. */
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

  /** All windows are equally long, so the order of opening is the order of ending. */
  #forgetEnded(now: number): void {
    for (const [client, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.evict(client);
    }
  }
}
