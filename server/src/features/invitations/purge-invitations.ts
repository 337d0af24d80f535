// Deletion of ended invitations after a retention period, because they contain mail addresses.
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { deleteEndedInvitations } from './queries.ts';

const kind = 'invitations.purge';
const keptMs = 90 * 86_400_000;

export const purgeSchedule: Schedule = { name: kind, everySeconds: 86_400, jobKind: kind };

export const purgeInvitations = ({ database, clock, log }: Pick<Server, 'database' | 'clock' | 'log'>): JobHandler => ({
  kind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async () => {
    const invitations = await deleteEndedInvitations(database.db, clock.now() - keptMs);
    if (invitations > 0) log.info({ invitations }, 'deleted expired invitations');
  },
});
