// Does the jobs: claims what is due, runs some at once, ticks the schedules and turns the pumps. Woken after a commit,
// polling only as a fallback. Ending: `stop` aborts, waits, and gives back what is not finished.
import type { Clock } from '../clock.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key } from '../db/tables.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { JobHandler } from './jobs.ts';
import { type Claimed, claimDue, claimOne, countJobs, type JobCounts, putBack } from './queries.ts';
import { type Outcome, type RunContext, runJob } from './run-job.ts';
import { registerSchedules, type Schedule, tickSchedules } from './schedules.ts';

/** Other rows that wait to be worked off, such as the outbox. */
export type Pump = {
  readonly name: string;
  /** Handles one batch of what is due and says how many. Called again until that is none. */
  run(signal: AbortSignal): Promise<number>;
};

export type WorkerOptions = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: readonly JobHandler[];
  readonly schedules?: readonly Schedule[];
  readonly pumps?: readonly Pump[];
  /** How many jobs this server runs at once; 8 when left out. */
  readonly concurrency?: number;
  /** A second when left out. */
  readonly pollMs?: number;
  readonly random?: () => number;
};

/** Since the start of this server, and of all servers what waits now. */
export type JobCounters = JobCounts & { readonly here: number; readonly ended: Readonly<Record<Outcome, number>> };

const overtakenPerTurn = 4;

type Running = { readonly job: Claimed; readonly ended: Promise<void> };

export class Worker {
  readonly #options: WorkerOptions;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #schedules: readonly Schedule[];
  readonly #concurrency: number;
  readonly #running = new Set<Running>();
  readonly #pumping = new Map<Pump, Promise<void>>();
  readonly #wantedPumps = new Set<Pump>();
  readonly #stopping = new AbortController();
  readonly #ended: Record<Outcome, number> = { done: 0, retry: 0, later: 0, dead: 0, lost: 0, released: 0 };
  #wanted = false;
  #claiming: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#handlers = new Map(options.handlers.map(handler => [handler.kind, handler]));
    if (this.#handlers.size !== options.handlers.length) throw new Error('two handlers for one kind of job');
    this.#schedules = options.schedules ?? [];
    this.#concurrency = options.concurrency ?? 8;
    for (const { name, jobKind } of this.#schedules) {
      if (!this.#handlers.has(jobKind)) throw new Error(`nobody does the "${jobKind}" jobs of schedule "${name}"`);
    }
  }

  /** From now on jobs are done without being asked for. */
  start(): void {
    this.#poll ??= setInterval(() => void this.#turn(), this.#options.pollMs ?? 1000);
    void this.#turn();
  }

  /** Something may be due: call after a commit that enqueued. Returns at once; many calls cost one look. */
  wake(): void {
    if (this.#poll === undefined || this.#stopping.signal.aborted) return;
    this.#wanted = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#wanted && this.#running.size < this.#concurrency) this.wake(); // woken while it ended
    });
    for (const pump of this.#options.pumps ?? []) this.#turnPump(pump);
  }

  /** Does everything that is due now and what that makes due, to the end. Throws when the database does. */
  async drain(): Promise<void> {
    await this.#register();
    while (!this.#stopping.signal.aborted) {
      let done = await tickSchedules(this.#options.db, this.#schedules, this.#options.clock);
      for (const pump of this.#options.pumps ?? []) done += await pump.run(this.#stopping.signal);
      done += await this.#claimInto(this.#concurrency - this.#running.size);
      await this.#claiming; // what it has taken from the database runs only after it
      await Promise.all(this.#pumping.values());
      if (this.#running.size > 0) await Promise.race([...this.#running].map(({ ended }) => ended));
      else if (done === 0) return;
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
    this.#stopping.abort(new Error('the server stops'));
    await this.#claiming;
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, graceMs);
    const ends = [...[...this.#running].map(({ ended }) => ended), ...this.#pumping.values()];
    await Promise.race([Promise.all(ends), grace.promise]);
    clearTimeout(timer);
    const unfinished = [...this.#running];
    this.#running.clear();
    for (const { job } of unfinished) await this.#giveBack(job);
  }

  async counters(): Promise<JobCounters> {
    const counts = await countJobs(this.#options.db, this.#options.clock.now());
    return { ...counts, here: this.#running.size, ended: { ...this.#ended } };
  }

  async #giveBack(job: Claimed): Promise<void> {
    const { db, clock, log } = this.#options;
    const about = { kind: job.kind, job: job.id };
    try {
      await putBack(db, job, { dueAt: clock.now(), attempt: job.attempt - 1 });
      log.warn(about, 'a job did not end in time and was given back');
    } catch (error) {
      log.error({ ...about, error: toErrorText(error) }, 'a job could not be given back; its lease will end');
    }
  }

  async #turn(): Promise<void> {
    try {
      await this.#register();
      await tickSchedules(this.#options.db, this.#schedules, this.#options.clock);
    } catch (error) {
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
      this.#options.log.error({ error: toErrorText(error) }, 'overtaken jobs could not be claimed');
    }
  }

  #register(): Promise<void> {
    const { db, clock } = this.#options;
    this.#registered ??= registerSchedules(db, this.#schedules, clock.now()).catch(error => {
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  async #claim(): Promise<void> {
    try {
      while (this.#wanted && !this.#stopping.signal.aborted) {
        const free = this.#concurrency - this.#running.size;
        if (free <= 0) return; // whichever job ends first looks again
        this.#wanted = false;
        if ((await this.#claimInto(free)) === free) this.#wanted = true;
      }
    } catch (error) {
      this.#wanted = false;
      this.#options.log.error({ error: toErrorText(error) }, 'jobs could not be claimed; the next turn tries again');
    }
  }

  async #claimInto(free: number, handlers = this.#handlers): Promise<number> {
    if (free <= 0) return 0;
    const claimed = await claimDue({ ...this.#options, handlers }, free, this.#options.clock.now());
    for (const job of claimed) this.#begin(job);
    return claimed.length;
  }

  #begin(job: Claimed): void {
    const handler = this.#handlers.get(job.kind);
    if (!handler) throw new Error(`a job of the unknown kind "${job.kind}" was claimed`);
    const context: RunContext = {
      ...this.#options,
      stopping: this.#stopping.signal,
      random: this.#options.random ?? Math.random,
    };
    const ended = runJob(context, handler, job).then(outcome => {
      this.#ended[outcome] += 1;
      this.#running.delete(running);
      if (this.#wanted) this.wake();
    });
    const running: Running = { job, ended };
    this.#running.add(running);
  }

  #turnPump(pump: Pump): void {
    this.#wantedPumps.add(pump);
    if (this.#pumping.has(pump)) return;
    const turning = this.#runPump(pump).finally(() => {
      this.#pumping.delete(pump);
      if (this.#wantedPumps.has(pump)) this.wake(); // woken while it ended
    });
    this.#pumping.set(pump, turning);
  }

  async #runPump(pump: Pump): Promise<void> {
    try {
      while (this.#wantedPumps.delete(pump) && !this.#stopping.signal.aborted) {
        if ((await pump.run(this.#stopping.signal)) > 0) this.#wantedPumps.add(pump);
      }
    } catch (error) {
      this.#options.log.error({ pump: pump.name, error: toErrorText(error) }, 'a pump stopped until the next turn');
    }
  }
}

export const openWorker = (options: WorkerOptions): Worker => new Worker(options);
