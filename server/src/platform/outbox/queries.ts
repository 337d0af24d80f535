// SQL on events of the outbox.
import type { Db, Time } from '../db/tables.ts';

export type EventCounts = {
  pending: number;
  /** Pending events with at least one failure. */
  retrying: number;
  exhausted: number;
  oldestPendingAt: Time | null;
};

/** Across all servers; `kinds`: the job kinds of events. */
export async function countEvents(db: Db, kinds: readonly string[]): Promise<EventCounts> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('count'),
      fn.count<number>('last_error').as('failed'),
      fn.min('created_at').as('oldest'),
    ])
    .where('kind', 'in', kinds)
    .groupBy('state')
    .execute();
  const exhausted = rows.filter(row => row.state === 'DEAD');
  const pending = rows.filter(row => row.state !== 'DEAD');
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    pending: sum(pending.map(row => row.count)),
    retrying: sum(pending.map(row => row.failed)),
    exhausted: sum(exhausted.map(row => row.count)),
    oldestPendingAt: pending.map(row => row.oldest).sort((a, b) => a - b)[0] ?? null,
  };
}
