// Collection of released objects, whose rows have no reference any more: first the decision as a committed row, then the
// bytes. Several collectors may run, crash or resume late: the path of a deleted object is never reused, so a late
// delete is harmless.

import type { Key } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { forgetObjects, listDue, listReferencedIds, lockReleased, updateObjects } from './collect-queries.ts';
import { collectJobKind } from './holds.ts';
import { listNamed } from './named.ts';
import { areDeletionsPaused } from './pause-deletions.ts';
import { moveCounts } from './verified-counts.ts';

type Collecting = Pick<Server, 'database' | 'objects' | 'clock' | 'hooks'>;

const batch = 200;

/** A writer presumed dead may still have been writing: after this time its bytes are deleted once more. */
export const finalCheckDelayMs = 24 * 3600 * 1000;

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
  if (await areDeletionsPaused(database.db, clock.now())) return 0;
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
