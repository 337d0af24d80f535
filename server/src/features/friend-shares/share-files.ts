// Sharing own files with a friend: one transaction checks friendship and files, and writes the share and an envelope
// for every sealed file.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { randomBase62, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { displayName } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { findOwnFiles, lockGiven, sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { storeEnvelopes } from '../envelopes/index.ts';
import { notify } from '../events/index.ts';
import { getFriend, lockFriendship } from '../friends/index.ts';
import { countActiveShares, type FriendShareRow, insertFriendShare } from './queries.ts';

const maxActiveShares = 10_000;

type Giving = {
  readonly friendId: string;
  readonly fileHashes: readonly string[];
  readonly message: string;
};

export async function shareFiles(
  server: Pick<Server, 'database' | 'clock'> & Wrapping,
  call: Call,
  giving: Giving,
): Promise<FriendShareRow> {
  const { database, clock } = server;
  const { db } = database;
  const { actor } = call;
  const { message } = giving;
  const { tenantId, userId: sharerId } = actor;
  const { friend_id: friendId } = await getFriend(db, actor, giving.friendId);
  const { files, keys } = await findOwnFiles(db, actor, giving.fileHashes);
  const giftId = randomBase62(22);
  const envelopes = await sealGift(server, files, { type: 'FRIEND_SHARE', id: giftId }, keys);
  return database.db.transaction().execute(async tx => {
    await lockFriendship(tx, database.kind, actor, friendId);
    await rejectTooMany(tx, tenantId, sharerId);
    await lockGiven(tx, database.kind, tenantId, files);
    const now = clock.now();
    const row = { tenant_id: tenantId, sharer_id: sharerId, friend_id: friendId, gift_id: giftId, message };
    const share = await insertFriendShare(tx, row, files, now);
    await storeEnvelopes(tx, envelopes, now);
    await recordAudit(tx, call, now, 'friend-shares.share', `${files.length} files shared with a friend`, {
      shareId: share.id,
      userId: friendId,
      fileIds: files.map(file => file.id),
    });
    const payload = {
      shareId: toWireId(share.id),
      sharerName: displayName(actor),
      fileCount: files.length,
      message,
    };
    await notify(tx, { tenantId, to: { kind: 'users', userIds: [friendId] }, type: 'friend-share', payload }, now);
    return share;
  });
}

async function rejectTooMany(tx: Tx, tenantId: Key, sharerId: Key): Promise<void> {
  if ((await countActiveShares(tx, tenantId, sharerId)) < maxActiveShares) return;
  throw new ApiError(
    'CONFLICT',
    `you already have ${maxActiveShares} active shares with friends; cancel some of them first`,
  );
}
