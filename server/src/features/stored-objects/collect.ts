// Collection of released objects, whose rows have no reference any more, and of orphans: bytes without a row, and rows
// without a reference. First the decision as a committed row, then the bytes. Several collectors may run, crash or
// resume late: the path of a deleted object is never reused, so a late delete is harmless. Backups pause deletions.
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type HeldLock, isLeased, type LockContext, withLease } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import {
  forgetObjects,
  insertDeleting,
  listDue,
  listReferencedIds,
  lockNoted,
  lockReleased,
  updateObjects,
} from './collect-queries.ts';
import { collectJobKind } from './holds.ts';
import { moveCounts } from './verified-counts.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Returns which of the paths the feature needs without a reference; of all tenants. */
    listNamedPaths: (db: Db, paths: readonly string[]) => Promise<readonly string[]>;
  }
}

/** Paths of objects that features need without a reference row are kept. */
async function listNamed(
  { hooks }: Pick<Server, 'hooks'>,
  db: Db,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  if (paths.length === 0) return named;
  for (const list of hooks.of('listNamedPaths')) for (const path of await list(db, paths)) named.add(path);
  return named;
}

type Collecting = Pick<Server, 'database' | 'objects' | 'clock' | 'hooks'>;

const batch = 200;

/** A writer presumed dead may still have been writing: after this time its bytes are deleted once more. */
const finalCheckDelayMs = 24 * 3600 * 1000;

const toIds = (rows: readonly { readonly id: Key }[]): Key[] => rows.map(({ id }) => id);

/** Marks one batch of released, unreferenced objects; returns how many rows it checked. */
async function markReleased(server: Collecting): Promise<number> {
  const { database, clock } = server;
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const released = await lockReleased(tx, database.kind, now, batch);
    if (released.length === 0) return 0;
    const held = new Set(await listReferencedIds(tx, toIds(released)));
    const paths = released.map(({ path }) => path);
    const named = await listNamed(server, tx, paths);
    const { kept = [], dropped = [] } = Object.groupBy(released, ({ id, path }) =>
      held.has(id) || named.has(path) ? 'kept' : 'dropped',
    );
    await updateObjects(tx, toIds(kept), { due_at: null });
    await updateObjects(tx, toIds(dropped), { state: 'DELETING', due_at: now });
    await moveCounts(tx, { from: dropped });
    return released.length;
  });
}

async function deleteMarked({ database, objects, clock }: Collecting): Promise<number> {
  const due = await listDue(database.db, 'DELETING', clock.now(), batch);
  // Checked after the query: objects marked before a pause began are in no snapshot that the pause protects.
  if (await isLeased(database.db, deletionsLock, clock.now())) return 0;
  for (const { path } of due) await objects.delete(path);
  await database.db
    .transaction()
    .execute(tx => updateObjects(tx, toIds(due), { state: 'GONE', due_at: clock.now() + finalCheckDelayMs }));
  return due.length;
}

async function forgetGone({ database, objects, clock }: Collecting): Promise<number> {
  const due = await listDue(database.db, 'GONE', clock.now(), batch);
  if (due.length === 0) return 0;
  for (const { path } of due) await objects.delete(path);
  await database.db.transaction().execute(tx => forgetObjects(tx, toIds(due)));
  return due.length;
}

export const collectObjects = (server: Collecting): JobHandler => ({
  kind: collectJobKind,
  leaseSeconds: 120,
  maxAttempts: 100,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async job => {
    for (const step of [markReleased, deleteMarked, forgetGone]) {
      while (!job.signal.aborted && (await step(server)) > 0) await job.keepLease();
    }
    job.signal.throwIfAborted();
  },
});

type Orphan = { readonly tenantId: Key; readonly path: string; readonly sha256: string; readonly size: number };

/**
 * Takes an orphan from possible holders, by locking its row. From the commit on it cannot be referenced any more, and
 * the bytes may be deleted: by the caller or, after a crash, by the collector after `dueAt`. Returns false if it has
 * references. Idempotent.
 */
export async function markOrphanForDeletion(
  server: Pick<Server, 'database' | 'hooks'>,
  tx: Tx,
  orphan: Orphan,
  dueAt: Time,
): Promise<boolean> {
  const noted = await lockNoted(tx, server.database.kind, orphan.path);
  if (noted?.state !== 'DELETING' && (await listNamed(server, tx, [orphan.path])).size > 0) return false;
  if (noted === null) return insertDeleting(tx, orphan, dueAt);
  if (noted.tenant_id !== orphan.tenantId) return false;
  if (noted.state !== 'LIVE') return true;
  if (noted.due_at !== null || (await listReferencedIds(tx, [noted.id])).length > 0) return false;
  await updateObjects(tx, [noted.id], { state: 'DELETING', due_at: dueAt });
  await moveCounts(tx, { from: [noted] });
  return true;
}

/** The bytes were deleted. */
export async function markOrphanDeleted(tx: Tx, engine: Engine, path: string, now: Time): Promise<void> {
  const noted = await lockNoted(tx, engine, path);
  if (noted?.state === 'DELETING')
    await updateObjects(tx, [noted.id], { state: 'GONE', due_at: now + finalCheckDelayMs });
}

/** Held by commands, while servers start and stop. */
export const deletionsLock = 'stored-objects.keep';
/** A crashed holder keeps deletions paused for this long. */
const leaseSeconds = 20;

/**
 * Pauses deletions, for backups: everything that the database references at some time can be read from the store until
 * the pause ends. Objects marked before may still be deleted. Returns null if another command holds the pause for
 * longer than a crashed one could.
 */
export const withoutDeletions = <T>(context: LockContext, work: (lock: HeldLock) => Promise<T>): Promise<T | null> =>
  withLease(context, deletionsLock, { leaseSeconds, waitMs: leaseSeconds * 1500 }, work);
