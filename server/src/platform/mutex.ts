// FIFO mutex within this process.
import { within } from './within.ts';

export class Mutex {
  #tail: Promise<void> = Promise.resolve();

  /** Resolves with the release function, which must be called exactly once. */
  async acquire(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    return resolve;
  }

  /** Null on timeout; the place in the queue is then released. */
  async acquireWithin(timeoutMs: number): Promise<(() => void) | null> {
    const turn = this.acquire();
    const release = await within(timeoutMs, turn);
    if (release === undefined) void turn.then(late => late());
    return release ?? null;
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
