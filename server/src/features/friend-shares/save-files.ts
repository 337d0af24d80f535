// Saves what a friend has shared as own files. The copies are made elsewhere; here is decided what may be copied, once
// before, and once more in the transaction that makes each copy count.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Origin } from '../audit/index.ts';
import { type ConfirmGift, copyFiles } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { getReceivedShare, getSharedFile } from './get-share.ts';
import type { FriendSharePorts } from './ports.ts';
import { holdActiveShare, isShared, listFilesOf } from './queries.ts';

export type Saving = {
  readonly actor: Actor;
  readonly shareId: Key;
  /** All of the share when left out. */
  readonly fileHashes: readonly string[] | undefined;
  readonly origin: Origin;
  readonly userAgent: string | null;
  readonly signal: AbortSignal;
};

export async function saveFiles(ports: FriendSharePorts, saving: Saving): Promise<FileRow[]> {
  const { actor, shareId, fileHashes, origin, userAgent, signal } = saving;
  const share = await getReceivedShare(ports.db, actor, shareId);
  const sources =
    fileHashes === undefined
      ? await listFilesOf(ports.db, share)
      : await inParallel([...new Set(fileHashes)], hash => getSharedFile(ports.db, share, hash));
  const gift = { type: 'FRIEND_SHARE', id: share.gift_id } as const;
  return copyFiles(ports.copies, { actor, sources, gift, origin, userAgent, signal });
}

/** Asked when a copy is about to count: the share must still be there, for this person and with this file. */
export const confirmFriendShare =
  ({ database }: Pick<FriendSharePorts, 'database'>): ConfirmGift =>
  async (tx, { tenantId, giftId, saver, source }) => {
    const share = await holdActiveShare(tx, database.kind, tenantId, giftId);
    if (share?.friend_id !== saver.userId) throw new ApiError('FRIEND_SHARE_NOT_FOUND');
    if (!(await isShared(tx, share, source.id))) throw new ApiError('FILE_NOT_EXIST');
  };
