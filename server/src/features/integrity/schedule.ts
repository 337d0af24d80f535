// Checks that nobody asks for: at the times of the cron schedule, over every tenant, at a level drawn by its odds.
import type { CheckLevel } from '@recordproof/shared/api/integrity.ts';
import { localCall } from '../../platform/call.ts';
import { openCron } from '../../platform/jobs/cron.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { type Checking, checkAlone } from './check-files.ts';
import { lookJobKind } from './settle-alerts.ts';

const checkJobKind = 'integrity.check';
const longestSeconds = 24 * 3600;

/** A schedule of another cron is another schedule: the tick that the former one had set is not waited for. */
export const integritySchedules = ({ config }: Pick<Server, 'config'>): Schedule[] => {
  const { enabled, cron } = config.integrity;
  const look: Schedule = { name: lookJobKind, everySeconds: 60, jobKind: lookJobKind };
  if (!enabled) return [look];
  return [look, { name: `${checkJobKind} ${cron}`, nextAfter: openCron(cron), jobKind: checkJobKind }];
};

export const checkBySchedule = (server: Checking): JobHandler => ({
  kind: checkJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  maxSeconds: longestSeconds,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async ({ signal }) => {
    const { enabled, sampleRate, odds } = server.config.integrity;
    if (!enabled) return;
    for (const { id: tenantId } of await listTenants(server.database.db)) {
      signal.throwIfAborted();
      const call = localCall('integrity schedule', tenantId, server.clock.now());
      const level = drawLevel(odds, Math.random());
      const result = await checkAlone(server, call, { level, sampleRate, signal });
      if (result === null) server.log.info({ tenantId }, 'a scheduled integrity check was left out: one is under way');
      else server.log.info({ tenantId, ...result }, 'integrity was checked');
    }
  },
});

/** `draw` is at least 0 and less than 1. */
export function drawLevel({ medium, heavy }: Server['config']['integrity']['odds'], draw: number): CheckLevel {
  if (draw < heavy) return 'HEAVY';
  return draw < heavy + medium ? 'MEDIUM' : 'LIGHTWEIGHT';
}
