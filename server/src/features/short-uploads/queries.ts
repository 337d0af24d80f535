import type { Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export async function insertTray(tx: Tx, place: string, closesAt: Time): Promise<Key> {
  const row = { place, closes_at: closesAt, is_closed: 0 };
  const { id } = await tx.insertInto('short_upload_tray').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Those of the trays that are open, locked until the transaction ends. */
export async function holdOpenTrays(tx: Tx, engine: Engine, ids: readonly Key[]): Promise<ReadonlySet<Key>> {
  const query = tx.selectFrom('short_upload_tray').select('id').where('id', 'in', ids).where('is_closed', '=', 0);
  const rows = await (engine === 'postgres' ? query.orderBy('id').forShare() : query).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Closes expired trays; returns those still to be swept. */
export const closeTrays = (db: Db, now: Time): Promise<{ id: Key; place: string }[]> =>
  db
    .updateTable('short_upload_tray')
    .set({ is_closed: 1 })
    .where('closes_at', '<=', now)
    .returning(['id', 'place'])
    .execute();

/** Returns which of the paths are trays, open or still to be swept. */
export async function listTrayPlaces(db: Db, places: readonly string[]): Promise<ReadonlySet<string>> {
  if (places.length === 0) return new Set();
  const rows = await db.selectFrom('short_upload_tray').select('place').where('place', 'in', places).execute();
  return new Set(rows.map(({ place }) => place));
}

export async function forgetTray(db: Db, id: Key): Promise<void> {
  await db.deleteFrom('short_upload_tray').where('id', '=', id).execute();
}

export type RequestRow = Selectable<Tables['short_upload_request']>;
type NewRequest = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  readonly requestId: string;
  readonly fingerprint: string;
};

/** The first call with this id; null if it was deleted meanwhile. */
export async function claimRequest(db: Db, request: NewRequest, now: Time): Promise<RequestRow | null> {
  const { tenantId, ownerId, requestId, fingerprint } = request;
  const row = { tenant_id: tenantId, owner_id: ownerId, request_id: requestId, fingerprint };
  const made = await db
    .insertInto('short_upload_request')
    .values({ ...row, answer: null, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) return made;
  const existing = await db
    .selectFrom('short_upload_request')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return existing ?? null;
}

/** The first answer is kept. */
export async function answerRequest(db: Db, { id, tenant_id }: RequestRow, answer: string): Promise<string> {
  await db
    .updateTable('short_upload_request')
    .set({ answer })
    .where('id', '=', id)
    .where('tenant_id', '=', tenant_id)
    .where('answer', 'is', null)
    .execute();
  const row = await db.selectFrom('short_upload_request').select('answer').where('id', '=', id).executeTakeFirst();
  return row?.answer ?? answer;
}

export async function forgetRequests(db: Db, upTo: Time): Promise<void> {
  await db.deleteFrom('short_upload_request').where('created_at', '<=', upTo).execute();
}
