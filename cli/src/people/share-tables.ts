// How shares between friends look.
import type { FriendShare, FriendShareDetails } from '@recordproof/shared/api/friend-shares.ts';
import { friendShareStatus } from '@recordproof/shared/api/friend-shares.ts';
import { toList, toMinute, toTable } from '../output.ts';
import { toSize } from '../transfer/units.ts';
import { nameOf } from './tables.ts';

const stateOf = ({ status, readAt }: FriendShare): string => {
  if (status === friendShareStatus.CANCELLED) return 'cancelled';
  return readAt === null ? 'unread' : 'read';
};

export const sharesTable = (shares: readonly FriendShare[]): string =>
  toList(
    ['ID', 'FROM', 'TO', 'FILES', 'STATE', 'SHARED', 'MESSAGE'],
    shares.map(share => [
      share.id,
      nameOf(share.sharer),
      nameOf(share.friend),
      String(share.fileCount),
      stateOf(share),
      toMinute(share.createdAt),
      share.message,
    ]),
  );

export const shareText = (share: FriendShareDetails): string => {
  const about = toTable([
    ['share', share.id],
    ['from', nameOf(share.sharer)],
    ['to', nameOf(share.friend)],
    ['state', stateOf(share)],
    ['shared', share.createdAt],
    ...(share.message === '' ? [] : [['message', share.message]]),
  ]);
  const files = toList(
    ['FILE HASH', 'SIZE', 'NAME'],
    share.files.map(file => [file.fileHash, toSize(file.fileSize), file.fileName]),
  );
  return files === '' ? about : `${about}\n\n${files}`;
};
