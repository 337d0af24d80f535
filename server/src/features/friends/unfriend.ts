// Ending a friendship for both and, in the same transaction, the shares between the two.
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type FriendReference, getFriend, lockFriendship } from './get-friend.ts';
import { deleteFriendship } from './queries.ts';

export const unfriend = (
  { database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>,
  call: Call,
  friend: FriendReference,
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
