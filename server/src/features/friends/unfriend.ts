// Ends a friendship for both, and with it, in the same transaction, what the two have shared with each other.
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { type FriendReference, getFriend, holdFriendship } from './get-friend.ts';
import type { FriendPorts } from './ports.ts';
import { deleteFriendship } from './queries.ts';

export const unfriend = (ports: FriendPorts, actor: Actor, friend: FriendReference, origin: Origin): Promise<void> =>
  ports.database.db.transaction().execute(async tx => {
    const { tenantId, userId } = actor;
    const { friend_id: friendId } = await getFriend(tx, actor, friend);
    await holdFriendship(tx, ports.database.kind, actor, friendId);
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
