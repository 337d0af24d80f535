// Tables of shares.

import type { ShareAccess, ShareStats } from '@recordproof/shared/api/share-logs.ts';
import { type Share, shareActions, shareStatuses, shareTypes } from '@recordproof/shared/api/shares.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { counted, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { name, tableOf, words } from '../platform/table.ts';

export const statusName = (status: number): string => nameOfCode(shareStatuses, status);
export const typeName = (type: number): string => nameOfCode(shareTypes, type);
const actionName = (action: number): string => nameOfCode(shareActions, action);

export const toOpened = ({ accessCount, maxAccesses }: Pick<Share, 'accessCount' | 'maxAccesses'>): string =>
  maxAccesses === null ? String(accessCount) : `${accessCount} of ${maxAccesses}`;

export const countFiles = (count: number): string => counted(count, 'file');

export const statsNote = ({ viewCount, downloadCount, saveCount, uniqueActors }: ShareStats): string =>
  [
    counted(viewCount, 'view'),
    counted(downloadCount, 'download'),
    counted(saveCount, 'save'),
    `by ${uniqueActors} in all`,
  ].join(', ');

/** For the account that has just created or changed it. */
export const shareNote = (share: Share): string =>
  [
    `${share.folder ? `folder ${share.folder.path}${share.folder.includesLater ? ' with what comes later' : ''}: ` : ''}${countFiles(share.files.length)}${share.more ? ' and more' : ''}, ${typeName(share.shareType)}, ${statusName(share.status)} until ${toMinute(share.expireTime)} UTC`,
    ...(share.hasPassword ? ['with a password'] : []),
    ...(share.recipients && share.recipients.length > 0
      ? [`mailed to ${counted(share.recipients.length, 'recipient')}`]
      : []),
    ...(share.maxAccesses === null ? [] : [`opened ${toOpened(share)}`]),
  ].join(', ');

export const sharePages = pagesOf('share', 'shares', ['createdAt', 'expireTime']);
export const usePages = pagesOf('use', 'uses', ['accessTime']);

export const usesTable = tableOf<ShareAccess>({
  TIME: use => toMinute(use.accessTime),
  WHAT: use => actionName(use.actionType),
  WHO: name(use => use.actorName ?? '-'),
  FROM: use => use.ip,
  FILE: name(use => use.fileName ?? '-'),
  WITH: words(use => use.userAgent ?? '-'),
});
