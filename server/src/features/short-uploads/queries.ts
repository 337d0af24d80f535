// SQL on staging areas of short uploads.
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

export async function insertStagingArea(tx: Tx, prefix: string, closesAt: Time): Promise<Key> {
  const row = { place: prefix, closes_at: closesAt, is_closed: 0 };
  const { id } = await tx.insertInto('short_upload_tray').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** The open ones of these areas, locked until the transaction ends. */
export async function lockOpenStagingAreas(tx: Tx, engine: Engine, ids: readonly Key[]): Promise<ReadonlySet<Key>> {
  const query = tx.selectFrom('short_upload_tray').select('id').where('id', 'in', ids).where('is_closed', '=', 0);
  const rows = await (engine === 'postgres' ? query.orderBy('id').forShare() : query).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Closes expired areas; returns those still to be swept. */
export const closeStagingAreas = (db: Db, now: Time): Promise<{ id: Key; prefix: string }[]> =>
  db
    .updateTable('short_upload_tray')
    .set({ is_closed: 1 })
    .where('closes_at', '<=', now)
    .returning(['id', 'place as prefix'])
    .execute();

/** Returns which of the paths are staging areas, open or still to be swept. */
export async function listStagingAreaPaths(db: Db, prefixes: readonly string[]): Promise<ReadonlySet<string>> {
  if (prefixes.length === 0) return new Set();
  const rows = await db.selectFrom('short_upload_tray').select('place').where('place', 'in', prefixes).execute();
  return new Set(rows.map(({ place }) => place));
}

export async function deleteStagingArea(db: Db, id: Key): Promise<void> {
  await db.deleteFrom('short_upload_tray').where('id', '=', id).execute();
}
