// Marking a received share as read. Idempotent.
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { getReceivedShare } from './get-share.ts';
import { type FriendShareRow, markRead } from './queries.ts';

export const readShare = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  shareId: Key,
): Promise<FriendShareRow> =>
  database.db.transaction().execute(async tx => {
    const share = await getReceivedShare(tx, call.actor, shareId);
    if (share.read_at !== null) return share;
    const read = await markRead(tx, share, clock.now());
    if (read === null) return getReceivedShare(tx, call.actor, shareId); // marked or cancelled concurrently
    await recordAudit(tx, call, clock.now(), 'friend-shares.read', 'share of a friend marked as read', { shareId });
    return read;
  });
