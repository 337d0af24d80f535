// References to stored objects. The row comes before the bytes: a writer gets a path here, commits, and only then
// writes. Equal bytes of one tenant share one object, which is kept while it has references.
import { randomBytes } from 'node:crypto';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { addHolds, batches, dropHolds, type Holder, insertHeld, lockHeld, upsertLive } from './queries.ts';

/** Lowercase hex digest and length of the bytes as stored. */
export type ObjectBytes = { readonly sha256: string; readonly size: number };

export type HeldObject = ObjectBytes & { readonly path: string };

export const collectJobKind = 'stored-objects.collect';

const newPath = (tenantId: Key, sha256: string): string =>
  `tenant-${tenantId}/${sha256.slice(0, 2)}/${sha256}.${randomBytes(8).toString('hex')}`;

/**
 * Adds references to the objects, regardless of concurrent releases, and returns the path of each, in order. The bytes
 * may exist already: after the commit, write them to that path (replacing equal bytes is harmless). Idempotent. An
 * object about to be deleted is not reused; the holder gets a new path.
 */
export const holdObjects = (tx: Tx, holder: Holder, objects: readonly ObjectBytes[]): Promise<HeldObject[]> =>
  hold(tx, holder, objects, sha256 => newPath(holder.tenantId, sha256));

/**
 * The same for objects already stored: they keep their path, unless equal bytes are recorded elsewhere. Violates a
 * unique index if their path is recorded with other bytes.
 */
export function holdFoundObjects(tx: Tx, holder: Holder, found: readonly HeldObject[]): Promise<HeldObject[]> {
  const paths = new Map(found.map(({ sha256, path }) => [sha256, path]));
  return hold(tx, holder, found, sha256 => paths.get(sha256) ?? newPath(holder.tenantId, sha256));
}

async function hold(
  tx: Tx,
  { tenantId, holder }: Holder,
  objects: readonly ObjectBytes[],
  offer: (sha256: string) => string,
): Promise<HeldObject[]> {
  // Objects are locked in one order everywhere, so that there are no deadlocks.
  const sizes = new Map(objects.map(({ sha256, size }) => [sha256, size]));
  const ordered = [...sizes].sort(([a], [b]) => (a < b ? -1 : 1));
  const paths = new Map<string, string>();
  for (const part of batches(ordered)) {
    const offered = part.map(([sha256, size]) => ({ sha256, size, path: offer(sha256) }));
    const rows = await upsertLive(tx, tenantId, offered);
    for (const row of rows) {
      if (row.size !== sizes.get(row.sha256))
        throw new RangeError(
          `the object with SHA-256 ${row.sha256} has ${row.size} bytes instead of ${sizes.get(row.sha256)}`,
        );
      paths.set(row.sha256, row.path);
    }
    await tx
      .insertInto('object_hold')
      .values(rows.map(row => ({ object_id: row.id, tenant_id: tenantId, holder })))
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  return objects.map(({ sha256, size }) => {
    const path = paths.get(sha256);
    if (path === undefined) throw new Error(`no path was assigned to the object with SHA-256 ${sha256}`);
    return { sha256, size, path };
  });
}

/** Objects with a path of their own, each for one holder. */
export type PlacedObject = HeldObject & Holder;

/** References objects that are never shared, because they are sealed under their own key. */
export async function holdPlaced(tx: Tx, engine: Engine, placed: readonly PlacedObject[]): Promise<void> {
  const held = await insertHeld(tx, engine, placed);
  if (held < placed.length) throw new Error(`${held} of ${placed.length} object references were stored`);
}

/** The objects of this holder, ordered by digest. */
export const listHeld = (db: Db, { tenantId, holder }: Holder): Promise<HeldObject[]> =>
  db
    .selectFrom('object_hold as h')
    .innerJoin('stored_object as o', 'o.id', 'h.object_id')
    .select(['o.sha256', 'o.size', 'o.path'])
    .where('h.tenant_id', '=', tenantId)
    .where('h.holder', '=', holder)
    .orderBy('o.sha256')
    .execute();

/** From one holder to another, within one tenant. */
type HoldPass = { readonly tenantId: Key; readonly from: string; readonly to: string };

const toGiver = ({ tenantId, from }: HoldPass): Holder => ({ tenantId, holder: from });

/** Adds a holder to the same objects: a copied record. */
export async function shareHolds(tx: Tx, engine: Engine, pass: HoldPass): Promise<void> {
  await lockHeld(tx, engine, [toGiver(pass)]);
  await addHolds(tx, toGiver(pass), pass.to);
}

/** Transfers all references to the new holders. */
export async function passHolds(tx: Tx, engine: Engine, passes: readonly HoldPass[]): Promise<void> {
  if (passes.length === 0) return;
  await lockHeld(tx, engine, passes.map(toGiver));
  for (const pass of passes) {
    await addHolds(tx, toGiver(pass), pass.to);
    await dropHolds(tx, toGiver(pass));
  }
}

/** Releases all references. Objects without references are deleted by a job after the commit. Idempotent. */
export async function releaseObjects(tx: Tx, engine: Engine, holder: Holder, now: Time): Promise<void> {
  const ids = await lockHeld(tx, engine, [holder]);
  if (ids.length === 0) return;
  await dropHolds(tx, holder);
  for (const part of batches(ids)) {
    await tx
      .updateTable('stored_object')
      .set({ due_at: now })
      .where('id', 'in', part)
      .where('state', '=', 'LIVE')
      .execute();
  }
  await enqueue(tx, { kind: collectJobKind, uniqueKey: collectJobKind }, now);
}
