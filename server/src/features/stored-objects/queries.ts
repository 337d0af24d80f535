// All SQL on stored objects. Their rows are the locks: whoever gives or takes a hold, or decides that an object is no
// longer wanted, has locked the object's row first and reads the holds after that.
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

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

/** Locks the rows of everything the holder holds, in the one order, and names them. */
export async function lockHeld(tx: Tx, engine: Engine, tenantId: Key, holder: string): Promise<Key[]> {
  const held = tx
    .selectFrom('object_hold')
    .select('object_id')
    .where('tenant_id', '=', tenantId)
    .where('holder', '=', holder);
  const query = tx.selectFrom('stored_object').select('id').where('id', 'in', held).orderBy('sha256');
  const rows = await (engine === 'postgres' ? query.forUpdate() : query).execute();
  return rows.map(row => row.id);
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
