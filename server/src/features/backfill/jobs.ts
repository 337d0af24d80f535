// What keeps backfills going by itself: a look for runs that are not over, and a job a run.
import { backfillModes } from '@recordproof/shared/api/backfill.ts';
import { localCall } from '../../platform/call.ts';
import { LeaseLost } from '../../platform/db/claim.ts';
import type { Key } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { appendAudit } from '../audit/index.ts';
import { runJobKind, toRunJob } from './run-job.ts';
import { holdRun, listRunnable, updateRun } from './run-queries.ts';
import type { Working } from './work-item.ts';
import { mayWorkOn, type WhichRun, workOnRun } from './work-run.ts';

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
      if (!job.signal.aborted) await noteFailure(server, which, job, error);
      throw error;
    }
  },
});

/** An outage of the database is told by nobody; what goes wrong again and again ends the run. */
async function noteFailure({ database, clock }: Working, which: WhichRun, { attempt }: JobRun, error: unknown) {
  if (attempt < common.maxAttempts) return;
  await database.db.transaction().execute(async tx => {
    const run = await holdRun(tx, database.kind, which.tenantId, which.runId);
    if (run === null || run.completed_at !== null) return;
    const now = clock.now();
    const failure = toErrorText(error).slice(0, 500);
    await updateRun(tx, run, { status: 'FAILED', failure, completed_at: now });
    const entry = {
      module: 'backfill',
      operation: 'end-run',
      description: `backfill run ${run.id} ended: FAILED`,
      param: { runId: run.id, failure },
    };
    await appendAudit(tx, localCall('backfill', run.tenant_id, now), entry, now);
  });
}

export const backfillJobs = (server: Working): JobHandler[] => [poll(server), workRun(server)];
