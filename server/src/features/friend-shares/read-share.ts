// Marks a received share as read. Marking it again changes nothing.
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { getReceivedShare } from './get-share.ts';
import type { FriendSharePorts } from './ports.ts';
import { type FriendShareRow, markRead } from './queries.ts';

export const readShare = (
  { database, clock }: Pick<FriendSharePorts, 'database' | 'clock'>,
  actor: Actor,
  shareId: Key,
  origin: Origin,
): Promise<FriendShareRow> =>
  database.db.transaction().execute(async tx => {
    const share = await getReceivedShare(tx, actor, shareId);
    if (share.read_at !== null) return share;
    const read = await markRead(tx, share, clock.now());
    if (read === null) return getReceivedShare(tx, actor, shareId); // marked, or taken back, at this moment
    await appendAudit(
      tx,
      {
        tenantId: actor.tenantId,
        who: actor,
        module: 'friend-shares',
        operation: 'read',
        description: 'share of a friend marked as read',
        param: { shareId },
        origin,
      },
      clock.now(),
    );
    return read;
  });
