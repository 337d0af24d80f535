// Tables of friend shares.

import { toFilePath } from '@recordproof/shared/api/files.ts';
import type { FriendShare, FriendShareDetails } from '@recordproof/shared/api/friend-shares.ts';
import { friendShareStatus } from '@recordproof/shared/api/friend-shares.ts';
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { nameOf } from '../friends/people-tables.ts';
import { toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, below, type Fitting, hash, name, tableOf, words } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

const stateOf = ({ status, readAt }: FriendShare): string => {
  if (status === friendShareStatus.CANCELLED) return 'cancelled';
  return readAt === null ? 'unread' : 'read';
};

export const sharesTable = tableOf<FriendShare>({
  ID: share => share.id,
  FROM: name(share => nameOf(share.sharer)),
  TO: name(share => nameOf(share.friend)),
  FILES: share => String(share.fileCount),
  STATE: stateOf,
  SHARED: share => toMinute(share.createdAt),
  MESSAGE: words(share => share.message),
});

export const friendSharePages = pagesOf('share', 'shares', ['createdAt']);

const filesTable = tableOf<SharedFile>({
  RECORD: hash(file => file.fileHash),
  SIZE: file => toSize(file.fileSize),
  NAME: name(toFilePath),
});

export const shareText = (share: FriendShareDetails): Fitting => {
  const about = alignRows([
    ['share', share.id],
    ['from', nameOf(share.sharer)],
    ['to', nameOf(share.friend)],
    ['state', stateOf(share)],
    ['shared', share.createdAt],
    ...(share.message === '' ? [] : [['message', share.message]]),
  ]);
  return below(about, filesTable(share.files));
};
