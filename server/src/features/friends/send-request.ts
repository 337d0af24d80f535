// Asks somebody to be friends. One open request per pair, whoever asked; asking back is accepting.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { displayName, findPerson } from '../accounts/index.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { befriend } from './befriend.ts';
import type { FriendPorts } from './ports.ts';
import { findFriendship, findPendingRequest, insertRequest, lockPeople, type RequestRow } from './queries.ts';

export type RequestPlan = {
  readonly actor: Actor;
  readonly addresseeId: string;
  readonly message: string;
  readonly origin: Origin;
};

export const sendRequest = ({ database, clock }: FriendPorts, plan: RequestPlan): Promise<RequestRow> =>
  database.db.transaction().execute(async tx => {
    const { actor, addresseeId, origin } = plan;
    const { tenantId, userId } = actor;
    if (addresseeId === actor.externalId) throw new ApiError('CANNOT_ADD_SELF');
    const addressee = await findPerson(tx, tenantId, addresseeId);
    if (!addressee) throw new ApiError('USER_NOT_EXIST');
    await lockPeople(tx, database.kind, [userId, addressee.id]);
    if (await findFriendship(tx, tenantId, userId, addressee.id)) throw new ApiError('ALREADY_FRIENDS');
    const pending = await findPendingRequest(tx, tenantId, userId, addressee.id);
    if (pending?.requester_id === userId) throw new ApiError('FRIEND_REQUEST_EXISTS');
    const now = clock.now();
    const request = pending ? await befriend(tx, actor, pending, now) : await ask(tx, plan, addressee.id, now);
    await appendAudit(
      tx,
      {
        tenantId,
        who: actor,
        module: 'friends',
        operation: pending ? 'accept-request' : 'send-request',
        description: pending ? 'friend request accepted by asking back' : 'friend request sent',
        param: { requestId: request.id, userId: addressee.id },
        origin,
      },
      now,
    );
    return request;
  });

async function ask(tx: Tx, { actor, message }: RequestPlan, addresseeId: Key, now: Time): Promise<RequestRow> {
  const { tenantId, userId: requesterId } = actor;
  const request = await insertRequest(tx, { tenantId, requesterId, addresseeId, message }, now);
  const to = { kind: 'users', userIds: [addresseeId] } as const;
  const payload = {
    requestId: String(request.id),
    requesterId: actor.externalId,
    requesterName: displayName(actor),
    message,
  };
  await notify(tx, { tenantId, to, type: 'friend-request', payload }, now);
  return request;
}
