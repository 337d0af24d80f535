// SQL on shares and the files in them. What happened to them stands in access-log.ts, pages of them in list-queries.ts.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Insertable, Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { type FileRow, listLiveFiles } from '../files/index.ts';

export type ShareRow = Selectable<Tables['share']>;

/** Whose it is decides the code alone: nobody who comes with one names a tenant. */
export async function findShareByCode(db: Db, code: string): Promise<ShareRow | null> {
  return (await db.selectFrom('share').selectAll().where('code', '=', code).executeTakeFirst()) ?? null;
}

export type ShareScope = { readonly tenantId: Key; readonly ownerId?: Key };

export const within = (db: Db, { tenantId, ownerId }: ShareScope) => {
  const query = db.selectFrom('share').where('tenant_id', '=', tenantId);
  return ownerId === undefined ? query : query.where('owner_id', '=', ownerId);
};

export async function findShareWithin(db: Db, scope: ShareScope, code: string): Promise<ShareRow | null> {
  return (await within(db, scope).selectAll().where('code', '=', code).executeTakeFirst()) ?? null;
}

/** Held until the transaction ends, so that what is decided on it stays true. */
export async function lockShare(tx: Tx, engine: Engine, id: Key): Promise<ShareRow> {
  const query = tx.selectFrom('share').selectAll().where('id', '=', id);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow();
}

export const insertShare = (tx: Tx, values: Insertable<Tables['share']>): Promise<ShareRow> =>
  tx.insertInto('share').values(values).returningAll().executeTakeFirstOrThrow();

export async function insertShareFiles(tx: Tx, share: ShareRow, files: readonly FileRow[]): Promise<void> {
  const rows = files.map((file, position) => ({
    share_id: share.id,
    tenant_id: share.tenant_id,
    file_id: file.id,
    position,
  }));
  await tx.insertInto('share_file').values(rows).execute();
}

export type ShareChange = Partial<
  Pick<ShareRow, 'status' | 'share_type' | 'password_hash' | 'max_accesses' | 'generation' | 'expire_at'>
>;

export const updateShare = (tx: Tx, id: Key, change: ShareChange): Promise<ShareRow> =>
  tx.updateTable('share').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** By share, in the order in which they were shared; without those that were deleted since. */
export async function listFilesOfShares(
  db: Db,
  tenantId: Key,
  shareIds: readonly Key[],
): Promise<ReadonlyMap<Key, FileRow[]>> {
  if (shareIds.length === 0) return new Map();
  const members = await db
    .selectFrom('share_file')
    .select(['share_id', 'file_id'])
    .where('share_id', 'in', shareIds)
    .orderBy('share_id')
    .orderBy('position')
    .execute();
  const ids = [...new Set(members.map(member => member.file_id))];
  const live = new Map((await listLiveFiles(db, tenantId, ids)).map(file => [file.id, file]));
  const files = new Map<Key, FileRow[]>(shareIds.map(id => [id, []]));
  for (const { share_id, file_id } of members) {
    const file = live.get(file_id);
    if (file) files.get(share_id)?.push(file);
  }
  return files;
}

export const listFilesOf = async (db: Db, share: ShareRow): Promise<FileRow[]> =>
  (await listFilesOfShares(db, share.tenant_id, [share.id])).get(share.id) ?? [];

/** Only what is in the share, whatever else there is. */
export async function isInShare(db: Db, shareId: Key, fileId: Key): Promise<boolean> {
  const row = await db
    .selectFrom('share_file')
    .select('file_id')
    .where('share_id', '=', shareId)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  return row !== undefined;
}

type Counted = 'view_count' | 'download_count' | 'save_count';

/**
 * One more use of a share that can be used and is as it was seen; null when not. What opens the share also counts against
 * its limit: of any number at once exactly so many get through.
 */
export async function countUse(
  tx: Tx,
  { id, generation }: Pick<ShareRow, 'id' | 'generation'>,
  { column, opens }: { readonly column: Counted; readonly opens: boolean },
  now: Time,
): Promise<ShareRow | null> {
  let query = tx
    .updateTable('share')
    .set(eb => ({ [column]: eb(column, '+', 1), ...(opens && { access_count: eb('access_count', '+', 1) }) }))
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('status', '=', shareStatuses.ACTIVE)
    .where('expire_at', '>', now);
  if (opens) {
    query = query.where(eb => eb.or([eb('max_accesses', 'is', null), eb('access_count', '<', eb.ref('max_accesses'))]));
  }
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** The owner's live files that somebody can reach by a share. */
export async function listSharedFileIds(
  db: Db,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
  now: Time,
): Promise<Key[]> {
  const rows = await db
    .selectFrom('share as s')
    .innerJoin('share_file as m', 'm.share_id', 's.id')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select('f.id')
    .distinct()
    .where('s.tenant_id', '=', tenantId)
    .where('s.owner_id', '=', ownerId)
    .where('s.status', '=', shareStatuses.ACTIVE)
    .where('s.expire_at', '>', now)
    .where('f.status', '=', fileStatus.SUCCESS)
    .execute();
  return rows.map(row => row.id);
}

export const listActiveOfOwner = (db: Db, tenantId: Key, ownerId: Key, limit: number): Promise<ShareRow[]> =>
  db
    .selectFrom('share')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .where('status', '=', shareStatuses.ACTIVE)
    .limit(limit)
    .execute();

export const listDue = (db: Db, now: Time, limit: number): Promise<ShareRow[]> =>
  db
    .selectFrom('share')
    .selectAll()
    .where('status', '=', shareStatuses.ACTIVE)
    .where('expire_at', '<=', now)
    .orderBy('expire_at')
    .limit(limit)
    .execute();
