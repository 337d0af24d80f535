// The sagas of this server: the job that drives them, the inline run for requests that wait for the end, the sweep, and
// the counters.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Db, Key } from '../db/tables.ts';
import { exponentialBackoff, type JobHandler, JobReschedule } from '../jobs/jobs.ts';
import type { Schedule } from '../jobs/schedules.ts';
import type { Log } from '../telemetry/log.ts';
import { driveSaga, findOpenSaga } from './drive.ts';
import type { SagaStatus } from './migrations.ts';
import { countSagas, findSagaJob, getSagaState, type SagaCounts, sweepSagas } from './queries.ts';
import { type Saga, type SagaState, sagaJobKind } from './saga.ts';

export type SagaOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sagas: readonly Saga[];
  /** The worker's `runNow`: true if the job ran to its end here. */
  readonly runJob: (id: Key) => Promise<boolean>;
  /** Lease of a saga, after which another server takes over; default 30. */
  readonly leaseSeconds?: number;
  /** Called once for each saga that ends here. */
  readonly observeEnd?: (status: SagaStatus, seconds: number) => void;
};

/** Running sagas on all servers; sagas that ended on this server since its start, by status. */
type SagaCounters = SagaCounts & { readonly ended: Readonly<Partial<Record<SagaStatus, number>>> };

export type Sagas = {
  /** Handlers and schedules for the worker. */
  readonly handlers: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  /**
   * Drives the saga now, or waits for the server that does, until it ends or waits for a retry; in the latter case the
   * status is still RUNNING or COMPENSATING and the worker continues. Call after the commit of its start.
   */
  runNow(id: Key, signal?: AbortSignal): Promise<SagaState>;
  counters(): Promise<SagaCounters>;
  /** Counts work that is usually a saga and was done in one transaction here. */
  countEnd(status: SagaStatus, seconds: number): void;
};

const day = 24 * 3600 * 1000;
const unknownKindSeconds = 60;
const sweepBatch = 1000;
/** A step cannot be cut short and resumed: to check a file of 1 TiB, it is read for hours. */
const longestSeconds = 24 * 3600;
/** The saga itself counts server crashes. */
const noLimit = Number.MAX_SAFE_INTEGER;

export function openSagas(options: SagaOptions): Sagas {
  const { db, observeEnd } = options;
  const totals: Partial<Record<SagaStatus, number>> = {};
  const ended = (status: SagaStatus, seconds: number) => {
    totals[status] = (totals[status] ?? 0) + 1;
    observeEnd?.(status, seconds);
  };
  return {
    handlers: [driveHandler(options, ended), sweepHandler(options)],
    schedules: [{ name: 'saga-sweep', everySeconds: 3600, jobKind: 'saga-sweep' }],
    runNow: (id, signal) => runNow(options, id, signal),
    counters: async () => ({ ...(await countSagas(db)), ended: { ...totals } }),
    countEnd: ended,
  };
}

function driveHandler(options: SagaOptions, ended: (status: SagaStatus, seconds: number) => void): JobHandler {
  const { db, clock, log } = options;
  const sagas = new Map(options.sagas.map(saga => [saga.kind, saga]));
  if (sagas.size !== options.sagas.length)
    throw new Error(`internal: two sagas have one of the kinds ${[...sagas.keys()].join(', ')}`);
  return {
    kind: sagaJobKind,
    leaseSeconds: options.leaseSeconds ?? 30,
    maxAttempts: noLimit,
    maxSeconds: longestSeconds,
    backoffSeconds: exponentialBackoff(5, 300),
    run: async job => {
      const row = await findOpenSaga(db, Number(job.payload.saga));
      if (!row) return;
      const saga = sagas.get(row.kind);
      if (!saga) throw new JobReschedule(unknownKindSeconds); // known to another version of the server
      await driveSaga({ db, clock, log, ended }, saga, job, row);
    },
  };
}

async function runNow({ db, runJob }: SagaOptions, id: Key, signal?: AbortSignal): Promise<SagaState> {
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 250)) {
    const job = await findSagaJob(db, id);
    if (!job || (await runJob(job.id)) || !(await findSagaJob(db, id))?.running) return getSagaState(db, id);
    await sleep(pauseMs, undefined, signal ? { signal } : {}); // another server runs it
  }
}

const sweepHandler = ({ db, clock }: SagaOptions): JobHandler => ({
  kind: 'saga-sweep',
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    const sweep = async (statuses: readonly SagaStatus[], keptDays: number) => {
      const batch = { before: clock.now() - keptDays * day, limit: sweepBatch };
      while (!signal.aborted && (await sweepSagas(db, statuses, batch)) === sweepBatch);
    };
    await sweep(['COMPLETED', 'ABORTED'], 7);
    await sweep(['FAILED'], 30);
  },
});
