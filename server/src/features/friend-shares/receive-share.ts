// Operations on a received share: marking it as read, and saving its files as own files. `copies` makes the copies;
// this file checks what may be copied, once before, and again in the transaction that stores each copy.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { copyFiles, type Giver } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { getReceivedShare, getSharedFile } from './get-share.ts';
import { type FriendShareRow, isShared, listFilesOf, lockActiveShare, markRead } from './queries.ts';

/** Idempotent. */
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

type Saving = {
  readonly shareId: Key;
  /** Default: all files of the share. */
  readonly fileHashes: readonly string[] | undefined;
  readonly userAgent: string | null;
  readonly signal: AbortSignal;
};

export async function saveFiles(server: Server, call: Call, saving: Saving): Promise<FileRow[]> {
  const { shareId, fileHashes, userAgent, signal } = saving;
  const { db } = server.database;
  const share = await getReceivedShare(db, call.actor, shareId);
  const sources =
    fileHashes === undefined
      ? await listFilesOf(db, share)
      : await inParallel([...new Set(fileHashes)], hash => getSharedFile(db, share, hash));
  const gift = { type: 'FRIEND_SHARE', id: share.gift_id } as const;
  return copyFiles(server, call, { sources, gift, userAgent, signal });
}

/** Called before a copy is stored: the share must still be active, for this person and with this file. */
export const friendGiver = ({ database }: Pick<Server, 'database'>): Giver => ({
  type: 'FRIEND_SHARE',
  confirm: async (tx, { tenantId, giftId, source, copy }) => {
    const share = await lockActiveShare(tx, database.kind, tenantId, giftId);
    if (share?.friend_id !== copy.owner_id) throw new ApiError('FRIEND_SHARE_NOT_FOUND');
    if (!(await isShared(tx, share, source.id))) throw new ApiError('FILE_NOT_EXIST');
  },
});
