// What a clock that was ahead has left behind: leases and times that lie further off than anything waits. Once the clock
// stands right again they are pulled in, so that nothing stands still for as long as the clock was wrong.
import { sql } from 'kysely';
import { integer } from '../db/claim.ts';
import type { Db, Time } from '../db/tables.ts';
import type { JobHandler } from './jobs.ts';

type Leased = Pick<JobHandler, 'kind' | 'leaseSeconds'>;

/** No pause after a failure is longer, and the lease of no work but that of the jobs, which know their own. */
export const longestPauseMs = 3600_000;
/** Clocks of servers may differ by this much. */
const skewMs = 60_000;

/** Of running jobs the lease, of waiting ones the pause after a try, and the age of those that seem to come from later. */
export async function pullInJobs(db: Db, handlers: readonly Leased[], now: Time): Promise<void> {
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
