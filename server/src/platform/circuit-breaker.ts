// Circuit breakers: stop calling a service that keeps failing, and probe it again later. A breaker keeps counts only,
// never arguments or results; `/actuator/circuitbreakers` lists the registry.

import { abortLate } from './within.ts';

type CircuitState = 'CLOSED' | 'OPEN' | 'HALF_OPEN';

type CircuitBreakerOptions = {
  /** Number of latest calls in the window. */
  readonly windowCalls?: number;
  /** Fewer calls than this never open the circuit. */
  readonly minimumCalls?: number;
  /** Percent of failures, 0 < threshold ≤ 100, at which the circuit opens. */
  readonly failureRateThreshold?: number;
  readonly openMs?: number;
  /** Number of calls that may probe a half-open circuit. */
  readonly halfOpenCalls?: number;
  /** Number of probe results that decide; default: all. With a low number few successes close the circuit. */
  readonly decidingCalls?: number;
  /** A longer call fails with CircuitTimeoutError and counts as a failure. Absent: no limit. */
  readonly callTimeoutMs?: number;
  /** Errors that count against the service; a rejection ("not found") should not. Default: all. */
  readonly isFailure?: (error: unknown) => boolean;
};

type CircuitBreakerView = {
  readonly name: string;
  readonly state: CircuitState;
  /** Percent of the buffered calls that failed; -1 while there are too few. */
  readonly failureRate: number;
  readonly bufferedCalls: number;
  readonly failedCalls: number;
  /** Calls rejected since the circuit last closed. */
  readonly notPermittedCalls: number;
};

export class CircuitOpenError extends Error {
  readonly breaker: string;
  readonly retryAfterMs: number;

  constructor(breaker: string, retryAfterMs: number) {
    super(`${breaker} keeps failing and is not called for now; try again in ${Math.ceil(retryAfterMs / 1000)} s`);
    this.name = 'CircuitOpenError';
    this.breaker = breaker;
    this.retryAfterMs = retryAfterMs;
  }
}

export class CircuitTimeoutError extends Error {
  readonly breaker: string;

  constructor(breaker: string, timeoutMs: number) {
    super(`${breaker} did not answer within ${timeoutMs} ms`);
    this.name = 'CircuitTimeoutError';
    this.breaker = breaker;
  }
}

type Clock = { now(): number };
type Settings = Required<Omit<CircuitBreakerOptions, 'callTimeoutMs'>> & { readonly callTimeoutMs: number | undefined };

export class CircuitBreaker {
  readonly name: string;
  readonly #clock: Clock;
  readonly #settings: Settings;
  #state: CircuitState = 'CLOSED';
  #outcomes: boolean[] = [];
  #permitsLeft = 0;
  #notPermitted = 0;
  #stateSince: number;
  // Results of calls that began before the last state change are ignored.
  #epoch = 0;

  constructor(name: string, clock: Clock, options: CircuitBreakerOptions = {}) {
    this.name = name;
    this.#clock = clock;
    this.#settings = toSettings(name, options);
    this.#stateSince = clock.now();
  }

  /**
   * Runs the call, or throws CircuitOpenError without running it. The signal is aborted at the timeout; the caller gets
   * its error then, whether or not the call heeds the signal.
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#admit();
    const epoch = this.#epoch;
    try {
      const answer = await this.#callInTime(call);
      this.#record(epoch, true);
      return answer;
    } catch (error) {
      this.#record(epoch, !this.#settings.isFailure(error));
      throw error;
    }
  }

  view(): CircuitBreakerView {
    this.#advance();
    const failedCalls = this.#failedCalls();
    const enough = this.#outcomes.length >= this.#callsToJudge();
    return {
      name: this.name,
      state: this.#state,
      failureRate: enough ? (failedCalls * 100) / this.#outcomes.length : -1,
      bufferedCalls: this.#outcomes.length,
      failedCalls,
      notPermittedCalls: this.#notPermitted,
    };
  }

  async #callInTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { callTimeoutMs } = this.#settings;
    if (callTimeoutMs === undefined) return await call(new AbortController().signal);
    return abortLate(callTimeoutMs, () => new CircuitTimeoutError(this.name, callTimeoutMs), call);
  }

  #admit(): void {
    this.#advance();
    if (this.#state === 'CLOSED') return;
    if (this.#state === 'HALF_OPEN' && this.#permitsLeft > 0) {
      this.#permitsLeft -= 1;
      return;
    }
    this.#notPermitted += 1;
    throw new CircuitOpenError(this.name, Math.max(1, this.#stateSince + this.#settings.openMs - this.#clock.now()));
  }

  // An open circuit becomes half-open after `openMs`. So does a half-open one whose probes never returned: it issues
  // new permits instead of staying open forever. A clock set back must not prolong this.
  #advance(): void {
    if (this.#state === 'CLOSED') return;
    const passedMs = this.#clock.now() - this.#stateSince;
    if (passedMs >= 0 && passedMs < this.#settings.openMs) return;
    if (this.#state === 'HALF_OPEN' && this.#permitsLeft > 0) return;
    this.#enter('HALF_OPEN');
  }

  #record(epoch: number, succeeded: boolean): void {
    if (epoch !== this.#epoch) return;
    this.#outcomes.push(succeeded);
    if (this.#outcomes.length > this.#settings.windowCalls) this.#outcomes.shift();
    if (this.#outcomes.length < this.#callsToJudge()) return;
    const rate = (this.#failedCalls() * 100) / this.#outcomes.length;
    if (rate >= this.#settings.failureRateThreshold) this.#enter('OPEN');
    else if (this.#state === 'HALF_OPEN') this.#enter('CLOSED');
  }

  #enter(state: CircuitState): void {
    // The counts that opened the circuit stay readable while it is open.
    if (state !== 'OPEN') this.#outcomes = [];
    if (state === 'CLOSED') this.#notPermitted = 0;
    this.#permitsLeft = state === 'HALF_OPEN' ? this.#settings.halfOpenCalls : 0;
    this.#state = state;
    this.#stateSince = this.#clock.now();
    this.#epoch += 1;
  }

  #callsToJudge(): number {
    return this.#state === 'HALF_OPEN' ? this.#settings.decidingCalls : this.#settings.minimumCalls;
  }

  #failedCalls(): number {
    return this.#outcomes.filter(succeeded => !succeeded).length;
  }
}

/** Wraps a call to an external service; rejects with CircuitOpenError while the circuit is open. */
export type Guard = <T>(call: () => Promise<T>) => Promise<T>;

export const unguarded: Guard = call => call();

export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #breakers = new Map<string, CircuitBreaker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Creates and registers a breaker. Names are unique. */
  add(name: string, options: CircuitBreakerOptions = {}): CircuitBreaker {
    if (this.#breakers.has(name)) throw new RangeError(`a circuit breaker named ${name} exists already`);
    const breaker = new CircuitBreaker(name, this.#clock, options);
    this.#breakers.set(name, breaker);
    return breaker;
  }

  guard(name: string, options: CircuitBreakerOptions = {}): Guard {
    const breaker = this.add(name, options);
    return call => breaker.run(call);
  }

  list(): CircuitBreakerView[] {
    return [...this.#breakers.values()].map(breaker => breaker.view());
  }
}

/** The CircuitOpenError among the causes of an error. */
export function findOpenCircuit(error: unknown): CircuitOpenError | undefined {
  let inner = error;
  for (let depth = 0; depth < 4 && inner instanceof Error; depth++) {
    if (inner instanceof CircuitOpenError) return inner;
    inner = inner.cause;
  }
  return undefined;
}

const toSettings = (name: string, options: CircuitBreakerOptions): Settings => {
  const halfOpenCalls = options.halfOpenCalls ?? Math.min(3, options.windowCalls ?? 20);
  const settings: Settings = {
    windowCalls: options.windowCalls ?? 20,
    minimumCalls: options.minimumCalls ?? Math.min(10, options.windowCalls ?? 20),
    failureRateThreshold: options.failureRateThreshold ?? 50,
    openMs: options.openMs ?? 30_000,
    halfOpenCalls,
    decidingCalls: options.decidingCalls ?? halfOpenCalls,
    callTimeoutMs: options.callTimeoutMs,
    isFailure: options.isFailure ?? (() => true),
  };
  const { windowCalls, minimumCalls, failureRateThreshold, openMs, decidingCalls } = settings;
  const sane =
    [windowCalls, minimumCalls, halfOpenCalls, decidingCalls].every(count => Number.isInteger(count) && count >= 1) &&
    Math.max(minimumCalls, halfOpenCalls) <= windowCalls &&
    decidingCalls <= halfOpenCalls &&
    failureRateThreshold > 0 &&
    failureRateThreshold <= 100 &&
    openMs > 0;
  if (!sane) throw new RangeError(`the settings of circuit breaker ${name} do not fit together`);
  return settings;
};
