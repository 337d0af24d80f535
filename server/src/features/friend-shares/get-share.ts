// Look-up of a share between friends, with access check.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { findAccount } from '../accounts/index.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { mayReceive, maySee } from './policy.ts';
import { type FriendShareRow, findFriendShare, isShared } from './queries.ts';

/** Shares of a suspended account are hidden from its friends until it is active again. */
export async function findShareFor(db: Db, { tenantId, userId }: Actor, id: Key): Promise<FriendShareRow | null> {
  const share = await findFriendShare(db, tenantId, id);
  if (share === null || share.sharer_id === userId) return share;
  const sharer = await findAccount(db, tenantId, share.sharer_id);
  return sharer?.status === 'ACTIVE' ? share : null;
}

export async function getVisibleShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await findShareFor(db, actor, id);
  if (!maySee(actor.userId, share)) throw new ApiError('FRIEND_SHARE_NOT_FOUND');
  return share;
}

/** A received share that was not cancelled. */
export async function getReceivedShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await findShareFor(db, actor, id);
  const rejection = mayReceive(actor.userId, share);
  if (rejection !== null) throw new ApiError(rejection);
  return share as FriendShareRow;
}

/** A live file of the share; throws for any other. */
export async function getSharedFile(db: Db, share: FriendShareRow, fileHash: string): Promise<FileRow> {
  const file = await findFileByHash(db, share.tenant_id, fileHash);
  if (file === null || !isLive(file) || !(await isShared(db, share, file.id))) throw new ApiError('FILE_NOT_EXIST');
  return file;
}
