// The SQL on stored objects and on who holds them; how they go is in collect-queries.ts. Their rows are the locks: whoever
// gives or takes a hold, or decides that an object is no longer wanted, has locked the object's row first and reads the
// holds after that.
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';

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
      conflict
        .columns(['tenant_id', 'sha256'])
        .where(sql<boolean>`state = 'LIVE'`)
        .doUpdateSet({ due_at: null, etag: null }),
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

const rowsAtOnce = 500;

/** Whether any of the objects lies where something else is noted, somebody else's, or what is about to go. */
export async function isNotedOtherwise(
  db: Db,
  tenantId: Key,
  objects: readonly { readonly path: string; readonly sha256: string }[],
): Promise<boolean> {
  const digests = new Map(objects.map(({ path, sha256 }) => [path, sha256]));
  for (let from = 0; from < objects.length; from += rowsAtOnce) {
    const paths = objects.slice(from, from + rowsAtOnce).map(({ path }) => path);
    const rows = await db.selectFrom('stored_object').selectAll().where('path', 'in', paths).execute();
    const isOther = (row: (typeof rows)[number]) =>
      row.tenant_id !== tenantId || row.state !== 'LIVE' || row.sha256 !== digests.get(row.path);
    if (rows.some(isOther)) return true;
  }
  return false;
}

/** Where bytes with these digests lie, as far as they are kept. */
export async function findLivePaths(
  db: Db,
  tenantId: Key,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (let from = 0; from < digests.length; from += rowsAtOnce) {
    const rows = await db
      .selectFrom('stored_object')
      .select(['sha256', 'path'])
      .where('tenant_id', '=', tenantId)
      .where('state', '=', 'LIVE')
      .where('sha256', 'in', digests.slice(from, from + rowsAtOnce))
      .execute();
    for (const { sha256, path } of rows) paths.set(sha256, path);
  }
  return paths;
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

export type HeldBy = { holder: string; sha256: string; size: number; path: string; etag: string | null };

/** What each of the holders keeps, in no order. */
export const listHeldBy = (db: Db, tenantId: Key, holders: readonly string[]): Promise<HeldBy[]> =>
  db
    .selectFrom('object_hold as h')
    .innerJoin('stored_object as o', 'o.id', 'h.object_id')
    .select(['h.holder', 'o.sha256', 'o.size', 'o.path', 'o.etag'])
    .where('h.tenant_id', '=', tenantId)
    .where('o.tenant_id', '=', tenantId)
    .where('h.holder', 'in', holders)
    .execute();

export type HolderOfPath = { path: string; tenantId: Key; holder: string };

/** Who keeps the objects at these paths, of all tenants; nothing for those that are about to be deleted. */
export const listHoldersOf = (db: Db, paths: readonly string[]): Promise<HolderOfPath[]> =>
  db
    .selectFrom('stored_object as o')
    .innerJoin('object_hold as h', 'h.object_id', 'o.id')
    .select(['o.path', 'h.tenant_id as tenantId', 'h.holder'])
    .where('o.path', 'in', paths)
    .where('o.state', '=', 'LIVE')
    .orderBy('o.id')
    .orderBy('h.holder')
    .execute();

type Slice = { readonly after: string; readonly limit: number };

/** Who keeps any object that this holder keeps, itself left out, behind the holder named; by their names. */
export async function listCoHolders(
  db: Db,
  { tenantId, holder }: Holder,
  { after, limit }: Slice,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('object_hold as own')
    .innerJoin('object_hold as other', 'other.object_id', 'own.object_id')
    .select('other.holder')
    .distinct()
    .where('own.tenant_id', '=', tenantId)
    .where('own.holder', '=', holder)
    .where('other.tenant_id', '=', tenantId)
    .where('other.holder', '<>', holder)
    .where('other.holder', '>', after)
    .orderBy('other.holder')
    .limit(limit)
    .execute();
  return rows.map(row => row.holder);
}

export type KeptObject = { id: Key; path: string; sha256: string; size: number };

/** Objects that anybody keeps, behind this one, by their ids. */
export const listKept = (db: Db, tenantId: Key, after: Key, limit: number): Promise<KeptObject[]> =>
  db
    .selectFrom('stored_object as o')
    .select(['o.id', 'o.path', 'o.sha256', 'o.size'])
    .where('o.tenant_id', '=', tenantId)
    .where('o.id', '>', after)
    .where('o.state', '=', 'LIVE')
    .where(eb =>
      eb.exists(eb.selectFrom('object_hold as h').select('h.object_id').whereRef('h.object_id', '=', 'o.id')),
    )
    .orderBy('o.id')
    .limit(limit)
    .execute();

/** Those of the places whose objects are kept, or whose deletion is in hand. */
export async function listCaredFor(db: Db, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const rows = await db
    .selectFrom('stored_object as o')
    .select('o.path')
    .where('o.path', 'in', paths)
    .where(eb =>
      eb.or([
        eb('o.due_at', 'is not', null),
        eb.exists(eb.selectFrom('object_hold as h').select('h.object_id').whereRef('h.object_id', '=', 'o.id')),
      ]),
    )
    .execute();
  return new Set(rows.map(({ path }) => path));
}

/** Whether the object that lies there is being deleted. */
export async function isGivenUp(db: Db, tenantId: Key, path: string): Promise<boolean> {
  const query = db.selectFrom('stored_object').select('id').where('tenant_id', '=', tenantId).where('path', '=', path);
  return (await query.where('state', '<>', 'LIVE').executeTakeFirst()) !== undefined;
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

/** Of all that `listStored` lists. */
export async function countStored(db: Db): Promise<{ readonly count: number; readonly bytes: number }> {
  const counted = db
    .selectFrom('stored_object')
    .select(eb => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('size').as('bytes')])
    .where('state', '<>', 'GONE');
  const { count, bytes } = await counted.executeTakeFirstOrThrow();
  return { count, bytes: bytes ?? 0 };
}

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
