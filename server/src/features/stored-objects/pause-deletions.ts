// Deletions can be made to wait, so that whatever the database holds at some moment can be read from the store until the
// wait is over: for backups. Objects that were given up before may still go.
import type { Db, Time } from '../../platform/db/tables.ts';
import { type HeldLock, isLeased, type LockContext, withLease } from '../../platform/lock.ts';

/** Held by commands, beside servers that start and stop. */
export const deletionsLock = 'stored-objects.keep';
/** Whoever died over it keeps the room that others gave free for this long. */
const leaseSeconds = 20;

/** Null where somebody else makes them wait, for longer than the dead do. */
export const withoutDeletions = <T>(context: LockContext, work: (lock: HeldLock) => Promise<T>): Promise<T | null> =>
  withLease(context, deletionsLock, { leaseSeconds, waitMs: leaseSeconds * 1500 }, work);

export const areDeletionsPaused = (db: Db, now: Time): Promise<boolean> => isLeased(db, deletionsLock, now);
