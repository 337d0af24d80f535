// SQL on stored objects and their references; deletion is in collect-queries.ts. Object rows are the locks: to add or
// remove a reference, or to decide that an object is unreferenced, a transaction locks the object's row first and then
// reads the references.
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import { deleteWhere, insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';

/** `file:12`, `upload:7`: what references the object. */
export type Holder = { readonly tenantId: Key; readonly holder: string };

type LiveRow = { id: Key; sha256: string; size: number; path: string };

/** The live row of each digest, locked and without a due time; inserted with the offered path if there is none. */
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

type Placed = Holder & { readonly sha256: string; readonly size: number; readonly path: string };

const insertingLive = (tx: Pick<Tx, 'insertInto'>, objects: readonly Placed[]) => {
  const rows = objects.map(({ tenantId, sha256, size, path }) => {
    return { tenant_id: tenantId, sha256, size, path, state: 'LIVE', due_at: null };
  });
  return tx.insertInto('stored_object').values(rows).returning(['id', 'tenant_id', 'path']);
};

/** New objects with their one holder each. On PostgreSQL in one statement. Returns how many. */
export async function insertHeld(tx: Tx, engine: Engine, objects: readonly Placed[]): Promise<number> {
  const holders = objects.map(({ path, holder }) => sql`when ${path} then cast(${holder} as text)`);
  if (engine === 'postgres') {
    const rows = await tx
      .with('object', db => insertingLive(db, objects))
      .insertInto('object_hold')
      .columns(['object_id', 'tenant_id', 'holder'])
      .expression(eb =>
        eb
          .selectFrom('object')
          .select(['id', 'tenant_id', sql<string>`case path ${sql.join(holders, sql` `)} end`.as('holder')]),
      )
      .returning('object_id')
      .execute();
    return rows.length;
  }
  const byPath = new Map(objects.map(({ path, holder }) => [path, holder]));
  const made = await insertingLive(tx, objects).execute();
  const holds = made.map(({ id, tenant_id, path }) => ({ object_id: id, tenant_id, holder: byPath.get(path) ?? '' }));
  await insertInto(tx, 'object_hold', holds);
  return holds.length;
}

/** Returns which of the paths have a row, in any state. */
export async function listNotedPaths(db: Db, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('stored_object').select('path').where('path', 'in', paths).execute();
  return new Set(rows.map(({ path }) => path));
}

const rowsAtOnce = 500;

export function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += rowsAtOnce) yield items.slice(from, from + rowsAtOnce);
}

/** Whether the path of any of the objects is recorded differently: with another owner or content, or for deletion. */
export async function isNotedOtherwise(
  db: Db,
  tenantId: Key,
  objects: readonly { readonly path: string; readonly sha256: string }[],
): Promise<boolean> {
  const digests = new Map(objects.map(({ path, sha256 }) => [path, sha256]));
  for (const part of batches(objects)) {
    const paths = part.map(({ path }) => path);
    const rows = await db.selectFrom('stored_object').selectAll().where('path', 'in', paths).execute();
    const isOther = (row: (typeof rows)[number]) =>
      row.tenant_id !== tenantId || row.state !== 'LIVE' || row.sha256 !== digests.get(row.path);
    if (rows.some(isOther)) return true;
  }
  return false;
}

/** Paths of bytes with these digests, if they are stored. */
export async function findLivePaths(
  db: Db,
  tenantId: Key,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const part of batches(digests)) {
    const rows = await selectWhere(db, 'stored_object', { tenant_id: tenantId, state: 'LIVE' })
      .select(['sha256', 'path'])
      .where('sha256', 'in', part)
      .execute();
    for (const { sha256, path } of rows) paths.set(sha256, path);
  }
  return paths;
}

/** Locks the rows of all objects of the holders, in the common order, and returns their ids. */
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

/** The current ones: call it under the lock. */
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

export const dropHolds = (tx: Tx, { tenantId, holder }: Holder): Promise<void> =>
  deleteWhere(tx, 'object_hold', { tenant_id: tenantId, holder });

export type HeldBy = { holder: string; sha256: string; size: number; path: string; etag: string | null };

/** The objects of each holder, unordered. */
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

/** The holders of the objects at these paths, of all tenants; none for objects about to be deleted. */
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

/** Other holders of any object of this holder, after the given name; ordered by name. */
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

export type StoredRow = { id: Key; path: string; sha256: string; size: number };

/** Referenced objects after this one, ordered by id. */
export const listKept = (db: Db, tenantId: Key, after: Key, limit: number): Promise<StoredRow[]> =>
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

/** Returns which of the paths have a referenced object, or one being deleted. */
export async function listReferencedOrDeleting(db: Db, paths: readonly string[]): Promise<ReadonlySet<string>> {
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

/** Whether the object at that path is being deleted. */
export async function isBeingDeleted(db: Db, tenantId: Key, path: string): Promise<boolean> {
  const query = db.selectFrom('stored_object').select('id').where('tenant_id', '=', tenantId).where('path', '=', path);
  return (await query.where('state', '<>', 'LIVE').executeTakeFirst()) !== undefined;
}

/** Objects of all tenants that are referenced, or were until just now, ordered by id: for backups. */
export const listStored = (db: Db, afterId: Key, limit: number): Promise<StoredRow[]> =>
  db
    .selectFrom('stored_object')
    .select(['id', 'path', 'sha256', 'size'])
    .where('id', '>', afterId)
    .where('state', '<>', 'GONE')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Totals of what `listStored` returns. */
export async function countStored(db: Db): Promise<{ readonly count: number; readonly bytes: number }> {
  const counted = db
    .selectFrom('stored_object')
    .select(eb => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('size').as('bytes')])
    .where('state', '<>', 'GONE');
  const { count, bytes } = await counted.executeTakeFirstOrThrow();
  return { count, bytes: bytes ?? 0 };
}

/** Whether a stored file or copy references the object; an upload in progress may not have written it yet. */
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
