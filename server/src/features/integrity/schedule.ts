// Checks that nobody asks for: at the times of the cron schedule, over every tenant, at a level drawn by its odds.
import type { CheckLevel } from '@recordproof/shared/api/integrity.ts';
import { localCall } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { openCron } from '../../platform/jobs/cron.ts';
import { enqueue, exponentialBackoff, type JobHandler, JobLater } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { findLockEnd } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { type Checking, checkAlone, toLockName } from './check-files.ts';
import { lookJobKind } from './settle-alerts.ts';

const checkJobKind = 'integrity.check';
const tenantJobKind = 'integrity.check-tenant';
const longestSeconds = 24 * 3600;

/** A schedule of another cron is another schedule: the tick that the former one had set is not waited for. */
export const integritySchedules = ({ config }: Pick<Server, 'config'>): Schedule[] => {
  const { enabled, cron } = config.integrity;
  const look: Schedule = { name: lookJobKind, everySeconds: 60, jobKind: lookJobKind };
  if (!enabled) return [look];
  return [look, { name: `${checkJobKind} ${cron}`, nextAfter: openCron(cron), jobKind: checkJobKind }];
};

/** A job for each tenant: one whose lock is held does not keep the others waiting. */
const checkBySchedule = ({ database, clock, config }: Checking): JobHandler => ({
  kind: checkJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
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

/** Whoever holds the lock lives and is at it, or is dead: at the end of the lock the check comes again. */
const checkTenant = (server: Checking): JobHandler => ({
  kind: tenantJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  maxSeconds: longestSeconds,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async ({ payload, signal }) => {
    const { config, database, clock, log } = server;
    const { enabled, sampleRate } = config.integrity;
    if (!enabled) return;
    const { tenantId, level } = payload as { readonly tenantId: Key; readonly level: CheckLevel };
    const call = localCall('integrity schedule', tenantId, clock.now());
    const result = await checkAlone(server, call, { level, sampleRate, signal });
    if (result === null) {
      const waitMs = (await findLockEnd(database.db, toLockName(tenantId))) - clock.now();
      log.info({ tenantId }, 'a scheduled integrity check waits: another one is under way');
      throw new JobLater(Math.max(1, waitMs / 1000));
    }
    log.info({ tenantId, ...result }, 'integrity was checked');
  },
});

export const integrityCheckJobs = (server: Checking): JobHandler[] => [checkBySchedule(server), checkTenant(server)];

/** `draw` is at least 0 and less than 1. */
export function drawLevel({ medium, heavy }: Server['config']['integrity']['odds'], draw: number): CheckLevel {
  if (draw < heavy) return 'HEAVY';
  return draw < heavy + medium ? 'MEDIUM' : 'LIGHTWEIGHT';
}
