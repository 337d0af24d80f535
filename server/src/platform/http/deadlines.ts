// Tells requests when their time is up. One timer looks after all of them, because one for each, which the framework
// would set, costs more than many a request. Late by at most one look.
export type TimedRequest = {
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Called at most once. Must not throw. */
  timeUp(): void;
};

const lookEveryMs = 250;

export class Deadlines {
  readonly limitMs: number;
  /** The oldest first, so that a look ends at the first one that has time left. */
  readonly #running = new Set<TimedRequest>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  watch(request: TimedRequest): void {
    this.#running.add(request);
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  forget(request: TimedRequest): void {
    this.#running.delete(request);
  }

  #look(): void {
    const latest = performance.now() - this.limitMs;
    for (const request of this.#running) {
      if (request.startedAt > latest) return;
      this.#running.delete(request);
      request.timeUp();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
