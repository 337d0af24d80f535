// Fair queueing: a few places, and a bounded queue in front of them that keys (addresses) take turns in. A full queue drops
// the newest waiter of the key that has most, so that one client cannot fill it against others.
type Waiter = { enter(): void; leave(refusal: Error): void };

type Options = {
  readonly places: number;
  /** In the places and waiting, all keys together. */
  readonly most: number;
  /** What a waiter that finds no room, or has to make room, is told. */
  readonly refusal: () => Error;
};

export class FairQueue {
  readonly #options: Options;
  #taken = 0;
  #size = 0;
  /** First come the keys whose turn is next. No key without a waiter; no waiter while a place is free. */
  readonly #waiters = new Map<string | symbol, Waiter[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs the work in a place of its own. Without a key the caller shares with nobody. */
  async run<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    await this.#enter(key ?? Symbol('alone'));
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(key: string | symbol): Promise<void> | undefined {
    if (this.#size >= this.#options.most) this.#makeRoom(key);
    this.#size += 1;
    if (this.#taken < this.#options.places) {
      this.#taken += 1;
      return undefined;
    }
    const own = this.#waiters.get(key) ?? [];
    this.#waiters.set(key, own);
    return new Promise((enter, leave) => own.push({ enter, leave }));
  }

  /** Throws unless another key has at least two waiters more than this one; the newest of them then goes. */
  #makeRoom(key: string | symbol): void {
    let most: string | symbol = key;
    let heaviest = (this.#waiters.get(key)?.length ?? 0) + 1;
    for (const [other, { length }] of this.#waiters) if (length > heaviest) [most, heaviest] = [other, length];
    const evicted = most === key ? undefined : this.#waiters.get(most)?.pop();
    if (evicted === undefined) throw this.#options.refusal();
    this.#size -= 1;
    evicted.leave(this.#options.refusal());
  }

  /** The place goes to the next key's oldest waiter at once: nobody who comes in between can take it. */
  #leave(): void {
    this.#size -= 1;
    const next = this.#waiters.entries().next().value;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    const [key, own] = next;
    const waiter = own.shift();
    this.#waiters.delete(key);
    if (own.length > 0) this.#waiters.set(key, own);
    waiter?.enter();
  }
}
