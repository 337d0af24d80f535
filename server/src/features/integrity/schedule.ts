// Scheduled checks: by cron, over every tenant, at a randomly drawn level.
import type { CheckLevel } from '@recordproof/shared/api/integrity.ts';
import { localCall } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { openCron } from '../../platform/jobs/cron.ts';
import { enqueue, exponentialBackoff, type JobHandler, JobReschedule } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { findLockEnd } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { type Checking, checkAlone, toLockName } from './check-files.ts';
import { healCheckJobKind } from './resolve-alerts.ts';

const checkJobKind = 'integrity.check';
const tenantJobKind = 'integrity.check-tenant';
const longestSeconds = 24 * 3600;

/** The schedule's name contains the cron expression, so that a change does not wait for the old next tick. */
export const integritySchedules = ({ config }: Pick<Server, 'config'>): Schedule[] => {
  const { enabled, cron } = config.integrity;
  const healCheck: Schedule = { name: healCheckJobKind, everySeconds: 60, jobKind: healCheckJobKind };
  if (!enabled) return [healCheck];
  return [healCheck, { name: `${checkJobKind} ${cron}`, nextAfter: openCron(cron), jobKind: checkJobKind }];
};

const retries = { leaseSeconds: 120, maxAttempts: 3, backoffSeconds: exponentialBackoff(60, 600) } as const;

/** One job per tenant: a tenant whose lock is held does not delay the others. */
const checkBySchedule = ({ database, clock, config }: Checking): JobHandler => ({
  kind: checkJobKind,
  ...retries,
  run: async () => {
    const { enabled, odds } = config.integrity;
    if (!enabled) return;
    const tenants = await listTenants(database.db);
    await database.db.transaction().execute(async tx => {
      for (const { id: tenantId } of tenants) {
        const payload = { tenantId, level: drawLevel(odds, Math.random()) };
        await enqueue(tx, { kind: tenantJobKind, payload, uniqueKey: String(tenantId).padStart(16, '0') }, clock.now());
      }
    });
  },
});

/** The lock's owner is checking, or has crashed: the check is retried when the lock expires. */
const checkTenant = (server: Checking): JobHandler => ({
  kind: tenantJobKind,
  ...retries,
  maxSeconds: longestSeconds,
  run: async ({ payload, signal }) => {
    const { config, database, clock, log } = server;
    const { enabled, sampleRate } = config.integrity;
    if (!enabled) return;
    const { tenantId, level } = payload as { readonly tenantId: Key; readonly level: CheckLevel };
    const call = localCall('integrity schedule', tenantId, clock.now());
    const result = await checkAlone(server, call, { level, sampleRate, signal });
    if (result === null) {
      const waitMs = (await findLockEnd(database.db, toLockName(tenantId))) - clock.now();
      log.info({ tenantId }, 'skipped a scheduled integrity check: another one is running');
      throw new JobReschedule(Math.max(1, waitMs / 1000));
    }
    log.info({ tenantId, ...result }, 'finished an integrity check');
  },
});

export const integrityCheckJobs = (server: Checking): JobHandler[] => [checkBySchedule(server), checkTenant(server)];

/** `draw` is at least 0 and less than 1. */
export function drawLevel({ medium, heavy }: Server['config']['integrity']['odds'], draw: number): CheckLevel {
  if (draw < heavy) return 'HEAVY';
  return draw < heavy + medium ? 'MEDIUM' : 'LIGHTWEIGHT';
}
