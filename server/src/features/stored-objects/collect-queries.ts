// SQL of object deletion: marking objects for deletion, deleting them, and deleting their rows. Rows are locked before
// any decision, as in queries.ts.
import type { Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { StoredRow } from './queries.ts';

type NotedObject = Selectable<Tables['stored_object']>;

/** The row of this path, locked. */
export async function lockNoted(tx: Tx, engine: Engine, path: string): Promise<NotedObject | null> {
  const query = tx.selectFrom('stored_object').selectAll().where('path', '=', path);
  return (await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()) ?? null;
}

type Unnoted = Omit<StoredRow, 'id'> & { readonly tenantId: Key };

/** Inserts a row for an unrecorded object, marked for deletion; returns false if it was recorded meanwhile. */
export async function insertDeleting(tx: Tx, { tenantId, ...object }: Unnoted, dueAt: Time): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('stored_object')
    .values({ ...object, tenant_id: tenantId, state: 'DELETING', due_at: dueAt })
    .onConflict(conflict => conflict.column('path').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

type ObjectRef = { id: Key; path: string };

/**
 * Released live objects, locked. While there are others, those that another transaction has locked, as the scrub does,
 * are skipped; then they are waited for one at a time, because who waits must have no other object locked.
 */
export async function lockReleased(tx: Tx, engine: Engine, now: Time, limit: number): Promise<NotedObject[]> {
  const query = selectWhere(tx, 'stored_object', { state: 'LIVE' })
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at');
  if (engine === 'sqlite') return query.limit(limit).execute();
  const unlocked = await query.limit(limit).forUpdate().skipLocked().execute();
  return unlocked.length > 0 ? unlocked : query.limit(1).forUpdate().execute();
}

export async function listReferencedIds(tx: Tx, ids: readonly Key[]): Promise<Key[]> {
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

export const listDue = (db: Db, state: 'DELETING' | 'GONE', now: Time, limit: number): Promise<ObjectRef[]> =>
  selectWhere(db, 'stored_object', { state })
    .select(['id', 'path'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();

export async function forgetObjects(tx: Tx, ids: readonly Key[]): Promise<void> {
  await tx.deleteFrom('stored_object').where('id', 'in', ids).where('state', '=', 'GONE').execute();
}

export type Waiting = {
  readonly state: 'LIVE' | 'DELETING' | 'GONE';
  readonly objects: number;
  readonly bytes: number;
};

/** The collector's queue, of all tenants. */
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
