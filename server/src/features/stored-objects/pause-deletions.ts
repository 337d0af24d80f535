// Pausing deletions, for backups: everything that the database references at some time can be read from the store until
// the pause ends. Objects marked before may still be deleted.
import type { Db, Time } from '../../platform/db/tables.ts';
import { type HeldLock, isLeased, type LockContext, withLease } from '../../platform/lock.ts';

/** Held by commands, while servers start and stop. */
export const deletionsLock = 'stored-objects.keep';
/** A crashed holder keeps deletions paused for this long. */
const leaseSeconds = 20;

/** Returns null if another command holds the pause for longer than a crashed one could. */
export const withoutDeletions = <T>(context: LockContext, work: (lock: HeldLock) => Promise<T>): Promise<T | null> =>
  withLease(context, deletionsLock, { leaseSeconds, waitMs: leaseSeconds * 1500 }, work);

export const areDeletionsPaused = (db: Db, now: Time): Promise<boolean> => isLeased(db, deletionsLock, now);
