// Queue of the scrub: when each stored object was last read, and which are due.
import { randomInt } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { moveCounts } from './verified-counts.ts';

const isReadable = sql<boolean>`state = 'LIVE' and failed_at is null`;
const isUnreadable = sql<boolean>`state = 'LIVE' and failed_at is not null`;
const dueColumns = ['id', 'tenant_id', 'path', 'sha256', 'size', 'verified_at', 'failed_at', 'etag'] as const;

export type DueObject = Pick<Selectable<Tables['stored_object']>, (typeof dueColumns)[number]>;

/** Objects not read since, least recently read first; without those that failed alone. */
export const listDueObjects = (db: Db, before: Time, limit: number): Promise<DueObject[]> =>
  db
    .selectFrom('stored_object')
    .select(dueColumns)
    .where(isReadable)
    .where('verified_at', '>', 0)
    .where('verified_at', '<', before)
    .orderBy('verified_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Objects that failed and were not retried since, least recently tried first. */
export const listFailedObjects = (db: Db, before: Time, limit: number): Promise<DueObject[]> =>
  db
    .selectFrom('stored_object')
    .select(dueColumns)
    .where(isUnreadable)
    .where('failed_at', '<', before)
    .orderBy('failed_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** A sample of readable objects, to find out whether the store answers: the last read ones, and as many at random. */
export async function sampleReadable(db: Db, limit: number): Promise<DueObject[]> {
  const readable = db.selectFrom('stored_object').select(dueColumns).where(isReadable);
  const last = await readable.orderBy('verified_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  const newest = await db
    .selectFrom('stored_object')
    .select(eb => eb.fn.max<Key>('id').as('id'))
    .executeTakeFirst();
  for (let drawn = 0; drawn < limit; drawn += 1) {
    const from = randomInt((newest?.id ?? 0) + 1);
    last.push(...(await readable.where('id', '>=', from).orderBy('id').limit(1).execute()));
  }
  return last;
}

/** Counts newly stored objects as read now: their bytes were hashed on arrival. Returns how many. */
export async function noteArrivals(tx: Tx, now: Time, limit: number): Promise<number> {
  const isNew = sql<boolean>`verified_at = 0`;
  const arrived = tx.selectFrom('stored_object').select('id').where(isReadable).where(isNew).limit(limit);
  const noted = await tx
    .updateTable('stored_object')
    .set({ verified_at: now })
    .where('id', 'in', arrived)
    .where(isReadable)
    .where(isNew)
    .returning(['tenant_id', 'size', 'verified_at', 'failed_at'])
    .execute();
  await moveCounts(tx, { to: noted });
  return noted.length;
}

export type ReadObject = { readonly id: Key; readonly etag: string | null };

type Slice = { readonly read: readonly ReadObject[]; readonly failed: readonly Key[] };

/**
 * The result of a slice: `read` objects are counted as read now, `failed` ones leave the queue; deleted ones are left
 * out.
 */
export async function noteRead(tx: Tx, engine: Engine, { read, failed }: Slice, now: Time): Promise<void> {
  const before = await lockLive(tx, engine, [...read.map(({ id }) => id), ...failed]);
  const live = new Set(before.map(({ id }) => id));
  const change = async (ids: readonly Key[], values: VerifiedChange): Promise<void> => {
    const there = ids.filter(id => live.has(id));
    if (there.length > 0) await tx.updateTable('stored_object').set(values).where('id', 'in', there).execute();
  };
  for (const [etag, some] of Map.groupBy(read, one => one.etag)) {
    const ids = some.map(({ id }) => id);
    await change(ids, { verified_at: now, failed_at: null, etag });
  }
  await change(failed, { failed_at: now });
  const failedIds = new Set(failed);
  const after = before.map(object =>
    failedIds.has(object.id) ? { ...object, failed_at: now } : { ...object, verified_at: now, failed_at: null },
  );
  await moveCounts(tx, { from: before, to: after });
}

type VerifiedChange = { readonly verified_at?: Time; readonly failed_at: Time | null; readonly etag?: string | null };

function lockLive(tx: Tx, engine: Engine, ids: readonly Key[]): Promise<DueObject[]> {
  const query = tx.selectFrom('stored_object').select(dueColumns).where('id', 'in', ids).where('state', '=', 'LIVE');
  const ordered = query.orderBy('id');
  return (engine === 'postgres' ? ordered.forUpdate() : ordered).execute();
}

/** When the least recently read object was read, of the readable ones; null if there is none. */
export async function findOldestVerified(db: Db): Promise<Time | null> {
  const row = await db
    .selectFrom('stored_object')
    .select('verified_at')
    .where(isReadable)
    .where('verified_at', '>', 0)
    .orderBy('verified_at')
    .limit(1)
    .executeTakeFirst();
  return row?.verified_at ?? null;
}

/** The holders of an object, by their names. */
export async function listHolders(db: Db, objectId: Key, limit: number): Promise<string[]> {
  const rows = await selectWhere(db, 'object_hold', { object_id: objectId })
    .select('holder')
    .orderBy('holder')
    .limit(limit)
    .execute();
  return rows.map(({ holder }) => holder);
}
