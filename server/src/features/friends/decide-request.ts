// Accepting, rejecting and cancelling of friend requests. Of concurrent decisions one succeeds.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { befriend } from './befriend.ts';
import { type Decision, decisions, mayDecide, rejectionTexts } from './policy.ts';
import { closeRequest, findRequest, lockPeople, type RequestRow } from './queries.ts';

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

/** The people of a request never change, so it is read before the lock; its status is checked again. */
async function getRequest(tx: Tx, actor: Actor, { requestId, decision }: DecisionInput): Promise<RequestRow> {
  const request = await findRequest(tx, actor.tenantId, requestId);
  const rejection = mayDecide(actor.userId, request, decision);
  if (rejection === 'FORBIDDEN') throw new ApiError(rejection, rejectionTexts[decision]);
  if (rejection !== null) throw new ApiError(rejection);
  return request as RequestRow;
}

async function close(tx: Tx, request: RequestRow, decision: Decision, now: Time): Promise<RequestRow> {
  const closed = await closeRequest(tx, request, decisions[decision].status, now);
  if (closed === null) throw new ApiError('FRIEND_REQUEST_PROCESSED');
  return closed;
}
