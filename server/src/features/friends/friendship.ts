// A friendship: look-up by external id or friendship id, a private name for the friend, and its end.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import {
  deleteFriendship,
  type FriendRow,
  findFriend,
  findFriendship,
  lockPeople,
  updateFriendRemark,
} from './queries.ts';

/** By an external id, or the id of a friendship from a list. All others, known or not, get the same error. */
export async function getFriend(db: Db, actor: Actor, reference: string): Promise<FriendRow> {
  const by = reference.startsWith('U') ? { externalId: reference } : { friendshipId: toKey(reference) };
  const friend = await findFriend(db, actor.tenantId, actor.userId, by);
  if (!friend) throw new ApiError('NOT_FRIENDS');
  return friend;
}

/** Throws unless the two are friends; locks the friendship until this transaction ends. */
export async function lockFriendship(
  tx: Tx,
  engine: Engine,
  { tenantId, userId }: Actor,
  friendId: Key,
): Promise<void> {
  await lockPeople(tx, engine, [userId, friendId]);
  if (!(await findFriendship(tx, tenantId, userId, friendId))) throw new ApiError('NOT_FRIENDS');
}

export const changeRemark = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  change: { readonly friend: string; readonly remark: string | null },
): Promise<FriendRow> =>
  database.db.transaction().execute(async tx => {
    const friend = await getFriend(tx, call.actor, change.friend);
    await updateFriendRemark(tx, friend, change.remark);
    await recordAudit(tx, call, clock.now(), 'friends.change-remark', 'remark on a friend changed', {
      userId: friend.friend_id,
    });
    return { ...friend, remark: change.remark };
  });

/** For both; the shares between the two end in the same transaction. */
export const unfriend = (
  { database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>,
  call: Call,
  friend: string,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId, userId } = call.actor;
    const { friend_id: friendId } = await getFriend(tx, call.actor, friend);
    await lockFriendship(tx, database.kind, call.actor, friendId);
    const now = clock.now();
    await deleteFriendship(tx, tenantId, userId, friendId);
    for (const end of hooks.of('friendshipEnded')) await end(tx, { tenantId, people: [userId, friendId] }, now);
    await recordAudit(tx, call, now, 'friends.unfriend', 'friendship ended', { userId: friendId });
  });
