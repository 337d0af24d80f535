// Look-up of a share between friends, with access check.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { friendShareStatus } from '@recordproof/shared/api/friend-shares.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { findAccount } from '../accounts/index.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { type FriendShareRow, findFriendShare, isShared } from './queries.ts';

/** Shares of a suspended account are hidden from its friends until it is active again. */
async function findShareFor(db: Db, { tenantId, userId }: Actor, id: Key): Promise<FriendShareRow | null> {
  const share = await findFriendShare(db, tenantId, id);
  if (share === null || share.sharer_id === userId) return share;
  const sharer = await findAccount(db, tenantId, share.sharer_id);
  return sharer?.status === 'ACTIVE' ? share : null;
}

const isActive = (share: FriendShareRow): boolean => share.status === friendShareStatus.ACTIVE;

/** Visible to both; to the friend only until it is cancelled. For all others it does not exist. */
export async function getVisibleShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const { userId } = actor;
  const share = await findShareFor(db, actor, id);
  if (share !== null && (share.sharer_id === userId || (share.friend_id === userId && isActive(share)))) return share;
  throw new ApiError('FRIEND_SHARE_NOT_FOUND');
}

/** For the friend, who opens, marks as read, saves. */
export async function getReceivedShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await getVisibleShare(db, actor, id);
  if (share.friend_id !== actor.userId) throw new ApiError('FRIEND_SHARE_UNAUTHORIZED');
  return share;
}

/** For the sharer, who cancels. */
export async function getCancellableShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await getVisibleShare(db, actor, id);
  if (share.sharer_id !== actor.userId) throw new ApiError('FRIEND_SHARE_UNAUTHORIZED');
  if (!isActive(share)) throw new ApiError('SHARE_CANCELLED');
  return share;
}

/** A live file of the share; throws for any other. */
export async function getSharedFile(db: Db, share: FriendShareRow, fileHash: string): Promise<FileRow> {
  const file = await findFileByHash(db, share.tenant_id, fileHash);
  if (file === null || !isLive(file) || !(await isShared(db, share, file.id))) throw new ApiError('FILE_NOT_EXIST');
  return file;
}
