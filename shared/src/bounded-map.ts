/** A map that never holds more than so many: what was set, or used, longest ago goes first and is handed to `onEvict`. */
export class BoundedMap<Key, Value> {
  readonly #most: number;
  readonly #onEvict: (value: Value, key: Key) => void;
  /** The one used last at the end. */
  readonly #entries = new Map<Key, Value>();

  constructor(most: number, onEvict: (value: Value, key: Key) => void = () => {}) {
    this.#most = most;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Looking is no use: it keeps its place. */
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

  /** What was there before is handed out as well. */
  set(key: Key, value: Value): void {
    this.evict(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.evict(oldest);
  }

  /** Hands it over, not to `onEvict`. */
  take(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  evict(key: Key): void {
    const value = this.take(key);
    if (value !== undefined) this.#onEvict(value, key);
  }

  /** The one used longest ago first. Entries may go meanwhile. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
