// Cancelling a share, or all shares between two former friends. Envelopes are revoked in the same transaction: from the
// commit on the share opens nothing.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { revokeGift } from '../envelopes/index.ts';
import type { Pair } from '../friends/index.ts';
import { getCancellableShare } from './get-share.ts';
import { endAllBetween, endFriendShare, type FriendShareRow } from './queries.ts';

export const cancelShare = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  shareId: Key,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const share = await getCancellableShare(tx, call.actor, shareId);
    const now = clock.now();
    const ended = await endFriendShare(tx, share, now);
    if (ended === null) throw new ApiError('SHARE_CANCELLED');
    await revoke(tx, database.kind, ended, now);
    await recordAudit(tx, call, now, 'friend-shares.cancel', 'share with a friend cancelled', { shareId });
  });

/** Called when a friendship ends, in its transaction. */
export const endSharesBetween =
  (engine: Engine) =>
  async (tx: Tx, { tenantId, people }: Pair, now: Time): Promise<void> => {
    for (const share of await endAllBetween(tx, tenantId, people, now)) await revoke(tx, engine, share, now);
  };

const revoke = (tx: Tx, engine: Engine, share: FriendShareRow, now: Time): Promise<void> =>
  revokeGift(tx, engine, { tenantId: share.tenant_id, recipientType: 'FRIEND_SHARE', recipientId: share.gift_id }, now);
