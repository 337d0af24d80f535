// What keeps backfills going by itself: a look for runs that are not over, and a job a run.
import { backfillModes } from '@recordproof/shared/api/backfill.ts';
import { LeaseLost } from '../../platform/db/claim.ts';
import type { Key } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { failRun } from './fail-run.ts';
import { runJobKind, toRunJob } from './run-job.ts';
import { listRunnable } from './run-queries.ts';
import type { Working } from './work-item.ts';
import { mayWorkOn, workOnRun } from './work-run.ts';

const pollJobKind = 'backfill.poll';
const runsAtOnce = 100;
const longestSeconds = 24 * 3600;

const common = { leaseSeconds: 60, maxAttempts: 3, backoffSeconds: exponentialBackoff(5, 60) } as const;

export const pollSchedule = ({ config }: Pick<Server, 'config'>): Schedule => ({
  name: 'backfill',
  everySeconds: config.backfill.workerDelaySeconds,
  jobKind: pollJobKind,
});

const poll = ({ database, clock, config }: Working): JobHandler => ({
  kind: pollJobKind,
  ...common,
  run: async () => {
    const modes = backfillModes.filter(mode => mayWorkOn(config, mode));
    if (modes.length === 0) return;
    for (const run of await listRunnable(database.db, modes, runsAtOnce))
      await database.db.transaction().execute(tx => enqueue(tx, toRunJob(run), clock.now()));
  },
});

const workRun = (server: Working): JobHandler => ({
  kind: runJobKind,
  ...common,
  maxSeconds: longestSeconds,
  run: async job => {
    const which = { tenantId: job.payload.tenantId as Key, runId: job.payload.runId as Key };
    try {
      await workOnRun(server, which, job.signal);
    } catch (error) {
      if (error instanceof LeaseLost && !job.signal.aborted) return; // somebody else leads by now
      // An outage of the database is told by nobody; what goes wrong again and again ends the run.
      if (!job.signal.aborted && job.attempt >= common.maxAttempts) await failRun(server, which, error);
      throw error;
    }
  },
});

export const backfillJobs = (server: Working): JobHandler[] => [poll(server), workRun(server)];
