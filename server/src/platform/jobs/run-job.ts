// One run of a claimed job: renews its lease, provides its signal, and records the result under its fence.
import type { Clock } from '../clock.ts';
import { assertClaim, LeaseLost } from '../db/claim.ts';
import { Lease } from '../db/lease.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db } from '../db/tables.ts';
import { lacksSpace } from '../durable-files.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { continueTraces } from '../telemetry/traced.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { JobAbort, type JobHandler, JobReschedule, type JobRun, maxDeaths } from './jobs.ts';
import { type Claimed, finish, markDead, putBack } from './queries.ts';

export type RunContext = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly tracing?: Tracing | undefined;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Called with the time until a postponed job is due. */
  readonly dueAfter?: (milliseconds: number) => void;
  /** Called if a job failed, or its result could not be recorded, for lack of space. */
  readonly lackedSpace?: (job: Claimed) => void;
};

export type Outcome = 'done' | 'retry' | 'later' | 'dead' | 'lost' | 'released';

const defaultMaxSeconds = 3600;

/** Never throws: a result that cannot be recorded is left to the end of the lease. */
export async function runJob(context: RunContext, handler: JobHandler, job: Claimed): Promise<Outcome> {
  using limits = new RunLimits(context, handler, job);
  try {
    const result = await limits.guard(() => traceRun(context, handler, job, limits));
    if (!result.ok && lacksSpace(result.error)) context.lackedSpace?.(job);
    return await recordResult(context, handler, job, result);
  } catch (error) {
    if (lacksSpace(error)) context.lackedSpace?.(job);
    const level = context.stopping.aborted ? 'warn' : 'error'; // a stop does not wait for jobs that ignore the signal
    context.log[level]({ kind: job.kind, job: job.id, error: toErrorText(error) }, 'the end of a job was not written');
    return 'lost';
  }
}

/** For a run that a shutdown interrupts: other servers may claim the job at once, and the attempt does not count. */
export async function returnToQueue(
  { db, clock, log }: Pick<RunContext, 'db' | 'clock' | 'log'>,
  job: Claimed,
): Promise<void> {
  const about = { kind: job.kind, job: job.id };
  try {
    await putBack(db, job, { dueAt: clock.now(), attempt: job.attempt - 1 });
    log.warn(about, 'a job did not finish before shutdown and was released');
  } catch (error) {
    log.error({ ...about, error: toErrorText(error) }, 'failed to release a job; its lease will expire');
  }
}

type Result = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/** A failed run is a failed span, whatever happens to the job. */
async function traceRun(context: RunContext, handler: JobHandler, job: Claimed, limits: RunLimits): Promise<Result> {
  const run = async (): Promise<Result> => {
    const result = await attemptRun(context, handler, job, limits);
    if (!result.ok && !(result.error instanceof JobReschedule)) throw result.error;
    return result;
  };
  try {
    return await continueTraces(context.tracing, `job ${job.kind}`, [job.trace], run);
  } catch (error) {
    return { ok: false, error };
  }
}

async function attemptRun(
  { engine }: RunContext,
  handler: JobHandler,
  job: Claimed,
  limits: RunLimits,
): Promise<Result> {
  const limit = job.max_attempts ?? handler.maxAttempts;
  if (job.attempt > Math.max(limit, maxDeaths))
    return {
      ok: false,
      error: new JobAbort(
        `job ${job.id} (${job.kind}) was claimed ${job.attempt} times, and its last run did not finish, as after a crash of the server; check its log, then retry the job`,
      ),
    };
  try {
    await handler.run({
      id: job.id,
      payload: JSON.parse(job.payload) as JobRun['payload'],
      attempt: job.attempt,
      fence: job.fence,
      signal: limits.signal,
      keepLease: () => limits.lease.renew(),
      assertFence: tx => assertClaim(tx, engine, 'job', job),
    });
    return { ok: true };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Retry policy of a failed job. */
type Retrying = Pick<JobHandler, 'maxAttempts' | 'backoffSeconds' | 'sharesAttempts'>;

/** Records the result of a run. */
export async function recordResult(
  context: RunContext,
  handler: Retrying,
  job: Claimed,
  result: Result,
): Promise<Outcome> {
  const { db, clock, log, stopping, random } = context;
  const reported = (written: boolean, outcome: Outcome): Outcome => {
    if (written) return outcome;
    log.warn({ kind: job.kind, job: job.id }, 'a job finished after its lease had expired');
    return 'lost';
  };
  if (result.ok) return reported(await finish(db, job), 'done');
  const { error } = result;
  if (error instanceof LeaseLost) return reported(false, 'lost');
  const unused = job.attempt - 1;
  const { sharesAttempts } = handler;
  if (error instanceof JobReschedule) {
    const pauseMs = Math.round(error.seconds * 1000);
    const written = await putBack(db, job, { dueAt: clock.now() + pauseMs, attempt: unused });
    context.dueAfter?.(pauseMs);
    return reported(written, 'later');
  }
  if (stopping.aborted && !(error instanceof JobAbort)) {
    return reported(await putBack(db, job, { dueAt: clock.now(), attempt: unused, sharesAttempts }), 'released');
  }
  const lastError = toErrorText(error);
  const about = { kind: job.kind, job: job.id, attempt: job.attempt, error: lastError };
  if (error instanceof JobAbort || job.attempt >= (job.max_attempts ?? handler.maxAttempts)) {
    log.error(about, 'a job is dead: it failed for the last time');
    return reported(await markDead(db, job, lastError), 'dead');
  }
  log.warn(about, 'a job failed and will be retried');
  const pauseMs = handler.backoffSeconds(job.attempt) * 1000 * (0.8 + 0.4 * random());
  const dueAt = clock.now() + Math.round(pauseMs);
  return reported(await putBack(db, job, { dueAt, attempt: job.attempt, lastError, sharesAttempts }), 'retry');
}

/** Conditions that end a run early: shutdown, lost lease, time limit. */
class RunLimits implements Disposable {
  readonly #over = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  readonly lease: Lease;
  readonly signal: AbortSignal;

  constructor(
    { db, engine, clock, stopping }: RunContext,
    { leaseSeconds, maxSeconds = defaultMaxSeconds }: JobHandler,
    job: Claimed,
  ) {
    this.lease = new Lease({ db, engine, clock, leaseMs: leaseSeconds * 1000 }, { table: 'job', claim: job });
    this.signal = AbortSignal.any([stopping, this.lease.lost, this.#over.signal]);
    const tooLong = () => this.#over.abort(new Error(`took longer than ${maxSeconds} s`));
    this.#deadline = setTimeout(tooLong, Math.min(maxSeconds * 1000, 2 ** 31 - 1)).unref();
  }

  /** The result of the work, or the reason of its early end: a run that ignores the signal is abandoned. */
  async guard(work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    for (const over of [this.lease.lost, this.#over.signal])
      over.addEventListener('abort', () => resolve({ ok: false, error: over.reason }));
    return Promise.race([work(), promise]);
  }

  [Symbol.dispose](): void {
    this.lease[Symbol.dispose]();
    clearTimeout(this.#deadline);
  }
}
