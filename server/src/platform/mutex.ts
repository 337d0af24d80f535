/** Lets one caller in at a time, in order of arrival. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve();

  /** Resolves with the function that lets the next one in; call it exactly once. */
  async acquire(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    return resolve;
  }

  /** Null when it was not our turn in time; the place in the queue is then given up. */
  async acquireWithin(timeoutMs: number): Promise<(() => void) | null> {
    const turn = this.acquire();
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, timeoutMs, null);
    const release = await Promise.race([turn, promise]);
    clearTimeout(timer);
    if (release === null) void turn.then(late => late());
    return release;
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
