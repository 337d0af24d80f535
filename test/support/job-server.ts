// A server with one kind of job and a fixed clock, for the suites about jobs.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { findDeadJobs } from '@recordproof/server/platform/jobs/dead-jobs.ts';
import {
  enqueue,
  exponentialBackoff,
  type JobHandler,
  type JobRun,
  type NewJob,
} from '@recordproof/server/platform/jobs/jobs.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import type { Claimed } from '@recordproof/server/platform/jobs/queries.ts';
import { openWorker, type WorkerOptions } from '@recordproof/server/platform/jobs/worker.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { movableClock } from './clock.ts';
import { effectMigrations } from './effects.ts';

export const jobTestMigrations = [...jobMigrations, ...effectMigrations];
export const minute = 60_000;

/** Dead jobs, the newest first. */
export const listDead = async (db: Db): Promise<Claimed[]> =>
  (await findDeadJobs(db, { owner: 'installation' }, { page: 1, size: 100 })).rows;

export const handler = (run: JobHandler['run'], more: Partial<JobHandler> = {}): JobHandler => ({
  kind: 'note',
  leaseSeconds: 30,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(10, 60),
  run,
  ...more,
});

/** Its clock and its worker; `add` enqueues one job in a transaction of its own. */
export function openServer(db: Db, engine: Engine, run: JobHandler['run'], more: Partial<WorkerOptions> = {}) {
  const clock = movableClock();
  const worker = openWorker({
    db,
    engine,
    clock,
    log: silentLog,
    handlers: [handler(run)],
    random: () => 0.5,
    ...more,
  });
  const add = (job: Partial<NewJob> = {}) =>
    db.transaction().execute(tx => enqueue(tx, { kind: 'note', ...job }, clock.now()));
  return { clock, worker, add };
}

/** Ignores the signal; ends when told to. */
export function stubbornRun() {
  const started = Promise.withResolvers<JobRun>();
  const end = Promise.withResolvers<void>();
  const run = async (job: JobRun) => {
    started.resolve(job);
    await end.promise;
  };
  return { run, started: started.promise, end: end.resolve };
}
