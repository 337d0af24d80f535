// A name for a friend that only its giver sees.
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { type FriendReference, getFriend } from './get-friend.ts';
import type { FriendPorts } from './ports.ts';
import { type FriendRow, updateFriendRemark } from './queries.ts';

export const changeRemark = (
  { database, clock }: FriendPorts,
  actor: Actor,
  change: { readonly friend: FriendReference; readonly remark: string | null },
  origin: Origin,
): Promise<FriendRow> =>
  database.db.transaction().execute(async tx => {
    const friend = await getFriend(tx, actor, change.friend);
    await updateFriendRemark(tx, friend, change.remark);
    await appendAudit(
      tx,
      {
        tenantId: actor.tenantId,
        who: actor,
        module: 'friends',
        operation: 'change-remark',
        description: 'remark on a friend changed',
        param: { userId: friend.friend_id },
        origin,
      },
      clock.now(),
    );
    return { ...friend, remark: change.remark };
  });
