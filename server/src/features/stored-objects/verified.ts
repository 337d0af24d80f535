// When the bytes of stored objects were last read: which are due, and how far the scrub has come.
import { sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

export type DueObject = {
  id: Key;
  tenant_id: Key;
  path: string;
  sha256: string;
  size: number;
  verified_at: Time;
  etag: string | null;
};

/** Those that were not read since, the least recently read first. */
export const listDueObjects = (db: Db, before: Time, limit: number): Promise<DueObject[]> =>
  db
    .selectFrom('stored_object')
    .select(['id', 'tenant_id', 'path', 'sha256', 'size', 'verified_at', 'etag'])
    .where(sql<boolean>`state = 'LIVE'`)
    .where('verified_at', '>', 0)
    .where('verified_at', '<', before)
    .orderBy('verified_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Objects that came in since count from now: their bytes were hashed as they arrived. Answers how many there were. */
export async function noteArrivals(db: Db, now: Time, limit: number): Promise<number> {
  const arrived = db
    .selectFrom('stored_object')
    .select('id')
    .where(sql<boolean>`state = 'LIVE'`)
    .where('verified_at', '=', 0)
    .limit(limit);
  const { numUpdatedRows } = await db
    .updateTable('stored_object')
    .set({ verified_at: now })
    .where('id', 'in', arrived)
    .where('verified_at', '=', 0)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export type VerifiedObject = { readonly id: Key; readonly etag: string | null };

export async function noteVerified(tx: Tx, objects: readonly VerifiedObject[], now: Time): Promise<void> {
  for (const { id, etag } of objects)
    await tx.updateTable('stored_object').set({ verified_at: now, etag }).where('id', '=', id).execute();
}

/** When the least recently read object was read; null where there is none. */
export async function findOldestVerified(db: Db): Promise<Time | null> {
  const row = await db
    .selectFrom('stored_object')
    .select('verified_at')
    .where(sql<boolean>`state = 'LIVE'`)
    .where('verified_at', '>', 0)
    .orderBy('verified_at')
    .limit(1)
    .executeTakeFirst();
  return row?.verified_at ?? null;
}

type VerifiedFigures = {
  readonly objects: number;
  readonly bytes: number;
  readonly dueObjects: number;
  readonly dueBytes: number;
  readonly oldestVerifiedAt: Time | null;
};

/** Of one tenant; `before` says what is due. */
export async function countVerified(db: Db, tenantId: Key, before: Time): Promise<VerifiedFigures> {
  const isDue = sql<boolean>`verified_at > 0 and verified_at < ${integer(before)}`;
  const row = await db
    .selectFrom('stored_object')
    .select(eb => [
      eb.fn.countAll<number>().as('objects'),
      eb.fn.sum<number | null>('size').as('bytes'),
      sql<number>`sum(case when ${isDue} then 1 else 0 end)`.as('dueObjects'),
      sql<number>`sum(case when ${isDue} then size else 0 end)`.as('dueBytes'),
      sql<number | null>`min(nullif(verified_at, 0))`.as('oldestVerifiedAt'),
    ])
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`state = 'LIVE'`)
    .executeTakeFirstOrThrow();
  return {
    objects: Number(row.objects),
    bytes: Number(row.bytes ?? 0),
    dueObjects: Number(row.dueObjects ?? 0),
    dueBytes: Number(row.dueBytes ?? 0),
    oldestVerifiedAt: row.oldestVerifiedAt === null ? null : Number(row.oldestVerifiedAt),
  };
}

/** The holders of an object, by their names. */
export async function listHolders(db: Db, objectId: Key, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('object_hold')
    .select('holder')
    .where('object_id', '=', objectId)
    .orderBy('holder')
    .limit(limit)
    .execute();
  return rows.map(({ holder }) => holder);
}
