import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';
import { type FriendRow, findFriend } from './queries.ts';

/** An external id, or the id of a friendship as lists show it. */
export type FriendReference = string;

/** Everybody else, known or not, is refused alike. */
export async function getFriend(db: Db, actor: Actor, reference: FriendReference): Promise<FriendRow> {
  const by = reference.startsWith('U') ? { externalId: reference } : { friendshipId: toKey(reference) };
  const friend = await findFriend(db, actor.tenantId, actor.userId, by);
  if (!friend) throw new ApiError('NOT_FRIENDS');
  return friend;
}
