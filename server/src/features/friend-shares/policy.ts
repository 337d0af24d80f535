// Permissions on shares between friends. Pure.
import { friendShareStatus } from '@recordproof/shared/api/friend-shares.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { FriendShareRow } from './queries.ts';

type Rejection = 'FRIEND_SHARE_NOT_FOUND' | 'FRIEND_SHARE_UNAUTHORIZED' | 'SHARE_CANCELLED';

const isActive = (share: FriendShareRow): boolean => share.status === friendShareStatus.ACTIVE;

/** Visible to both; to the friend only until it is cancelled. For all others it does not exist. */
export const maySee = (userId: Key, share: FriendShareRow | null): share is FriendShareRow =>
  share !== null && (share.sharer_id === userId || (share.friend_id === userId && isActive(share)));

/** The friend's operations: open, mark as read, save. */
export function mayReceive(userId: Key, share: FriendShareRow | null): Rejection | null {
  if (!maySee(userId, share)) return 'FRIEND_SHARE_NOT_FOUND';
  return share.friend_id === userId ? null : 'FRIEND_SHARE_UNAUTHORIZED';
}

export function mayCancel(userId: Key, share: FriendShareRow | null): Rejection | null {
  if (!maySee(userId, share)) return 'FRIEND_SHARE_NOT_FOUND';
  if (share.sharer_id !== userId) return 'FRIEND_SHARE_UNAUTHORIZED';
  return isActive(share) ? null : 'SHARE_CANCELLED';
}
