// Group commit: concurrent items are run as one set, and items that arrive during a run form the next set. One set runs
// at a time.

type CoalescerOptions<Item, Result> = {
  readonly most: number;
  /** How long a set waits for expected items, while those outnumber the waiting ones. */
  readonly maxWaitMs?: number;
  readonly expectedCount?: () => number;
  /** Returns a result for each item, in order; throwing rejects all of them. */
  run(items: readonly Item[]): Promise<readonly PromiseSettledResult<Result>[]>;
};

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item };

export class Coalescer<Item, Result> implements AsyncDisposable {
  readonly #options: CoalescerOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;
  #flush: (() => void) | null = null;

  constructor(options: CoalescerOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const waiting = { item, ...Promise.withResolvers<Result>() };
    this.#waiting.push(waiting);
    if (this.#isFull()) this.#flush?.();
    this.#running ??= this.#runAll();
    return waiting.promise;
  }

  /** Resolves when no item is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
  }

  #isFull(): boolean {
    const { most, expectedCount = () => 0 } = this.#options;
    return this.#waiting.length >= Math.min(most, expectedCount());
  }

  async #waitForMore(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flush = resolve;
    const timer = setTimeout(resolve, this.#options.maxWaitMs);
    await promise;
    clearTimeout(timer);
    this.#flush = null;
  }

  async #runAll(): Promise<void> {
    await Promise.resolve(); // one microtask later, so that concurrent callers share a set
    while (this.#waiting.length > 0) {
      if (!this.#isFull()) await this.#waitForMore();
      const set = this.#waiting.splice(0, this.#options.most);
      const ends = await this.#options
        .run(set.map(({ item }) => item))
        .catch(reason => set.map(() => rejected(reason)));
      for (const [index, { resolve, reject }] of set.entries()) {
        const end =
          ends[index] ?? rejected(new Error(`the batch of ${set.length} items returned no result for item ${index}`));
        if (end.status === 'fulfilled') resolve(end.value);
        else reject(end.reason);
      }
    }
    this.#running = null;
  }
}

const rejected = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

export const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });
