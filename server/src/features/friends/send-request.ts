// Friend requests. One open request per pair, in either direction; a request in return accepts.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { displayName, findPerson } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { befriend } from './decide-request.ts';
import { findFriendship, findPendingRequest, insertRequest, lockPeople, type RequestRow } from './queries.ts';

export const sendRequest = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { addresseeId, message }: { readonly addresseeId: string; readonly message: string },
): Promise<RequestRow> =>
  database.db.transaction().execute(async tx => {
    const { actor } = call;
    const { tenantId, userId } = actor;
    if (addresseeId === actor.externalId) throw new ApiError('CANNOT_ADD_SELF');
    const addressee = await findPerson(tx, tenantId, addresseeId);
    if (!addressee) throw new ApiError('USER_NOT_EXIST');
    await lockPeople(tx, database.kind, [userId, addressee.id]);
    if (await findFriendship(tx, tenantId, userId, addressee.id)) throw new ApiError('ALREADY_FRIENDS');
    const pending = await findPendingRequest(tx, tenantId, userId, addressee.id);
    if (pending?.requester_id === userId) throw new ApiError('FRIEND_REQUEST_EXISTS');
    const now = clock.now();
    const request = pending
      ? await befriend(tx, actor, pending, now)
      : await ask(tx, actor, { addresseeId: addressee.id, message }, now);
    await recordAudit(
      tx,
      call,
      now,
      pending ? 'friends.accept-request' : 'friends.send-request',
      pending ? 'friend request accepted by asking back' : 'friend request sent',
      { requestId: request.id, userId: addressee.id },
    );
    return request;
  });

type Question = { readonly addresseeId: Key; readonly message: string };

async function ask(tx: Tx, actor: Actor, { addresseeId, message }: Question, now: Time): Promise<RequestRow> {
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
