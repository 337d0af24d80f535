// A name for a friend that only its giver sees.
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
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
    const entry = {
      module: 'friends',
      operation: 'change-remark',
      description: 'remark on a friend changed',
      param: { userId: friend.friend_id },
    };
    await appendAudit(tx, call, entry, clock.now());
    return { ...friend, remark: change.remark };
  });
