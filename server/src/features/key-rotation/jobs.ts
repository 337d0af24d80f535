// What keeps rotation going by itself: a poll over tenants with work and over schedules that are due, and a job a run.
import { localCall } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler, JobLater } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { listDuePolicies, listRunnable, type PolicyRow, updatePolicy } from './queries.ts';
import { runJobKind, toRunJob } from './run-job.ts';
import { startRun } from './start-run.ts';
import { type Working, workOnRun } from './work-run.ts';

const pollJobKind = 'key-rotation.poll';

const common = { leaseSeconds: 60, maxAttempts: 5, backoffSeconds: exponentialBackoff(2, 60) } as const;

export const pollSchedule = ({ config }: Pick<Server, 'config'>): Schedule => ({
  name: 'key-rotation',
  everySeconds: config.keyRotation.pollMs / 1000,
  firstAfterSeconds: config.keyRotation.initialDelayMs / 1000,
  jobKind: pollJobKind,
});

const workRun = (server: Working): JobHandler => ({
  kind: runJobKind,
  ...common,
  run: async ({ payload, signal }) => {
    if (!server.config.keyRotation.enabled) return;
    const which = { tenantId: payload.tenantId as Key, runId: payload.runId as Key };
    const until = await workOnRun(server, which, signal);
    if (until !== null) throw new JobLater(Math.max(0, until - server.clock.now()) / 1000);
  },
});

const poll = (server: Working): JobHandler => ({
  kind: pollJobKind,
  ...common,
  run: async () => {
    const { enabled, maxTenantsPerPoll } = server.config.keyRotation;
    if (!enabled) return;
    const { db } = server.database;
    for (const policy of await listDuePolicies(db, server.clock.now(), maxTenantsPerPoll))
      await startScheduled(server, policy);
    for (const run of await listRunnable(db, maxTenantsPerPoll))
      await db.transaction().execute((tx: Tx) => enqueue(tx, toRunJob(run), server.clock.now()));
  },
});

/** One that cannot begin, because another is not finished, is left out. */
async function startScheduled(server: Working, policy: PolicyRow): Promise<void> {
  const now = server.clock.now();
  const call = localCall('key-rotation schedule', policy.tenant_id, now);
  const wish = { mode: 'APPLY', requestId: `schedule-${policy.version}-${policy.next_run_at}` } as const;
  await startRun(server, call, wish).catch(error =>
    server.log.warn(
      { tenantId: policy.tenant_id, error: toErrorText(error) },
      'a scheduled key rotation did not begin',
    ),
  );
  const next = now + (policy.schedule_interval_seconds ?? 0) * 1000;
  await server.database.db.transaction().execute(tx => updatePolicy(tx, policy.id, { next_run_at: next }));
}

export const keyRotationJobs = (server: Working): JobHandler[] => [poll(server), workRun(server)];
