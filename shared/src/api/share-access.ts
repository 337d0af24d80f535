// Access to share links by visitors: information, opening with a password, downloads, saving as own files.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, downloadErrors, file, fileHash } from './files.ts';
import { manifestMetadata } from './manifests.ts';
import { byShareCode, fileHashes, listedFile, sharedFolder, shareTexts, shareType } from './shares.ts';

const byFile = byShareCode.extend({ fileHash });

/** The grant from `openShare`: the share was opened, and need not be opened again for a while. */
export const grantHeader = 'X-Share-Grant';
const headers = { [grantHeader]: 'the `grant` of an opened share; without it a share that has no password is opened' };

export const sharedFile = listedFile.extend({
  contentType: z.string(),
  contentHash,
  manifestHash: contentHash.nullable(),
});
export type SharedFile = z.infer<typeof sharedFile>;

const shareInfo = z.object({
  shareCode: z.string(),
  shareType,
  expireTime: isoTime,
  hasPassword: z.boolean(),
  files: z.array(listedFile),
  folder: sharedFolder.meta({ description: 'of a shared folder: its name, once its files may be seen' }),
  ...shareTexts,
});
export type ShareInfo = z.infer<typeof shareInfo>;

const openedShare = shareInfo.extend({
  files: z.array(sharedFile),
  grant: z.string().meta({ description: `to be sent as ${grantHeader}` }),
  grantExpiresAt: isoTime,
});
export type OpenedShare = z.infer<typeof openedShare>;

const visit = {
  feature: 'shares',
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'other',
  strangerRate: 'share',
} as const;

export const getShareInfo = endpoint('getShareInfo', {
  ...visit,
  route: 'GET /api/v1/share/{code}/info',
  summary: 'What a share is, before it is opened',
  description:
    'Needs no sign-in and is not counted as an access. The files of a share with a password are not listed, nor those of a private share to callers who may not open it: anonymous callers and callers of another tenant get the same answer.',
  params: byShareCode,
  answer: shareInfo,
  errors: ['SHARE_NOT_FOUND', 'SHARE_CANCELLED', 'SHARE_EXPIRED'],
});

const visitorErrors = ['SHARE_NOT_FOUND', 'SHARE_CANCELLED', 'SHARE_EXPIRED', 'UNAUTHORIZED', 'FORBIDDEN'] as const;

export const openShare = endpoint('openShare', {
  isAllowedInMaintenance: true,
  ...visit,
  route: 'POST /api/v1/share/{code}/open',
  summary: 'Open a share, with its password if it has one',
  description:
    'Counts as one access. The answer lists the files and holds a grant: an hour long it stands for this access in all other calls. 403 with `data.detail.reason` PASSWORD_REQUIRED or PASSWORD_WRONG, with `triesLeft`; 429 after too many wrong passwords; 410 with `data.detail.reason` USED_UP where it was opened as often as it may be.',
  params: byShareCode,
  body: z.object({ password: z.string().max(64).optional() }),
  answer: openedShare,
  errors: visitorErrors,
});

export const accessShare = endpoint('accessShare', {
  ...visit,
  route: 'GET /api/v1/files/share/{code}',
  summary: 'The files of a share',
  description:
    'With a grant any number of times. Without one the share is opened, which is rejected if it has a password (403, `data.detail.reason` PASSWORD_REQUIRED). Public shares need no sign-in.',
  params: byShareCode,
  headers,
  answer: openedShare,
  errors: visitorErrors,
});

export const downloadSharedFile = endpoint('downloadSharedFile', {
  ...visit,
  route: 'GET /api/v1/files/share/{code}/files/{fileHash}/download',
  summary: 'Download a shared file',
  description: `As an owner downloads it: Range, ETag, HEAD. Without a grant the share is opened first; the answer then carries one as ${grantHeader}, for the other files and for going on after a break. A download that runs when the share ends may end too, no other one begins.`,
  rate: 'download',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [...visitorErrors, ...downloadErrors],
});

export const sharedDownloadMetadata = endpoint('sharedDownloadMetadata', {
  ...visit,
  route: 'GET /api/v1/files/share/{code}/files/{fileHash}/download-metadata',
  summary: 'The chunk manifest that a shared download is checked against',
  rate: 'download',
  params: byFile,
  headers,
  answer: manifestMetadata,
  errors: [...visitorErrors, 'FILE_NOT_EXIST', 'FILE_RECORD_ERROR'],
});

export const saveSharedFiles = endpoint('saveSharedFiles', {
  feature: 'shares',
  route: 'POST /api/v1/files/share/{code}/save',
  summary: 'Save shared files as own files',
  description:
    'All files of the share, or those that are named. Each becomes a record of its own, with the stored bytes of the original and the name of the owner of the share; saving it again makes no second record. Only within the tenant of the share.',
  access: 'file:write',
  rate: 'other',
  params: byShareCode,
  headers,
  body: z.object({ fileHash: fileHashes.optional() }),
  answer: z.array(file),
  errors: [
    ...visitorErrors,
    'FILE_NOT_EXIST',
    'DATA_ALREADY_EXISTED',
    'QUOTA_EXCEEDED',
    'SYSTEM_BUSY',
    'UNPROCESSABLE',
  ],
});
