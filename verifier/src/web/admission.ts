// Lets a fixed number of verifications run at once. Whoever comes later waits a moment, in order, and is then sent away.

type Waiting = { admit: (isAdmitted: boolean) => void };

export class Admission {
  readonly #acquireTimeoutMillis: number;
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(places: number, acquireTimeoutMillis: number) {
    this.#free = places;
    this.#acquireTimeoutMillis = acquireTimeoutMillis;
  }

  /** Undefined when no place became free in time. */
  async enter(): Promise<Disposable | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#wait())) return undefined;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave();
        isHeld = false;
      },
    };
  }

  #wait(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { admit: resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => resolve(false), this.#acquireTimeoutMillis);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next.admit(true);
    }
  }
}
