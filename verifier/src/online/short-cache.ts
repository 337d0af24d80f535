// Expiring cache of at most `maxEntries` answers; the oldest are evicted first.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';

export class ShortCache<T> {
  readonly #entries: BoundedMap<string, { value: T; until: number }>;
  readonly #lifetimeMillis: number;
  readonly #now: () => number;

  constructor(lifetimeMillis: number, now: () => number, maxEntries = 1000) {
    this.#lifetimeMillis = lifetimeMillis;
    this.#now = now;
    this.#entries = new BoundedMap(maxEntries);
  }

  find(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.#now() ? entry.value : undefined;
  }

  keep(key: string, value: T): void {
    this.#entries.set(key, { value, until: this.#now() + this.#lifetimeMillis });
  }
}
