// All SQL on friendships and friend requests.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import { friendRequestStatus } from '@recordproof/shared/api/friends.ts';
import { type Selectable, sql } from 'kysely';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findPage, onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import {
  countRows,
  findFirst,
  findWhere,
  insertInto,
  insertReturning,
  selectWhere,
  updateWhere,
} from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type RequestRow = Selectable<Tables['friend_request']>;
type FriendshipRow = Selectable<Tables['friendship']>;

const byId = (a: Key, b: Key): number => a - b;

/** Every change of friendships takes this lock first and reads afterwards. */
export async function lockPeople(tx: Tx, engine: Engine, people: readonly [Key, Key]): Promise<void> {
  for (const id of people.toSorted(byId)) await lockInTransaction(tx, engine, `friends-of:${id}`);
}

const toPair = (one: Key, other: Key) => ({ low_id: Math.min(one, other), high_id: Math.max(one, other) });

export const insertRequest = (
  tx: Tx,
  request: { tenantId: Key; requesterId: Key; addresseeId: Key; message: string },
  now: Time,
): Promise<RequestRow> =>
  insertReturning(tx, 'friend_request', {
    tenant_id: request.tenantId,
    requester_id: request.requesterId,
    addressee_id: request.addresseeId,
    ...toPair(request.requesterId, request.addresseeId),
    message: request.message,
    status: friendRequestStatus.PENDING,
    created_at: now,
    answered_at: null,
  });

export const findRequest = (db: Db, tenantId: Key, id: Key): Promise<RequestRow | null> =>
  findWhere(db, 'friend_request', { tenant_id: tenantId, id });

/** As a literal, so that the partial index matches. */
const isPending = sql<boolean>`status = 0`;

export function findPendingRequest(db: Db, tenantId: Key, one: Key, other: Key): Promise<RequestRow | null> {
  const { low_id, high_id } = toPair(one, other);
  return findFirst(
    selectWhere(db, 'friend_request', { tenant_id: tenantId, low_id, high_id }).selectAll().where(isPending),
  );
}

/** PENDING → the status, once; of concurrent calls the others return null. */
export const closeRequest = (tx: Tx, request: RequestRow, status: number, now: Time): Promise<RequestRow | null> =>
  findFirst(
    tx
      .updateTable('friend_request')
      .set({ status, answered_at: now })
      .where('id', '=', request.id)
      .where('tenant_id', '=', request.tenant_id)
      .where('status', '=', friendRequestStatus.PENDING)
      .returningAll(),
  );

export type RequestFilter = {
  readonly tenantId: Key;
  readonly side: 'requester_id' | 'addressee_id';
  readonly userId: Key;
  readonly status?: number | undefined;
};

export async function listRequests(
  db: Db,
  { tenantId, side, userId, status }: RequestFilter,
  request: PageRequest,
): Promise<RowPage<RequestRow>> {
  let query = db.selectFrom('friend_request').where('tenant_id', '=', tenantId).where(side, '=', userId);
  if (status !== undefined) query = query.where('status', '=', status);
  const { direction } = parseSort(request.sort);
  return findPage(query, request, matching => matching.selectAll().orderBy('id', direction));
}

export const countPending = (db: Db, tenantId: Key, addresseeId: Key): Promise<number> =>
  countRows(
    selectWhere(db, 'friend_request', {
      tenant_id: tenantId,
      addressee_id: addresseeId,
      status: friendRequestStatus.PENDING,
    }),
  );

/** Returns which of these people have an open request to or from the user. */
export async function listPendingWith(
  db: Db,
  tenantId: Key,
  userId: Key,
  others: readonly Key[],
): Promise<ReadonlySet<Key>> {
  if (others.length === 0) return new Set();
  const rows = await selectWhere(db, 'friend_request', { tenant_id: tenantId, status: friendRequestStatus.PENDING })
    .select(['requester_id', 'addressee_id'])
    .where(eb =>
      eb.or([
        eb('requester_id', '=', userId).and('addressee_id', 'in', others),
        eb('addressee_id', '=', userId).and('requester_id', 'in', others),
      ]),
    )
    .execute();
  return new Set(rows.map(row => (row.requester_id === userId ? row.addressee_id : row.requester_id)));
}

export async function insertFriendship(tx: Tx, tenantId: Key, one: Key, other: Key, now: Time): Promise<void> {
  const side = { tenant_id: tenantId, remark: null, created_at: now };
  await insertInto(tx, 'friendship', [
    { ...side, user_id: one, friend_id: other },
    { ...side, user_id: other, friend_id: one },
  ]);
}

export async function deleteFriendship(tx: Tx, tenantId: Key, one: Key, other: Key): Promise<void> {
  await tx
    .deleteFrom('friendship')
    .where('tenant_id', '=', tenantId)
    .where('user_id', 'in', [one, other])
    .where('friend_id', 'in', [one, other])
    .execute();
}

/** The user's side; null if the two are not friends. */
export const findFriendship = (db: Db, tenantId: Key, userId: Key, friendId: Key): Promise<FriendshipRow | null> =>
  findWhere(db, 'friendship', { tenant_id: tenantId, user_id: userId, friend_id: friendId });

export type FriendRow = FriendshipRow & {
  external_id: string;
  username: string;
  nickname: string | null;
  avatar: string | null;
};

const friendsOf = (db: Db, tenantId: Key, userId: Key) =>
  db
    .selectFrom('friendship as f')
    .innerJoin('account as a', 'a.id', 'f.friend_id')
    .selectAll('f')
    .select(['a.external_id', 'a.username', 'a.nickname', 'a.avatar'])
    .where('f.tenant_id', '=', tenantId)
    .where('f.user_id', '=', userId);

/** By the id of the user's own side of a friendship, or by the external id of the friend. */
export function findFriend(
  db: Db,
  tenantId: Key,
  userId: Key,
  friend: { readonly friendshipId: Key } | { readonly externalId: string },
): Promise<FriendRow | null> {
  const friends = friendsOf(db, tenantId, userId);
  const query =
    'externalId' in friend
      ? friends.where('a.external_id', '=', friend.externalId)
      : friends.where('f.id', '=', friend.friendshipId);
  return findFirst(query);
}

export const countFriends = (db: Db, tenantId: Key, userId: Key): Promise<number> =>
  countRows(db.selectFrom('friendship').where('tenant_id', '=', tenantId).where('user_id', '=', userId));

export function listFriends(db: Db, tenantId: Key, userId: Key, request: PageRequest) {
  const { column, direction } = toOrder(request, { friendsSince: 'f.id', username: 'a.username_folded' });
  return friendsOf(db, tenantId, userId).orderBy(column, direction).$call(onPage(request)).execute();
}

/** Returns which of these people are friends of the user. */
export async function listFriendsAmong(
  db: Db,
  tenantId: Key,
  userId: Key,
  others: readonly Key[],
): Promise<ReadonlySet<Key>> {
  if (others.length === 0) return new Set();
  const rows = await selectWhere(db, 'friendship', { tenant_id: tenantId, user_id: userId })
    .select('friend_id')
    .where('friend_id', 'in', others)
    .execute();
  return new Set(rows.map(row => row.friend_id));
}

export const updateFriendRemark = (tx: Tx, friendship: FriendshipRow, remark: string | null): Promise<void> =>
  updateWhere(tx, 'friendship', { id: friendship.id, tenant_id: friendship.tenant_id }, { remark });
