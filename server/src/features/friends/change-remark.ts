// A private name for a friend, visible only to its author.
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type FriendReference, getFriend } from './get-friend.ts';
import { type FriendRow, updateFriendRemark } from './queries.ts';

export const changeRemark = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  change: { readonly friend: FriendReference; readonly remark: string | null },
): Promise<FriendRow> =>
  database.db.transaction().execute(async tx => {
    const friend = await getFriend(tx, call.actor, change.friend);
    await updateFriendRemark(tx, friend, change.remark);
    await recordAudit(tx, call, clock.now(), 'friends.change-remark', 'remark on a friend changed', {
      userId: friend.friend_id,
    });
    return { ...friend, remark: change.remark };
  });
