// Recovery from a clock that was ahead: leases and due times that are later than any wait are moved back once the clock
// is right, so that no work is delayed by the error.
import { sql } from 'kysely';
import { integer } from '../db/claim.ts';
import type { Db, Time } from '../db/tables.ts';
import type { JobHandler } from './jobs.ts';

type Leased = Pick<JobHandler, 'kind' | 'leaseSeconds'>;

/** Upper limit of retry pauses, and of leases other than those of jobs, which declare their own. */
export const longestPauseMs = 3600_000;
/** Maximum clock difference between servers. */
const skewMs = 60_000;

/** Corrects leases of running jobs, retry pauses of waiting ones, and creation times in the future. */
export async function correctJobTimes(db: Db, handlers: readonly Leased[], now: Time): Promise<void> {
  for (const [leaseSeconds, kinds] of Map.groupBy(handlers, handler => handler.leaseSeconds)) {
    const leaseMs = leaseSeconds * 1000;
    await db
      .updateTable('job')
      .set({ due_at: now + leaseMs })
      .where('state', '=', 'RUNNING')
      .where('due_at', '>', now + leaseMs + Math.max(leaseMs, skewMs))
      .where(
        'kind',
        'in',
        kinds.map(({ kind }) => kind),
      )
      .execute();
  }
  const waiting = db.updateTable('job').where('state', '=', 'WAITING');
  await waiting
    .set({ due_at: now })
    .where('fence', '>', 0)
    .where('due_at', '>', now + longestPauseMs)
    .execute();
  await waiting
    .set({ due_at: sql<number>`due_at - created_at + ${integer(now)}`, created_at: now })
    .where('created_at', '>', now + skewMs)
    .execute();
}
