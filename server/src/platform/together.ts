// What waits while something is under way goes together after it: callers of the same moment share one commit, and a burst
// costs a few. One set at a time.

type TogetherOptions<Item, Result> = {
  readonly most: number;
  /** How long a set waits for those that are on their way, while they are more than wait already. */
  readonly lingerMs?: number;
  readonly onTheWay?: () => number;
  /** Answers for each item, in their order; throwing refuses all of them. */
  run(items: readonly Item[]): Promise<readonly PromiseSettledResult<Result>[]>;
};

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item };

export class Together<Item, Result> implements AsyncDisposable {
  readonly #options: TogetherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;
  #ripen: (() => void) | null = null;

  constructor(options: TogetherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const waiting = { item, ...Promise.withResolvers<Result>() };
    this.#waiting.push(waiting);
    if (this.#isRipe()) this.#ripen?.();
    this.#running ??= this.#runAll();
    return waiting.promise;
  }

  /** Resolves when nothing is on its way any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
  }

  #isRipe(): boolean {
    const { most, onTheWay = () => 0 } = this.#options;
    return this.#waiting.length >= Math.min(most, onTheWay());
  }

  async #linger(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ripen = resolve;
    const timer = setTimeout(resolve, this.#options.lingerMs);
    await promise;
    clearTimeout(timer);
    this.#ripen = null;
  }

  async #runAll(): Promise<void> {
    await Promise.resolve(); // one turn later, so that callers of the same moment travel together
    while (this.#waiting.length > 0) {
      if (!this.#isRipe()) await this.#linger();
      const set = this.#waiting.splice(0, this.#options.most);
      const ends = await this.#options.run(set.map(({ item }) => item)).catch(reason => set.map(() => refused(reason)));
      for (const [index, { resolve, reject }] of set.entries()) {
        const end = ends[index] ?? refused(new Error('something got lost on its way'));
        if (end.status === 'fulfilled') resolve(end.value);
        else reject(end.reason);
      }
    }
    this.#running = null;
  }
}

const refused = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

export const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });
