// A map that may forget: what was used longest ago when there is too much, what nobody has used for a while, and all of
// it when it is closed. Whatever goes is let go once, by its owner's `drop`.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import type { Clock } from './clock.ts';

type ShortMemoryOptions<Value> = {
  readonly clock: Clock;
  readonly most: number;
  readonly idleMs: number;
  readonly drop?: (value: Value) => void;
};

type Entry<Value> = { readonly value: Value; usedAt: number };

export class ShortMemory<Key, Value> implements Disposable {
  readonly #options: ShortMemoryOptions<Value>;
  readonly #entries: BoundedMap<Key, Entry<Value>>;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: ShortMemoryOptions<Value>) {
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

  /** Drops what was there before; once it is closed, the value itself. */
  set(key: Key, value: Value): void {
    if (this.#isClosed) this.#options.drop?.(value);
    else this.#entries.set(key, { value, usedAt: this.#options.clock.now() });
  }

  /** Hands it over, not dropped. */
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
