// Accepting, rejecting and cancelling of friend requests. Of concurrent decisions one succeeds.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { friendRequestStatus, maxFriends } from '@recordproof/shared/api/friends.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { displayName } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { closeRequest, countFriends, findRequest, insertFriendship, lockPeople, type RequestRow } from './queries.ts';

/** Each decision: who makes it, the resulting status, and the error for the other person. */
const decisions = {
  accept: {
    by: 'addressee_id',
    status: friendRequestStatus.ACCEPTED,
    rejection: 'only the one who was asked can accept a request',
  },
  reject: {
    by: 'addressee_id',
    status: friendRequestStatus.REJECTED,
    rejection: 'only the one who was asked can reject a request; cancel your own',
  },
  cancel: {
    by: 'requester_id',
    status: friendRequestStatus.CANCELLED,
    rejection: 'only the one who asked can cancel a request; reject it instead',
  },
} as const;

export type Decision = keyof typeof decisions;

type DecisionInput = { readonly requestId: Key; readonly decision: Decision };

export const decideRequest = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { requestId, decision }: DecisionInput,
): Promise<RequestRow> =>
  database.db.transaction().execute(async tx => {
    const { actor } = call;
    const request = await getRequest(tx, actor, { requestId, decision });
    await lockPeople(tx, database.kind, [request.requester_id, request.addressee_id]);
    const now = clock.now();
    const decided = await (decision === 'accept'
      ? befriend(tx, actor, request, now)
      : close(tx, request, decision, now));
    await recordAudit(tx, call, now, `friends.${decision}-request`, `friend request ${requestId}: ${decision}`, {
      requestId,
    });
    return decided;
  });

/**
 * Only its two people know of a request; a closed one stays closed. Its people never change, so it is read before the
 * lock; its status is checked again.
 */
async function getRequest(tx: Tx, { tenantId, userId }: Actor, input: DecisionInput): Promise<RequestRow> {
  const request = await findRequest(tx, tenantId, input.requestId);
  if (request?.requester_id !== userId && request?.addressee_id !== userId)
    throw new ApiError('FRIEND_REQUEST_NOT_FOUND');
  const { by, rejection } = decisions[input.decision];
  if (request[by] !== userId) throw new ApiError('FORBIDDEN', rejection);
  if (request.status !== friendRequestStatus.PENDING) throw new ApiError('FRIEND_REQUEST_PROCESSED');
  return request;
}

async function close(tx: Tx, request: RequestRow, decision: Decision, now: Time): Promise<RequestRow> {
  const closed = await closeRequest(tx, request, decisions[decision].status, now);
  if (closed === null) throw new ApiError('FRIEND_REQUEST_PROCESSED');
  return closed;
}

/**
 * In a transaction that locks both people. Accepted explicitly or by a request in return, it notifies the first
 * requester.
 */
export async function befriend(tx: Tx, actor: Actor, request: RequestRow, now: Time): Promise<RequestRow> {
  const { tenant_id: tenantId, requester_id: requesterId } = request;
  const accepted = await close(tx, request, 'accept', now);
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
