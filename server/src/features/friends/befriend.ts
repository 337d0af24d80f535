// Turning an open request into a friendship, in a transaction that locks both people. Accepted explicitly or by a
// request in return, it notifies the first requester.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { friendRequestStatus, maxFriends } from '@recordproof/shared/api/friends.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { displayName } from '../accounts/index.ts';
import { notify } from '../events/index.ts';
import { closeRequest, countFriends, insertFriendship, type RequestRow } from './queries.ts';

export async function befriend(tx: Tx, actor: Actor, request: RequestRow, now: Time): Promise<RequestRow> {
  const { tenant_id: tenantId, requester_id: requesterId } = request;
  const accepted = await closeRequest(tx, request, friendRequestStatus.ACCEPTED, now);
  if (accepted === null) throw new ApiError('FRIEND_REQUEST_PROCESSED');
  await rejectTooManyFriends(tx, tenantId, actor.userId, 'you have');
  await rejectTooManyFriends(tx, tenantId, requesterId, 'the other user has');
  await insertFriendship(tx, tenantId, requesterId, actor.userId, now);
  const payload = { friendId: actor.externalId, friendName: displayName(actor) };
  await notify(tx, { tenantId, to: { kind: 'users', userIds: [requesterId] }, type: 'friend-accepted', payload }, now);
  return accepted;
}

async function rejectTooManyFriends(tx: Tx, tenantId: Key, userId: Key, who: string): Promise<void> {
  if ((await countFriends(tx, tenantId, userId)) < maxFriends) return;
  throw new ApiError('CONFLICT', `${who} the maximum of ${maxFriends} friends`);
}
