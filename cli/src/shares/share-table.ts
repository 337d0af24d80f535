// How shares look in the terminal.
import {
  type Share,
  type ShareStats,
  shareActions,
  shareStatuses,
  shareTypes,
} from '@recordproof/shared/api/shares.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { toMinute } from '../platform/output.ts';

export const statusName = (status: number): string => nameOfCode(shareStatuses, status);
export const typeName = (type: number): string => nameOfCode(shareTypes, type);
export const actionName = (action: number): string => nameOfCode(shareActions, action);

export const toOpened = ({ accessCount, maxAccesses }: Pick<Share, 'accessCount' | 'maxAccesses'>): string =>
  maxAccesses === null ? String(accessCount) : `${accessCount} of ${maxAccesses}`;

const counted = (count: number, word: string): string => `${count} ${count === 1 ? word : `${word}s`}`;

export const countFiles = (count: number): string => counted(count, 'file');

export const statsNote = ({ viewCount, downloadCount, saveCount, uniqueActors }: ShareStats): string =>
  [
    counted(viewCount, 'view'),
    counted(downloadCount, 'download'),
    counted(saveCount, 'save'),
    `by ${uniqueActors} in all`,
  ].join(', ');

/** For the person who has just made or changed it. */
export const shareNote = (share: Share): string =>
  [
    `${countFiles(share.files.length)}, ${typeName(share.shareType)}, ${statusName(share.status)} until ${toMinute(share.expireTime)} UTC`,
    ...(share.hasPassword ? ['with a password'] : []),
    ...(share.maxAccesses === null ? [] : [`opened ${toOpened(share)}`]),
  ].join(', ');
