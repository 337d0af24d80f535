// Ends a friendship for both, and with it, in the same transaction, what the two have shared with each other.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { type FriendReference, getFriend } from './get-friend.ts';
import type { FriendPorts } from './ports.ts';
import { deleteFriendship, findFriendship, lockPeople } from './queries.ts';

export const unfriend = (ports: FriendPorts, actor: Actor, friend: FriendReference, origin: Origin): Promise<void> =>
  ports.database.db.transaction().execute(async tx => {
    const { tenantId, userId } = actor;
    const { friend_id: friendId } = await getFriend(tx, actor, friend);
    await lockPeople(tx, ports.database.kind, [userId, friendId]);
    if (!(await findFriendship(tx, tenantId, userId, friendId))) throw new ApiError('NOT_FRIENDS');
    const now = ports.clock.now();
    await deleteFriendship(tx, tenantId, userId, friendId);
    await ports.endSharesBetween(tx, { tenantId, people: [userId, friendId] }, now);
    await appendAudit(
      tx,
      {
        tenantId,
        who: actor,
        module: 'friends',
        operation: 'unfriend',
        description: 'friendship ended',
        param: { userId: friendId },
        origin,
      },
      now,
    );
  });
