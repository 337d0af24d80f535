// Expiring cache, bounded and LRU: evicts the least recently used entries, those that are idle too long, and all on
// close. `drop` is called once for each evicted value.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import type { Clock } from './clock.ts';

type ExpiringCacheOptions<Value> = {
  readonly clock: Clock;
  readonly most: number;
  readonly idleMs: number;
  readonly drop?: (value: Value) => void;
};

type Entry<Value> = { readonly value: Value; usedAt: number };

export class ExpiringCache<Key, Value> implements Disposable {
  readonly #options: ExpiringCacheOptions<Value>;
  readonly #entries: BoundedMap<Key, Entry<Value>>;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: ExpiringCacheOptions<Value>) {
    this.#options = options;
    this.#entries = new BoundedMap(options.most, ({ value }) => options.drop?.(value));
    this.#timer = setInterval(() => this.forgetIdle(), options.idleMs / 2).unref();
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.use(key);
    if (entry) entry.usedAt = this.#options.clock.now();
    return entry?.value;
  }

  /** Drops the previous value; after close, the new one. */
  set(key: Key, value: Value): void {
    if (this.#isClosed) this.#options.drop?.(value);
    else this.#entries.set(key, { value, usedAt: this.#options.clock.now() });
  }

  /** Removes the value without dropping it. */
  take(key: Key): Value | undefined {
    return this.#entries.take(key)?.value;
  }

  forget(key: Key): void {
    this.#entries.evict(key);
  }

  forgetIdle(): void {
    const until = this.#options.clock.now() - this.#options.idleMs;
    for (const [key, { usedAt }] of this.#entries) {
      if (usedAt > until) return;
      this.forget(key);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const [key] of this.#entries) this.forget(key);
  }
}
