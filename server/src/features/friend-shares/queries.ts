// All SQL on shares between friends.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { friendShareStatus } from '@recordproof/shared/api/friend-shares.ts';
import { type Selectable, sql } from 'kysely';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findPage, type RowPage } from '../../platform/db/page.ts';
import {
  countRows,
  findFirst,
  findWhere,
  hasRow,
  insertInto,
  insertReturning,
  selectWhere,
} from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { type FileRow, listLiveFiles } from '../files/index.ts';

export type FriendShareRow = Selectable<Tables['friend_share']>;

/** As a literal, so that the partial indexes match. */
const isActive = sql<boolean>`status = 1`;

type NewFriendShare = Pick<FriendShareRow, 'tenant_id' | 'sharer_id' | 'friend_id' | 'gift_id' | 'message'>;

export async function insertFriendShare(
  tx: Tx,
  share: NewFriendShare,
  files: readonly Pick<FileRow, 'id'>[],
  now: Time,
): Promise<FriendShareRow> {
  const row = await insertReturning(tx, 'friend_share', {
    ...share,
    file_count: files.length,
    status: friendShareStatus.ACTIVE,
    created_at: now,
    read_at: null,
    cancelled_at: null,
  });
  const members = files.map((file, position) => ({ friend_share_id: row.id, file_id: file.id, position }));
  await insertInto(tx, 'friend_share_file', members);
  return row;
}

export const findFriendShare = (db: Db, tenantId: Key, id: Key): Promise<FriendShareRow | null> =>
  findWhere(db, 'friend_share', { tenant_id: tenantId, id });

/** The share of an envelope, locked until the transaction ends; null once it is cancelled. */
export function lockActiveShare(tx: Tx, engine: Engine, tenantId: Key, giftId: string): Promise<FriendShareRow | null> {
  const query = selectWhere(tx, 'friend_share', { tenant_id: tenantId, gift_id: giftId }).selectAll().where(isActive);
  return findFirst(engine === 'postgres' ? query.forShare() : query);
}

/** The remaining files of a share, in their original order. */
export async function listFilesOf(db: Db, share: FriendShareRow): Promise<FileRow[]> {
  const members = await selectWhere(db, 'friend_share_file', { friend_share_id: share.id })
    .select('file_id')
    .orderBy('position')
    .execute();
  const ids = members.map(member => member.file_id);
  const live = new Map((await listLiveFiles(db, share.tenant_id, ids)).map(file => [file.id, file]));
  return ids.flatMap(id => live.get(id) ?? []);
}

export const isShared = (db: Db, share: FriendShareRow, fileId: Key): Promise<boolean> =>
  hasRow(selectWhere(db, 'friend_share_file', { friend_share_id: share.id, file_id: fileId }).select('file_id'));

/** The files of one owner leave their friend shares. */
export async function leaveFriendShares(tx: Tx, engine: Engine, files: readonly FileRow[]): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const given = sharesOf(tx, first.tenant_id, 'sharer_id', first.owner_id).select('id');
  const ids = files.map(({ id }) => id);
  await tx
    .deleteFrom('friend_share_file')
    .where('friend_share_id', 'in', given)
    .where(isOneOf(engine, 'file_id', ids))
    .execute();
}

/** The friend's view, as in get-share.ts: without shares of a suspended account. */
const isGivenByActive = sql<boolean>`exists (
  select 1 from account as sharer where sharer.id = friend_share.sharer_id and sharer.status = 'ACTIVE')`;

const sharesOf = (db: Db, tenantId: Key, side: 'sharer_id' | 'friend_id', userId: Key) => {
  const query = db.selectFrom('friend_share').where('tenant_id', '=', tenantId).where(side, '=', userId);
  return side === 'friend_id' ? query.where(isActive).where(isGivenByActive) : query;
};

/** All sent shares; of the received ones, those that can be opened. */
export async function listFriendShares(
  db: Db,
  { tenantId, side, userId }: { tenantId: Key; side: 'sharer_id' | 'friend_id'; userId: Key },
  request: PageRequest,
): Promise<RowPage<FriendShareRow>> {
  const { direction } = parseSort(request.sort);
  return findPage(sharesOf(db, tenantId, side, userId), request, shares => shares.selectAll().orderBy('id', direction));
}

export const countUnread = (db: Db, tenantId: Key, friendId: Key): Promise<number> =>
  countRows(sharesOf(db, tenantId, 'friend_id', friendId).where(sql<boolean>`read_at is null`));

export const countActiveShares = (db: Db, tenantId: Key, sharerId: Key): Promise<number> =>
  countRows(sharesOf(db, tenantId, 'sharer_id', sharerId).where(isActive));

/** Once; returns null if it was already marked or is no longer active. */
export const markRead = (tx: Tx, share: FriendShareRow, now: Time): Promise<FriendShareRow | null> =>
  findFirst(
    tx
      .updateTable('friend_share')
      .set({ read_at: now })
      .where('id', '=', share.id)
      .where('tenant_id', '=', share.tenant_id)
      .where(isActive)
      .where('read_at', 'is', null)
      .returningAll(),
  );

const ending = (tx: Tx, tenantId: Key, now: Time) =>
  tx
    .updateTable('friend_share')
    .set({ status: friendShareStatus.CANCELLED, cancelled_at: now })
    .where('tenant_id', '=', tenantId)
    .where(isActive);

/** ACTIVE → CANCELLED, once; of concurrent calls the others return null. */
export const endFriendShare = (tx: Tx, share: FriendShareRow, now: Time): Promise<FriendShareRow | null> =>
  findFirst(ending(tx, share.tenant_id, now).where('id', '=', share.id).returningAll());

/** All shares between the two, in both directions. */
export const endAllBetween = (
  tx: Tx,
  tenantId: Key,
  people: readonly [Key, Key],
  now: Time,
): Promise<FriendShareRow[]> =>
  ending(tx, tenantId, now).where('sharer_id', 'in', people).where('friend_id', 'in', people).returningAll().execute();

/** The owner's live files that a friend can access. */
export async function listGivenFileIds(
  db: Db,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
): Promise<Key[]> {
  const rows = await db
    .selectFrom('friend_share as s')
    .innerJoin('friend_share_file as m', 'm.friend_share_id', 's.id')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select('f.id')
    .distinct()
    .where('s.tenant_id', '=', tenantId)
    .where('s.sharer_id', '=', ownerId)
    .where('s.status', '=', friendShareStatus.ACTIVE)
    .where('f.status', '=', fileStatus.SUCCESS)
    .execute();
  return rows.map(row => row.id);
}
