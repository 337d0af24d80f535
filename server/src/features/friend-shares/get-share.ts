import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { mayReceive, maySee } from './policy.ts';
import { type FriendShareRow, findFriendShare, isShared } from './queries.ts';

export async function getVisibleShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await findFriendShare(db, actor.tenantId, id);
  if (!maySee(actor.userId, share)) throw new ApiError('FRIEND_SHARE_NOT_FOUND');
  return share;
}

/** A share that somebody gave to the caller and has not taken back. */
export async function getReceivedShare(db: Db, actor: Actor, id: Key): Promise<FriendShareRow> {
  const share = await findFriendShare(db, actor.tenantId, id);
  const refusal = mayReceive(actor.userId, share);
  if (refusal !== null) throw new ApiError(refusal);
  return share as FriendShareRow;
}

/** A live file of the share; anything else is not there. */
export async function getSharedFile(db: Db, share: FriendShareRow, fileHash: string): Promise<FileRow> {
  const file = await findFileByHash(db, share.tenant_id, fileHash);
  if (file === null || !isLive(file) || !(await isShared(db, share, file.id))) throw new ApiError('FILE_NOT_EXIST');
  return file;
}
