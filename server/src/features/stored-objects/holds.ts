// Who holds which object. The row comes before the bytes: whoever wants to store something asks for a path here, commits,
// and only then writes. Equal bytes of one tenant share one object; it stays as long as anybody holds it.
import { randomBytes } from 'node:crypto';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { addHolds, dropHolds, type Holder, insertLive, lockHeld, upsertLive } from './queries.ts';

/** Lowercase hex and length of the bytes as they will lie in the store. */
export type ObjectBytes = { readonly sha256: string; readonly size: number };

export type HeldObject = ObjectBytes & { readonly path: string };

export const collectJobKind = 'stored-objects.collect';

const batch = 500;

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += batch) yield items.slice(from, from + batch);
}

const newPath = (tenantId: Key, sha256: string): string =>
  `tenant-${tenantId}/${sha256.slice(0, 2)}/${sha256}.${randomBytes(8).toString('hex')}`;

/**
 * Keeps the objects from now on, whatever anybody else releases, and says where each lies, in the order asked for. The
 * bytes may be there already or not: after the commit, write them to that path (replacing is harmless, they are equal).
 * Holding twice is holding once. An object that is about to be deleted is left to its end; the holder gets a new path.
 */
export const holdObjects = (tx: Tx, holder: Holder, wanted: readonly ObjectBytes[]): Promise<HeldObject[]> =>
  hold(tx, holder, wanted, sha256 => newPath(holder.tenantId, sha256));

/**
 * The same for objects that lie somewhere already: there they stay, unless equal bytes are noted elsewhere. Fails on the
 * database's own rule where something else is noted in their place.
 */
export function adoptObjects(tx: Tx, holder: Holder, found: readonly HeldObject[]): Promise<HeldObject[]> {
  const places = new Map(found.map(({ sha256, path }) => [sha256, path]));
  return hold(tx, holder, found, sha256 => places.get(sha256) ?? newPath(holder.tenantId, sha256));
}

async function hold(
  tx: Tx,
  { tenantId, holder }: Holder,
  wanted: readonly ObjectBytes[],
  offer: (sha256: string) => string,
): Promise<HeldObject[]> {
  // Everybody takes several objects in one order, so that two never wait for each other.
  const sizes = new Map(wanted.map(({ sha256, size }) => [sha256, size]));
  const ordered = [...sizes].sort(([a], [b]) => (a < b ? -1 : 1));
  const paths = new Map<string, string>();
  for (const part of batches(ordered)) {
    const offered = part.map(([sha256, size]) => ({ sha256, size, path: offer(sha256) }));
    const rows = await upsertLive(tx, tenantId, offered);
    for (const row of rows) {
      if (row.size !== sizes.get(row.sha256)) throw new RangeError('an object of this digest has another length');
      paths.set(row.sha256, row.path);
    }
    await tx
      .insertInto('object_hold')
      .values(rows.map(row => ({ object_id: row.id, tenant_id: tenantId, holder })))
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  return wanted.map(({ sha256, size }) => {
    const path = paths.get(sha256);
    if (path === undefined) throw new Error('an object was asked for and not allotted');
    return { sha256, size, path };
  });
}

/** Bytes that lie in a place of their own already, each for one holder. */
export type PlacedObject = HeldObject & Holder;

/** Keeps objects that nobody else can have: sealed under a key of their own. */
export async function holdPlaced(tx: Tx, placed: readonly PlacedObject[]): Promise<void> {
  const ids = await insertLive(tx, placed);
  const holds = placed.map(({ path, tenantId, holder }) => {
    const object_id = ids.get(path);
    if (object_id === undefined) throw new Error('an object was placed and not noted');
    return { object_id, tenant_id: tenantId, holder };
  });
  await tx.insertInto('object_hold').values(holds).execute();
}

/** What this holder keeps; the order is that of the digests. */
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

/** Another holder keeps the same objects too: a copied record. */
export async function shareHolds(tx: Tx, engine: Engine, pass: HoldPass): Promise<void> {
  await lockHeld(tx, engine, [toGiver(pass)]);
  await addHolds(tx, toGiver(pass), pass.to);
}

/** Hands everything over: afterwards only the new holders keep it. */
export async function passHolds(tx: Tx, engine: Engine, passes: readonly HoldPass[]): Promise<void> {
  if (passes.length === 0) return;
  await lockHeld(tx, engine, passes.map(toGiver));
  for (const pass of passes) {
    await addHolds(tx, toGiver(pass), pass.to);
    await dropHolds(tx, toGiver(pass));
  }
}

/** Lets everything go. What nobody else holds is deleted by a job after the commit. Releasing twice is harmless. */
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
