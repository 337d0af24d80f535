// Job worker: claims due jobs, runs several at once, and ticks the schedules. It is woken after commits; polling is the
// fallback. `stop` aborts running jobs, waits, and returns unfinished ones to the queue.
import type { Clock } from '../clock.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key, Time } from '../db/tables.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace-context.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { within } from '../within.ts';
import { correctJobTimes } from './clock-jumps.ts';
import type { JobHandler, SetHandler } from './jobs.ts';
import { Lanes, setSize } from './lanes.ts';
import { type Claimed, claimDue, claimOne, countJobs, type JobCounts, type Leases, retryNow } from './queries.ts';
import { type Outcome, type RunContext, returnToQueue, runJob } from './run-job.ts';
import { registerSchedules, type Schedule, tickSchedules } from './schedules.ts';
import { CoalescedWakeUps, isOf, type Kinds, PendingKinds } from './wake-ups.ts';

export type WorkerOptions = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  readonly handlers: readonly JobHandler[];
  readonly setHandlers?: readonly SetHandler[];
  readonly schedules?: readonly Schedule[];
  /** Jobs that this server runs at once; default 8. */
  readonly concurrency?: number;
  /** Default: one second. */
  readonly pollMs?: number;
  readonly random?: () => number;
};

/** Results on this server since its start, and the queue across all servers. */
type JobCounters = JobCounts & { readonly here: number; readonly ended: Readonly<Record<Outcome, number>> };

const overtakenPerTurn = 4;
const mostLackingSpace = 1000;
const pullInEveryMs = 30_000;
const defaultPollMs = 1000;

type Running = { readonly job: Claimed; readonly ended: Promise<void> };

export class Worker {
  readonly #options: WorkerOptions;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #setHandlers: ReadonlyMap<string, SetHandler>;
  readonly #schedules: readonly Schedule[];
  readonly #concurrency: number;
  readonly #startedAt: Time;
  readonly #running = new Set<Running>();
  readonly #lanes: Lanes;
  readonly #stopping = new AbortController();
  /** Counts begins and ends, so that `drain` notices work that came and went meanwhile. */
  #moves = 0;
  readonly #ended: Record<Outcome, number> = { done: 0, retry: 0, later: 0, dead: 0, lost: 0, released: 0 };
  readonly #coalesced = new CoalescedWakeUps(kinds => this.wake(kinds));
  readonly #pendingKinds = new PendingKinds();
  /** Jobs that failed for lack of space, by id; bounded, the rest is retried by its own pause. */
  readonly #lackedSpace = new Map<Key, Claimed>();
  #claiming: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;
  /** By `performance.now()`, which does not jump. */
  #pulledInAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { handlers, setHandlers = [] } = options;
    this.#handlers = new Map(handlers.map(handler => [handler.kind, handler]));
    this.#setHandlers = new Map(setHandlers.map(handler => [handler.kind, handler]));
    const kinds = new Set([...this.#handlers.keys(), ...this.#setHandlers.keys()]);
    if (kinds.size !== handlers.length + setHandlers.length)
      throw new Error(`internal: two handlers for one of the job kinds ${[...kinds].join(', ')}`);
    this.#schedules = options.schedules ?? [];
    this.#concurrency = options.concurrency ?? 8;
    this.#startedAt = options.clock.now();
    this.#lanes = new Lanes({
      ...options,
      stopping: this.#stopping.signal,
      claim: handler => this.#claimDue(setSize, new Map([[handler.kind, handler]])),
      onMove: () => {
        this.#moves += 1;
      },
    });
    for (const { name, jobKind } of this.#schedules) {
      if (!this.#handlers.has(jobKind)) throw new Error(`schedule "${name}": no handler for its job kind "${jobKind}"`);
    }
  }

  /** Starts polling. */
  start(): void {
    this.#poll ??= setInterval(() => void this.#turn(), this.#options.pollMs ?? defaultPollMs);
    void this.#turn();
  }

  /**
   * Claims due jobs of these kinds, or of any: call after a commit that enqueued. Returns at once; concurrent calls are
   * coalesced.
   */
  wake(kinds: Kinds = 'all'): void {
    if (this.#poll === undefined || this.#stopping.signal.aborted) return;
    this.#lanes.wake(kinds);
    if (kinds !== 'all' && [...kinds].every(kind => this.#lanes.has(kind))) return; // their lanes claim again
    this.#pendingKinds.add(kinds);
    this.#startClaiming();
  }

  /** Like `wake`, for background work: coalesced. */
  wakeCoalesced(kinds: ReadonlySet<string>): void {
    if (this.#poll !== undefined && !this.#stopping.signal.aborted) this.#coalesced.add(kinds);
  }

  /** Runs everything that is due, and what becomes due by it, to the end. Throws if the database does. */
  async drain(): Promise<void> {
    await this.#register();
    await this.#pullIn();
    while (!this.#stopping.signal.aborted) {
      const movesBefore = this.#moves;
      let done = await this.#tick();
      done += (await this.#claimSome('all')).count;
      await this.#claiming; // its jobs start only afterwards
      const ends = this.#underWay();
      if (ends.length > 0) await Promise.race(ends);
      else if (done === 0 && this.#moves === movesBefore && this.#claiming === undefined) return;
    }
  }

  /** Runs this job now and waits for its end. False if it is not due, or another server runs it. */
  async runNow(id: Key): Promise<boolean> {
    const find = () => [...this.#running].find(({ job }) => job.id === id);
    if (!find() && !this.#stopping.signal.aborted) {
      const job = await claimOne({ ...this.#options, handlers: this.#handlers }, id, this.#options.clock.now());
      if (job) this.#begin(job);
    }
    const running = find();
    await running?.ended;
    return running !== undefined;
  }

  /** Aborts running jobs and waits for the grace period; unfinished jobs are returned to the queue. */
  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#poll);
    this.#coalesced[Symbol.dispose]();
    this.#stopping.abort(new Error('the server stops'));
    await this.#claiming;
    await within(graceMs, Promise.all(this.#underWay()));
    const unfinished = [...this.#running];
    this.#running.clear();
    for (const { job } of unfinished) await returnToQueue(this.#options, job);
  }

  /** Call when there is space again: jobs that failed for lack of it become due. */
  async retryLackingSpace(): Promise<void> {
    const jobs = [...this.#lackedSpace.values()];
    if (jobs.length === 0 || this.#stopping.signal.aborted) return;
    this.#lackedSpace.clear();
    await retryNow(this.#options.db, jobs, this.#options.clock.now());
    this.wake();
  }

  async counters(): Promise<JobCounters> {
    const counts = await countJobs(this.#options.db, this.#options.clock.now());
    return { ...counts, here: this.#running.size, ended: { ...this.#ended } };
  }

  #underWay(): Promise<void>[] {
    return [...[...this.#running].map(({ ended }) => ended), ...this.#lanes.ends()];
  }

  async #turn(): Promise<void> {
    try {
      await this.#register();
      if (performance.now() > this.#pulledInAt + pullInEveryMs) await this.#pullIn();
      await this.#tick();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error({ error: toErrorText(error) }, 'failed to read the job schedules');
    }
    this.wake();
    await this.#claimOvertaken();
  }

  /**
   * Prevents starvation: if one kind fills all slots, kinds without a running job get additional slots, a few per turn.
   */
  async #claimOvertaken(): Promise<void> {
    if (this.#running.size < this.#concurrency || this.#stopping.signal.aborted) return;
    const busy = new Set([...this.#running].map(({ job }) => job.kind));
    const handlers = new Map([...this.#handlers].filter(([kind]) => !busy.has(kind)));
    try {
      await this.#claimInto(overtakenPerTurn, handlers);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error({ error: toErrorText(error) }, 'failed to claim delayed jobs');
    }
  }

  #tick(): Promise<number> {
    const { db, clock } = this.#options;
    return tickSchedules(db, { schedules: this.#schedules, clock, startedAt: this.#startedAt });
  }

  #register(): Promise<void> {
    const { db, clock } = this.#options;
    this.#registered ??= registerSchedules(db, this.#schedules, clock.now()).catch(error => {
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  async #pullIn(): Promise<void> {
    const { db, clock, handlers, setHandlers = [] } = this.#options;
    this.#pulledInAt = performance.now();
    await correctJobTimes(db, [...handlers, ...setHandlers], clock.now());
  }

  /** For jobs due before the next poll, so that their pause is exact to the millisecond. */
  #wakeAfter(pauseMs: number): void {
    if (pauseMs < (this.#options.pollMs ?? defaultPollMs)) setTimeout(() => this.wake(), pauseMs + 1).unref();
  }

  #startClaiming(): void {
    if (this.#poll === undefined || this.#stopping.signal.aborted) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#pendingKinds.isAny && this.#running.size < this.#concurrency) this.#startClaiming(); // woken meanwhile
    });
  }

  async #claim(): Promise<void> {
    try {
      while (this.#pendingKinds.isAny && !this.#stopping.signal.aborted) {
        const isFull = this.#running.size >= this.#concurrency;
        const kinds = this.#pendingKinds.take();
        const { isMore } = await this.#claimSome(kinds);
        if (isMore || isFull) this.#pendingKinds.add(kinds);
        if (isFull && !isMore) return; // the next job that ends claims again
      }
    } catch (error) {
      this.#pendingKinds.take();
      this.#options.log.error({ error: toErrorText(error) }, 'failed to claim jobs; retrying at the next poll');
    }
  }

  /** Claims up to the free slots; without any, only jobs in sets, which need none. */
  async #claimSome(kinds: Kinds): Promise<{ count: number; isMore: boolean }> {
    const free = this.#concurrency - this.#running.size;
    const idle = [...this.#setHandlers].filter(([kind]) => !this.#lanes.has(kind));
    const takers: [string, JobHandler | SetHandler][] = free > 0 ? [...this.#handlers, ...idle] : idle;
    const handlers = new Map(takers.filter(([kind]) => isOf(kinds, kind)));
    const limit = free > 0 ? free : setSize;
    const count = await this.#claimInto(limit, handlers);
    return { count, isMore: count === limit };
  }

  async #claimInto(limit: number, handlers: Leases): Promise<number> {
    const claimed = await this.#claimDue(limit, handlers);
    for (const [kind, jobs] of Map.groupBy(claimed, job => job.kind)) {
      const setHandler = this.#setHandlers.get(kind);
      if (setHandler) this.#lanes.begin(setHandler, jobs, claimed.length === limit);
      else for (const job of jobs) this.#begin(job);
    }
    return claimed.length;
  }

  #claimDue(limit: number, handlers: Leases): Promise<Claimed[]> {
    return claimDue({ ...this.#options, handlers }, limit, this.#options.clock.now());
  }

  #begin(job: Claimed): void {
    const handler = this.#handlers.get(job.kind);
    if (!handler) throw new Error(`a job of the unknown kind "${job.kind}" was claimed`);
    const context: RunContext = {
      ...this.#options,
      stopping: this.#stopping.signal,
      random: this.#options.random ?? Math.random,
      dueAfter: pauseMs => this.#wakeAfter(pauseMs),
      lackedSpace: failed => {
        if (this.#lackedSpace.size < mostLackingSpace) this.#lackedSpace.set(failed.id, failed);
      },
    };
    // Work that its end triggers belongs to no trace.
    const ended = withTrace(undefined, () => runJob(context, handler, job)).then(outcome => {
      this.#ended[outcome] += 1;
      this.#moves += 1;
      this.#running.delete(running);
      if (this.#pendingKinds.isAny) this.#startClaiming();
    });
    const running: Running = { job, ended };
    this.#moves += 1;
    this.#running.add(running);
  }
}

export const openWorker = (options: WorkerOptions): Worker => new Worker(options);
