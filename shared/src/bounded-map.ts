// Bounded map: beyond its size, the least recently set or used entry is evicted and passed to `onEvict`.
export class BoundedMap<Key, Value> {
  readonly #most: number;
  readonly #onEvict: (value: Value, key: Key) => void;
  /** Least recently used first. */
  readonly #entries = new Map<Key, Value>();

  constructor(most: number, onEvict: (value: Value, key: Key) => void = () => {}) {
    this.#most = most;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Does not count as a use. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  use(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** The replaced value is passed to `onEvict` too. */
  set(key: Key, value: Value): void {
    this.evict(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.evict(oldest);
  }

  /** Removes and returns it, without `onEvict`. */
  take(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  evict(key: Key): void {
    const value = this.take(key);
    if (value !== undefined) this.#onEvict(value, key);
  }

  /** Least recently used first. Entries may be removed during iteration. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
