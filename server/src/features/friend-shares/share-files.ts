// Gives own files to a friend: the share, and for every sealed file an envelope that opens it for the friend, in one
// transaction in which the two are friends and the files are there.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62, toWireId } from '../../platform/ids.ts';
import { displayName } from '../accounts/index.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { findOwnFiles, holdGiven, sealGift } from '../copies/index.ts';
import { storeEnvelope } from '../envelopes/index.ts';
import { notify } from '../events/index.ts';
import { getFriend, holdFriendship } from '../friends/index.ts';
import type { FriendSharePorts } from './ports.ts';
import { countActiveShares, type FriendShareRow, insertFriendShare } from './queries.ts';

const maxActiveShares = 10_000;

export type Giving = {
  readonly actor: Actor;
  readonly friendId: string;
  readonly fileHashes: readonly string[];
  readonly message: string;
  readonly origin: Origin;
};

export async function shareFiles(ports: FriendSharePorts, giving: Giving): Promise<FriendShareRow> {
  const { db, database, clock } = ports;
  const { actor, message, origin } = giving;
  const { tenantId, userId: sharerId } = actor;
  const { friend_id: friendId } = await getFriend(db, actor, giving.friendId);
  const files = await findOwnFiles(db, actor, giving.fileHashes);
  const giftId = randomBase62(22);
  const envelopes = await sealGift(ports, files, { type: 'FRIEND_SHARE', id: giftId });
  return database.db.transaction().execute(async tx => {
    await holdFriendship(tx, database.kind, actor, friendId);
    await refuseTooMany(tx, tenantId, sharerId);
    await holdGiven(tx, database.kind, tenantId, files);
    const now = clock.now();
    const share = await insertFriendShare(tx, { tenantId, sharerId, friendId, giftId, message }, files, now);
    for (const envelope of envelopes) await storeEnvelope(tx, envelope, now);
    await appendAudit(
      tx,
      {
        tenantId,
        who: actor,
        module: 'friend-shares',
        operation: 'share',
        description: `${files.length} files shared with a friend`,
        param: { shareId: share.id, userId: friendId, fileIds: files.map(file => file.id) },
        origin,
      },
      now,
    );
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

async function refuseTooMany(tx: Tx, tenantId: Key, sharerId: Key): Promise<void> {
  if ((await countActiveShares(tx, tenantId, sharerId)) < maxActiveShares) return;
  throw new ApiError('CONFLICT', `you share ${maxActiveShares} times with friends already; cancel some of it first`);
}
