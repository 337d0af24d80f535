// Counts of waiting, running and dead events and other jobs. An event is a job of the kind `event`, or `event.` and a
// consumer's name.
import { sql } from 'kysely';
import type { Db } from '../db/tables.ts';

export const isEventKind = (kind: string): boolean => kind === 'event' || kind.startsWith('event.');
export const ofEvents = sql<boolean>`(kind = 'event' or kind like 'event.%')`;

type Queue = { readonly waiting: number; readonly running: number; readonly dead: number };

/** Across all servers. */
export async function countQueues(db: Db): Promise<{ readonly jobs: Queue; readonly events: Queue }> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count')])
    .groupBy(['kind', 'state'])
    .execute();
  const toQueue = (areEvents: boolean): Queue => {
    const count = (jobState: string) =>
      rows
        .filter(({ kind, state }) => isEventKind(kind) === areEvents && state === jobState)
        .reduce((sum, row) => sum + row.count, 0);
    return { waiting: count('WAITING'), running: count('RUNNING'), dead: count('DEAD') };
  };
  return { jobs: toQueue(false), events: toQueue(true) };
}
