// Request deadlines with one shared timer: a timer per request costs more than many requests. A deadline may fire up to
// one poll interval late.
export type TimedRequest = {
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Called at most once. Must not throw. */
  timeUp(): void;
};

const pollEveryMs = 250;

export class Deadlines {
  readonly limitMs: number;
  /** Oldest first, so that a poll stops at the first request with time left. */
  readonly #running = new Set<TimedRequest>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  watch(request: TimedRequest): void {
    this.#running.add(request);
    this.#timer ??= setInterval(() => this.#look(), pollEveryMs).unref();
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
