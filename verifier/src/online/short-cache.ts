/** Remembers answers for a while, at most `maxEntries`; the oldest go first. */
export class ShortCache<T> {
  readonly #entries = new Map<string, { value: T; until: number }>();
  readonly #lifetimeMillis: number;
  readonly #now: () => number;
  readonly #maxEntries: number;

  constructor(lifetimeMillis: number, now: () => number, maxEntries = 1000) {
    this.#lifetimeMillis = lifetimeMillis;
    this.#now = now;
    this.#maxEntries = maxEntries;
  }

  find(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.#now() ? entry.value : undefined;
  }

  keep(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: this.#now() + this.#lifetimeMillis });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
