// Does the jobs: claims what is due, runs some at once, and ticks the schedules. Woken after a commit, polling only as a
// fallback. Ending: `stop` aborts, waits, and gives back what is not finished.
import type { Clock } from '../clock.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key, Time } from '../db/tables.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace-context.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { pullInJobs } from './clock-jumps.ts';
import { Gathering } from './gathering.ts';
import type { JobHandler, SetHandler } from './jobs.ts';
import { Lanes, setSize } from './lanes.ts';
import { type Claimed, claimDue, claimOne, countJobs, type JobCounts, type Leases, retryNow } from './queries.ts';
import { giveBack, type Outcome, type RunContext, runJob } from './run-job.ts';
import { registerSchedules, type Schedule, tickSchedules } from './schedules.ts';
import { isOf, type Kinds, WantedKinds } from './wanted-kinds.ts';

export type WorkerOptions = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  readonly handlers: readonly JobHandler[];
  readonly setHandlers?: readonly SetHandler[];
  readonly schedules?: readonly Schedule[];
  /** How many jobs this server runs at once; 8 when left out. */
  readonly concurrency?: number;
  /** A second when left out. */
  readonly pollMs?: number;
  readonly random?: () => number;
};

/** Since the start of this server, and of all servers what waits now. */
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
  /** Begins and ends of whatever was done, so that `drain` sees what came and went while it looked elsewhere. */
  #moves = 0;
  readonly #ended: Record<Outcome, number> = { done: 0, retry: 0, later: 0, dead: 0, lost: 0, released: 0 };
  readonly #gathering = new Gathering(kinds => this.wake(kinds));
  readonly #wanted = new WantedKinds();
  /** By id, since there was room last; at most so many, the others come by themselves. */
  readonly #lackedSpace = new Map<Key, Claimed>();
  #claiming: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;
  /** On the clock of `performance.now()`, which does not jump. */
  #pulledInAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { handlers, setHandlers = [] } = options;
    this.#handlers = new Map(handlers.map(handler => [handler.kind, handler]));
    this.#setHandlers = new Map(setHandlers.map(handler => [handler.kind, handler]));
    const kinds = new Set([...this.#handlers.keys(), ...this.#setHandlers.keys()]);
    if (kinds.size !== handlers.length + setHandlers.length) throw new Error('two handlers for one kind of job');
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
      if (!this.#handlers.has(jobKind)) throw new Error(`nobody does the "${jobKind}" jobs of schedule "${name}"`);
    }
  }

  /** From now on jobs are done without being asked for. */
  start(): void {
    this.#poll ??= setInterval(() => void this.#turn(), this.#options.pollMs ?? defaultPollMs);
    void this.#turn();
  }

  /** Something may be due, of these kinds or of any: call after a commit that enqueued. Returns at once; many calls cost
   *  one look. */
  wake(kinds: Kinds = 'all'): void {
    if (this.#poll === undefined || this.#stopping.signal.aborted) return;
    this.#lanes.wake(kinds);
    if (kinds !== 'all' && [...kinds].every(kind => this.#lanes.has(kind))) return; // looked for where they are under way
    this.#wanted.add(kinds);
    this.#look();
  }

  /** The same for what nobody waits for: a set of it at a time. */
  wakePatiently(kinds: ReadonlySet<string>): void {
    if (this.#poll !== undefined && !this.#stopping.signal.aborted) this.#gathering.add(kinds);
  }

  /** Does everything that is due now and what that makes due, to the end. Throws when the database does. */
  async drain(): Promise<void> {
    await this.#register();
    await this.#pullIn();
    while (!this.#stopping.signal.aborted) {
      const movesBefore = this.#moves;
      let done = await this.#tick();
      done += (await this.#claimSome('all')).count;
      await this.#claiming; // what it has taken from the database runs only after it
      const ends = this.#underWay();
      if (ends.length > 0) await Promise.race(ends);
      else if (done === 0 && this.#moves === movesBefore && this.#claiming === undefined) return;
    }
  }

  /** Runs this one job here and now, and waits for its end. False when it is not due, or done elsewhere. */
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

  /** Running jobs are told to end and get the grace time; what is not finished then is given back for others. */
  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#poll);
    this.#gathering[Symbol.dispose]();
    this.#stopping.abort(new Error('the server stops'));
    await this.#claiming;
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, graceMs);
    await Promise.race([Promise.all(this.#underWay()), grace.promise]);
    clearTimeout(timer);
    const unfinished = [...this.#running];
    this.#running.clear();
    for (const { job } of unfinished) await giveBack(this.#options, job);
  }

  /** There is room again: what failed for lack of it is due now. */
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
      this.#options.log.error({ error: toErrorText(error) }, 'the schedules could not be read');
    }
    this.wake();
    await this.#claimOvertaken();
  }

  /** A flood of one kind fills all places, and what is due later stands behind it: a kind of which nothing runs here gets
   *  places of its own, some with each turn. */
  async #claimOvertaken(): Promise<void> {
    if (this.#running.size < this.#concurrency || this.#stopping.signal.aborted) return;
    const busy = new Set([...this.#running].map(({ job }) => job.kind));
    const handlers = new Map([...this.#handlers].filter(([kind]) => !busy.has(kind)));
    try {
      await this.#claimInto(overtakenPerTurn, handlers);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error({ error: toErrorText(error) }, 'overtaken jobs could not be claimed');
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
    await pullInJobs(db, [...handlers, ...setHandlers], clock.now());
  }

  /** For what is due before the next turn: whoever keeps a pace by waiting keeps it to the millisecond. */
  #wakeAfter(pauseMs: number): void {
    if (pauseMs < (this.#options.pollMs ?? defaultPollMs)) setTimeout(() => this.wake(), pauseMs + 1).unref();
  }

  #look(): void {
    if (this.#poll === undefined || this.#stopping.signal.aborted) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#wanted.isAny && this.#running.size < this.#concurrency) this.#look(); // woken while it ended
    });
  }

  async #claim(): Promise<void> {
    try {
      while (this.#wanted.isAny && !this.#stopping.signal.aborted) {
        const isFull = this.#running.size >= this.#concurrency;
        const wanted = this.#wanted.take();
        const { isMore } = await this.#claimSome(wanted);
        if (isMore || isFull) this.#wanted.add(wanted);
        if (isFull && !isMore) return; // whichever job ends first looks again
      }
    } catch (error) {
      this.#wanted.take();
      this.#options.log.error({ error: toErrorText(error) }, 'jobs could not be claimed; the next turn tries again');
    }
  }

  /** As many as there are free places; without any only of the kinds that are done in sets, which need none. */
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
    // What its end starts belongs to nobody's trace.
    const ended = withTrace(undefined, () => runJob(context, handler, job)).then(outcome => {
      this.#ended[outcome] += 1;
      this.#moves += 1;
      this.#running.delete(running);
      if (this.#wanted.isAny) this.#look();
    });
    const running: Running = { job, ended };
    this.#moves += 1;
    this.#running.add(running);
  }
}

export const openWorker = (options: WorkerOptions): Worker => new Worker(options);
