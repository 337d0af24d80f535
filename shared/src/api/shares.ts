// Share links: temporary access to an account's files by a code.
import { z } from 'zod';
import { isoTime, numberInText, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, file, fileHash, folderPath } from './files.ts';
import { manifestMetadata } from './manifests.ts';
import {
  listedRecipient,
  mostRecipients,
  mostRecipientsAtOnce,
  mostShareMailsPerDay,
  shareMessage,
  shareRecipients,
  shareTitle,
} from './share-terms.ts';

export const shareTypes = { PUBLIC: 0, PRIVATE: 1 } as const;
export const shareStatuses = { CANCELLED: 0, ACTIVE: 1, EXPIRED: 2 } as const;
export const shareActions = { VIEW: 1, DOWNLOAD: 2, SAVE: 3 } as const;

export const maxSharedFiles = 100;
/** For a shared folder. */
export const mostFolderFiles = 500;
export const maxShareMinutes = 43_200;

/** Twelve characters contain 71 random bits. */
export const shareCodeLength = 12;
export const shareCodePattern = /^[0-9A-Za-z]{12}$/;

/** A malformed code is reported as a missing share, not as bad input. */
const code = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'code of the share', examples: ['7gK2mQ9xTb4R'] });

const byCode = z.object({ code });
const byFile = z.object({ code, fileHash });

const shareType = z.union([z.literal(0), z.literal(1)]).meta({
  description: '0 PUBLIC: whoever knows the code. 1 PRIVATE: accounts of the same tenant that know the code.',
});
const shareStatus = z.union([z.literal(0), z.literal(1), z.literal(2)]).meta({
  description: '0 cancelled, 1 active, 2 expired',
});

export const sharePassword = z
  .string()
  .min(4)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
  .meta({ format: 'password' });

const addRecipientsText = `mails them the link, once each; at most ${mostRecipientsAtOnce} at once, ${mostRecipients} of a share and ${mostShareMailsPerDay} mails of an account per day`;

const fileHashes = z.array(fileHash).min(1).max(maxSharedFiles);
const expireMinutes = z.int().min(1).max(maxShareMinutes).meta({ description: 'from now on' });
const maxAccesses = z.int().min(1).max(1_000_000).meta({ description: 'how often the share can be opened' });

/** The grant from `openShare`: the share was opened, and need not be opened again for a while. */
export const grantHeader = 'X-Share-Grant';
const headers = { [grantHeader]: 'the `grant` of an opened share; without it a share that has no password is opened' };

/** Servers of earlier releases omit it. */
const sharedFolder = z
  .object({
    path: z.string(),
    includesLater: z.boolean().meta({ description: 'whether it also gives what comes into the folder later' }),
  })
  .nullable()
  .optional();

/** Servers of earlier releases do not send them. */
const texts = { title: z.string().nullable().optional(), message: z.string().nullable().optional() };

const listedFile = z.object({
  fileId: recordId,
  fileHash,
  fileName: z.string(),
  path: z.string().nullable(),
  fileSize: z.int().min(0),
});

export const sharedFile = listedFile.extend({
  contentType: z.string(),
  contentHash,
  manifestHash: contentHash.nullable(),
});
export type SharedFile = z.infer<typeof sharedFile>;

export const share = z.object({
  shareCode: z.string(),
  shareType,
  status: shareStatus,
  hasPassword: z.boolean(),
  expireTime: isoTime,
  maxAccesses: maxAccesses.nullable(),
  accessCount: z.int().min(0).meta({ description: 'how often it was opened' }),
  viewCount: z.int().min(0),
  downloadCount: z.int().min(0),
  saveCount: z.int().min(0),
  createdAt: isoTime,
  files: z.array(listedFile).meta({ description: `those that still exist; the first ${maxSharedFiles}` }),
  more: z.boolean().optional().meta({ description: 'whether there are further files' }),
  folder: sharedFolder.meta({ description: 'of a shared folder' }),
  ...texts,
  recipients: z.array(listedRecipient).optional().meta({ description: 'who was mailed the link' }),
});
export type Share = z.infer<typeof share>;

const shareInfo = z.object({
  shareCode: z.string(),
  shareType,
  expireTime: isoTime,
  hasPassword: z.boolean(),
  files: z.array(listedFile),
  folder: sharedFolder.meta({ description: 'of a shared folder: its name' }),
  ...texts,
});
export type ShareInfo = z.infer<typeof shareInfo>;

const openedShare = shareInfo.extend({
  files: z.array(sharedFile),
  grant: z.string().meta({ description: `to be sent as ${grantHeader}` }),
  grantExpiresAt: isoTime,
});
export type OpenedShare = z.infer<typeof openedShare>;

export const createShare = endpoint('createShare', {
  feature: 'shares',
  method: 'POST',
  path: '/api/v1/files/share',
  summary: 'Share own files, or a folder, by a link',
  description: `The page for people is /s/{code}. A password is kept as a hash only and is never shown again. Instead of \`fileHash\` a \`folder\`, and with it \`includesLater\`: false gives the files that are in it and below it now, true gives at any time what is in it then. At most ${mostFolderFiles} files. Visitors see the paths from that folder on.`,
  access: 'file:share',
  folderScope: { files: ['body.fileHash'], otherFolders: ['body.folder'] },
  rate: 'other',
  body: z
    .object({
      fileHash: fileHashes.optional(),
      folder: folderPath.optional(),
      includesLater: z.boolean().optional(),
      expireMinutes,
      shareType,
      password: sharePassword.optional(),
      maxAccesses: maxAccesses.optional(),
      title: shareTitle.optional(),
      message: shareMessage.optional(),
      addRecipients: shareRecipients.optional().meta({ description: addRecipientsText }),
    })
    .refine(body => (body.fileHash === undefined) !== (body.folder === undefined), 'must name either files or a folder')
    .refine(body => (body.folder === undefined) === (body.includesLater === undefined), {
      path: ['includesLater'],
      message: 'must say, of a folder and of nothing else, whether the share includes what comes later',
    }),
  answer: share,
  errors: ['FILE_NOT_EXIST', 'RESULT_DATA_NONE', 'USER_NOT_EXIST', 'CONFLICT', 'RATE_LIMITED', 'UNPROCESSABLE'],
});

export const getShareInfo = endpoint('getShareInfo', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/share/{code}/info',
  summary: 'What a share is, before it is opened',
  description:
    'Needs no login and counts as no access. The files of a share with a password are not told, nor those of a private one to whoever may not open it: without a login and with one of another tenant the answer is the same.',
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'other',
  strangerRate: 'share',
  params: byCode,
  answer: shareInfo,
  errors: ['SHARE_NOT_FOUND', 'SHARE_CANCELLED', 'SHARE_EXPIRED'],
});

const visitorErrors = ['SHARE_NOT_FOUND', 'SHARE_CANCELLED', 'SHARE_EXPIRED', 'UNAUTHORIZED', 'FORBIDDEN'] as const;

export const openShare = endpoint('openShare', {
  isAllowedInMaintenance: true,
  feature: 'shares',
  method: 'POST',
  path: '/api/v1/share/{code}/open',
  summary: 'Open a share, with its password if it has one',
  description:
    'Counts as one access. The answer lists the files and holds a grant: an hour long it stands for this access in all other calls. 403 with `data.detail.reason` PASSWORD_REQUIRED or PASSWORD_WRONG, with `triesLeft`; 429 after too many wrong passwords; 410 with `data.detail.reason` USED_UP where it was opened as often as it may be.',
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'other',
  strangerRate: 'share',
  params: byCode,
  body: z.object({ password: z.string().max(64).optional() }),
  answer: openedShare,
  errors: visitorErrors,
});

export const accessShare = endpoint('accessShare', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/share/{code}',
  summary: 'The files of a share',
  description:
    'With a grant as often as one likes; without one the share is opened, which a password refuses (403, `data.detail.reason` PASSWORD_REQUIRED). No login for public shares.',
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'other',
  strangerRate: 'share',
  params: byCode,
  headers,
  answer: openedShare,
  errors: visitorErrors,
});

export const downloadSharedFile = endpoint('downloadSharedFile', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/share/{code}/files/{fileHash}/download',
  summary: 'Download a shared file',
  description: `As an owner downloads it: Range, ETag, HEAD. Without a grant the share is opened first; the answer then carries one as ${grantHeader}, for the other files and for going on after a break. A download that runs when the share ends may end too, no other one begins.`,
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'download',
  strangerRate: 'share',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [
    ...visitorErrors,
    'FILE_NOT_EXIST',
    'FILE_DOWNLOAD_ERROR',
    'FILE_RECORD_ERROR',
    'ENCRYPTION_ERROR',
    'UNPROCESSABLE',
  ],
});

export const sharedDownloadMetadata = endpoint('sharedDownloadMetadata', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/share/{code}/files/{fileHash}/download-metadata',
  summary: 'The chunk manifest that a shared download is checked against',
  access: 'optional',
  tokenScope: 'file:read',
  rate: 'download',
  strangerRate: 'share',
  params: byFile,
  headers,
  answer: manifestMetadata,
  errors: [...visitorErrors, 'FILE_NOT_EXIST', 'FILE_RECORD_ERROR'],
});

export const saveSharedFiles = endpoint('saveSharedFiles', {
  feature: 'shares',
  method: 'POST',
  path: '/api/v1/files/share/{code}/save',
  summary: 'Save shared files as own files',
  description:
    'All files of the share, or those that are named. Each becomes a record of its own, with the stored bytes of the original and the name of whoever it came from; saved again it is the same record. Only within the tenant of the share.',
  access: 'file:write',
  rate: 'other',
  params: byCode,
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

export const listShares = endpoint('listShares', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/shares',
  summary: 'List own shares',
  access: 'file:read',
  rate: 'other',
  query: pageQuery(['createdAt', 'expireTime']),
  answer: pageOf(share),
});

export const updateShare = endpoint('updateShare', {
  feature: 'shares',
  method: 'PUT',
  path: '/api/v1/files/share/{code}',
  summary: 'Change a share',
  description:
    'Changes what is named. An expired share that is given more time is active again; a cancelled one stays cancelled. A new type or password ends the grants given so far. A password, a limit, a title or a message of null takes it away. Files are added to and removed from a fixed set; at least one stays.',
  access: 'file:share',
  rate: 'other',
  params: byCode,
  body: z
    .object({
      expireMinutes: expireMinutes.optional(),
      shareType: shareType.optional(),
      password: sharePassword.nullable().optional(),
      maxAccesses: maxAccesses.nullable().optional(),
      title: shareTitle.nullable().optional(),
      message: shareMessage.nullable().optional(),
      addFiles: fileHashes.optional(),
      removeFiles: fileHashes.optional(),
      addRecipients: shareRecipients.optional().meta({ description: addRecipientsText }),
      removeRecipients: shareRecipients
        .optional()
        .meta({ description: 'takes them off the list; who has the link keeps it' }),
    })
    .refine(body => Object.values(body).some(value => value !== undefined), 'must name what is to change'),
  answer: share,
  errors: [
    'SHARE_NOT_FOUND',
    'SHARE_CANCELLED',
    'SHARE_EXPIRED',
    'FILE_NOT_EXIST',
    'USER_NOT_EXIST',
    'CONFLICT',
    'RATE_LIMITED',
    'UNPROCESSABLE',
  ],
});

export const revokeShare = endpoint('revokeShare', {
  feature: 'shares',
  method: 'DELETE',
  path: '/api/v1/files/share/{code}',
  summary: 'Cancel a share, for good',
  access: 'file:share',
  rate: 'other',
  params: byCode,
  errors: ['SHARE_NOT_FOUND'],
});

const accessRecord = z.object({
  id: recordId,
  actionType: z.union([z.literal(1), z.literal(2), z.literal(3)]).meta({ description: '1 view, 2 download, 3 save' }),
  actorName: z.string().nullable().meta({ description: 'null for whoever was not logged in' }),
  ip: z.string(),
  userAgent: z.string().nullable(),
  fileHash: fileHash.nullable(),
  fileName: z.string().nullable(),
  accessTime: isoTime,
});
export type ShareAccess = z.infer<typeof accessRecord>;

const stats = z.object({
  viewCount: z.int().min(0),
  downloadCount: z.int().min(0),
  saveCount: z.int().min(0),
  uniqueActors: z.int().min(0).meta({ description: 'accounts, and addresses of whoever had none; of the kept log' }),
  totalAccess: z.int().min(0).meta({ description: 'views, downloads and saves together' }),
});
export type ShareStats = z.infer<typeof stats>;

export const listShareLogs = endpoint('listShareLogs', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/share/{code}/logs',
  summary: 'Who used an own share, and when',
  description: 'Kept for 180 days.',
  access: 'file:read',
  rate: 'other',
  params: byCode,
  query: pageQuery(['accessTime']),
  answer: pageOf(accessRecord),
  errors: ['SHARE_NOT_FOUND'],
});

export const getShareStats = endpoint('getShareStats', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/files/share/{code}/stats',
  summary: 'How often an own share was used',
  access: 'file:read',
  rate: 'other',
  params: byCode,
  answer: stats,
  errors: ['SHARE_NOT_FOUND'],
});

const administeredShare = share.extend({ ownerId: z.string(), ownerName: z.string() });
export type AdministeredShare = z.infer<typeof administeredShare>;

export const listAllShares = endpoint('listAllShares', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares',
  summary: 'List the shares of everyone in the tenant',
  access: 'file:admin',
  rate: 'other',
  query: pageQuery(['createdAt', 'expireTime']).extend({ status: numberInText(z.int().min(0).max(2)).optional() }),
  answer: pageOf(administeredShare),
});

export const cancelAnyShare = endpoint('cancelAnyShare', {
  feature: 'shares',
  method: 'DELETE',
  path: '/api/v1/admin/files/shares/{code}',
  summary: 'Cancel somebody’s share',
  access: 'file:admin',
  rate: 'other',
  params: byCode,
  errors: ['SHARE_NOT_FOUND'],
});

export const listAnyShareLogs = endpoint('listAnyShareLogs', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares/{code}/logs',
  summary: 'Who used a share, and when',
  access: 'file:admin',
  rate: 'other',
  params: byCode,
  query: pageQuery(['accessTime']),
  answer: pageOf(accessRecord),
  errors: ['SHARE_NOT_FOUND'],
});

export const getAnyShareStats = endpoint('getAnyShareStats', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares/{code}/stats',
  summary: 'How often a share was used',
  access: 'file:admin',
  rate: 'other',
  params: byCode,
  answer: stats,
  errors: ['SHARE_NOT_FOUND'],
});
