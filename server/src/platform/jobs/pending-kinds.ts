// Kinds of work that may be due.
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
