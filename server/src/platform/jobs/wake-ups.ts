// Kinds of work that may be due, and the coalescing of background work.

/** Long enough for a dozen files that are sent one after the other. */
const pauseMs = 300;

/** After a quiet period the first kind is passed on at once, further ones together at most every 300 ms. */
export class CoalescedWakeUps implements Disposable {
  readonly #ring: (kinds: ReadonlySet<string>) => void;
  #pending = new Set<string>();
  #pauseEndsAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: (kinds: ReadonlySet<string>) => void) {
    this.#ring = ring;
  }

  add(kinds: ReadonlySet<string>): void {
    if (kinds.size === 0) return;
    this.#pending = this.#pending.union(kinds);
    if (this.#timer !== undefined) return;
    const leftMs = this.#pauseEndsAt - performance.now();
    if (leftMs <= 0) this.#end();
    else this.#timer = setTimeout(() => this.#end(), leftMs);
  }

  #end(): void {
    const kinds = this.#pending;
    this.#pending = new Set();
    this.#timer = undefined;
    this.#pauseEndsAt = performance.now() + pauseMs;
    this.#ring(kinds);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

export type Kinds = ReadonlySet<string> | 'all';

export const isOf = (kinds: Kinds, kind: string): boolean => kinds === 'all' || kinds.has(kind);

export class PendingKinds {
  #kinds: Kinds = new Set();

  get isAny(): boolean {
    return this.#kinds === 'all' || this.#kinds.size > 0;
  }

  add(kinds: Kinds): void {
    this.#kinds = kinds === 'all' || this.#kinds === 'all' ? 'all' : this.#kinds.union(kinds);
  }

  take(): Kinds {
    const kinds = this.#kinds;
    this.#kinds = new Set();
    return kinds;
  }
}
