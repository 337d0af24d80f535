// Fair queue: limited concurrency with a bounded queue in front that is round-robin between keys (addresses). A full
// queue drops the newest waiter of the key with the most waiters, so that one client cannot crowd out others.
type Waiter = { enter(): void; leave(rejection: Error): void };

type Options = {
  readonly slots: number;
  /** Maximum number of running and waiting calls over all keys. */
  readonly most: number;
  /** The error for rejected and evicted waiters. */
  readonly rejection: () => Error;
};

export class FairQueue {
  readonly #options: Options;
  #taken = 0;
  #size = 0;
  /** In round-robin order. Keys without waiters are removed; nothing waits while a slot is free. */
  readonly #waiters = new Map<string | symbol, Waiter[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs the work once a slot is free. Calls without a key count as a key of their own. */
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
    if (this.#taken < this.#options.slots) {
      this.#taken += 1;
      return undefined;
    }
    const own = this.#waiters.get(key) ?? [];
    this.#waiters.set(key, own);
    return new Promise((enter, leave) => own.push({ enter, leave }));
  }

  /** Evicts the newest waiter of the key with the most; throws unless that key has at least two more than this one. */
  #makeRoom(key: string | symbol): void {
    let most: string | symbol = key;
    let heaviest = (this.#waiters.get(key)?.length ?? 0) + 1;
    for (const [other, { length }] of this.#waiters) if (length > heaviest) [most, heaviest] = [other, length];
    const evicted = most === key ? undefined : this.#waiters.get(most)?.pop();
    if (evicted === undefined) throw this.#options.rejection();
    this.#size -= 1;
    evicted.leave(this.#options.rejection());
  }

  /** Passes the slot to the next key's oldest waiter, so that no later call can take it. */
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
