// All SQL on stored objects. Their rows are the locks: whoever gives or takes a hold, or decides that an object is no
// longer wanted, has locked the object's row first and reads the holds after that.
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

/** `file:12`, `upload:7`: what the object is kept for. */
export type Holder = { readonly tenantId: Key; readonly holder: string };

type LiveRow = { id: Key; sha256: string; size: number; path: string };

/** The live row of each digest, locked, wanted again; made with the offered path where there is none. */
export const upsertLive = (
  tx: Tx,
  tenantId: Key,
  offered: readonly { sha256: string; size: number; path: string }[],
): Promise<LiveRow[]> =>
  tx
    .insertInto('stored_object')
    .values(offered.map(object => ({ ...object, tenant_id: tenantId, state: 'LIVE', due_at: null })))
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'sha256']).where(sql<boolean>`state = 'LIVE'`).doUpdateSet({ due_at: null }),
    )
    .returning(['id', 'sha256', 'size', 'path'])
    .execute();

/** The ids of new objects by where they lie. */
export async function insertLive(
  tx: Tx,
  objects: readonly { readonly tenantId: Key; readonly sha256: string; readonly size: number; readonly path: string }[],
): Promise<ReadonlyMap<string, Key>> {
  const rows = await tx
    .insertInto('stored_object')
    .values(
      objects.map(({ tenantId, sha256, size, path }) => ({
        tenant_id: tenantId,
        sha256,
        size,
        path,
        state: 'LIVE',
        due_at: null,
      })),
    )
    .returning(['id', 'path'])
    .execute();
  return new Map(rows.map(({ id, path }) => [path, id]));
}

/** Those of the places where something lies that is noted, in whatever state. */
export async function listNotedPaths(db: Db, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('stored_object').select('path').where('path', 'in', paths).execute();
  return new Set(rows.map(({ path }) => path));
}

/** Locks the rows of everything the holders hold, in the one order, and names them. */
export async function lockHeld(tx: Tx, engine: Engine, holders: readonly Holder[]): Promise<Key[]> {
  const held = tx
    .selectFrom('object_hold')
    .select('object_id')
    .where('tenant_id', 'in', [...new Set(holders.map(({ tenantId }) => tenantId))])
    .where(
      'holder',
      'in',
      holders.map(({ holder }) => holder),
    );
  const query = tx.selectFrom('stored_object').select('id').where('id', 'in', held).orderBy('sha256');
  const rows = await (engine === 'postgres' ? query.forUpdate() : query).execute();
  return rows.map(row => row.id);
}

/** As they stand now: call it under the lock. */
export async function addHolds(tx: Tx, { tenantId, holder }: Holder, to: string): Promise<void> {
  await tx
    .insertInto('object_hold')
    .columns(['object_id', 'tenant_id', 'holder'])
    .expression(eb =>
      eb
        .selectFrom('object_hold')
        .select(['object_id', 'tenant_id', eb.cast<string>(eb.val(to), 'text').as('holder')])
        .where('tenant_id', '=', tenantId)
        .where('holder', '=', holder),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export async function dropHolds(tx: Tx, { tenantId, holder }: Holder): Promise<void> {
  await tx.deleteFrom('object_hold').where('tenant_id', '=', tenantId).where('holder', '=', holder).execute();
}

export type HeldBy = { holder: string; sha256: string; size: number; path: string };

/** What each of the holders keeps, in no order. */
export const listHeldBy = (db: Db, tenantId: Key, holders: readonly string[]): Promise<HeldBy[]> =>
  db
    .selectFrom('object_hold as h')
    .innerJoin('stored_object as o', 'o.id', 'h.object_id')
    .select(['h.holder', 'o.sha256', 'o.size', 'o.path'])
    .where('h.tenant_id', '=', tenantId)
    .where('o.tenant_id', '=', tenantId)
    .where('h.holder', 'in', holders)
    .execute();

/** Who keeps any object that this holder keeps, itself left out; in no order. */
export async function listCoHolders(db: Db, { tenantId, holder }: Holder, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('object_hold as own')
    .innerJoin('object_hold as other', 'other.object_id', 'own.object_id')
    .select('other.holder')
    .distinct()
    .where('own.tenant_id', '=', tenantId)
    .where('own.holder', '=', holder)
    .where('other.tenant_id', '=', tenantId)
    .where('other.holder', '<>', holder)
    .limit(limit)
    .execute();
  return rows.map(row => row.holder);
}

/** Live objects that somebody let go, locked; those that a holder is busy with are passed over. */
export async function lockReleased(tx: Tx, engine: Engine, now: Time, limit: number): Promise<Key[]> {
  const query = tx
    .selectFrom('stored_object')
    .select('id')
    .where('state', '=', 'LIVE')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  const rows = await (engine === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
  return rows.map(row => row.id);
}

export async function listStillHeld(tx: Tx, ids: readonly Key[]): Promise<Key[]> {
  const rows = await tx
    .selectFrom('object_hold')
    .select('object_id')
    .distinct()
    .where('object_id', 'in', ids)
    .execute();
  return rows.map(row => row.object_id);
}

export async function updateObjects(
  tx: Tx,
  ids: readonly Key[],
  change: { state?: 'DELETING' | 'GONE'; due_at: Time | null },
): Promise<void> {
  if (ids.length > 0) await tx.updateTable('stored_object').set(change).where('id', 'in', ids).execute();
}

export const listDue = (
  db: Db,
  state: 'DELETING' | 'GONE',
  now: Time,
  limit: number,
): Promise<{ id: Key; path: string }[]> =>
  db
    .selectFrom('stored_object')
    .select(['id', 'path'])
    .where('state', '=', state)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();

export async function forgetObjects(tx: Tx, ids: readonly Key[]): Promise<void> {
  await tx.deleteFrom('stored_object').where('id', 'in', ids).where('state', '=', 'GONE').execute();
}

export type StoredRow = { id: Key; path: string; sha256: string; size: number };

/** Objects of all tenants that somebody wants, or wanted until just now, in the order of their ids: for backups. */
export const listStored = (db: Db, afterId: Key, limit: number): Promise<StoredRow[]> =>
  db
    .selectFrom('stored_object')
    .select(['id', 'path', 'sha256', 'size'])
    .where('id', '>', afterId)
    .where('state', '<>', 'GONE')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Whether something that is stored needs the object; an upload under way may not have written it yet. */
export async function isKept(db: Db, id: Key): Promise<boolean> {
  const hold = db
    .selectFrom('object_hold as h')
    .innerJoin('stored_object as o', 'o.id', 'h.object_id')
    .select('h.holder')
    .where('o.id', '=', id)
    .where('o.state', '=', 'LIVE')
    .where('h.holder', 'not like', 'upload:%');
  return (await hold.executeTakeFirst()) !== undefined;
}

export type Waiting = {
  readonly state: 'LIVE' | 'DELETING' | 'GONE';
  readonly objects: number;
  readonly bytes: number;
};

/** What the collector has before it, of all tenants. */
export async function listWaiting(db: Db): Promise<Waiting[]> {
  const rows = await db
    .selectFrom('stored_object')
    .select(['state', eb => eb.fn.countAll<number>().as('objects'), eb => eb.fn.sum<number>('size').as('bytes')])
    .where('due_at', 'is not', null)
    .groupBy('state')
    .orderBy('state')
    .execute();
  return rows.map(({ state, objects, bytes }) => ({ state: state as Waiting['state'], objects, bytes }));
}
