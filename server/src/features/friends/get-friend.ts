// Look-up of a friend, by external id or friendship id.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';
import { type FriendRow, findFriend, findFriendship, lockPeople } from './queries.ts';

/** An external id, or the id of a friendship from a list. */
export type FriendReference = string;

/** All others, known or not, get the same error. */
export async function getFriend(db: Db, actor: Actor, reference: FriendReference): Promise<FriendRow> {
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
