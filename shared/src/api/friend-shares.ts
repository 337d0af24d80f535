// Shares between friends: visible to the two, until the share is cancelled or the friendship ends.
import { z } from 'zod';
import { person } from './accounts.ts';
import { byId, externalId, isoTime, optionalText, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { downloadErrors, file, fileHash } from './files.ts';
import { manifestMetadata } from './manifests.ts';
import { sharedFile } from './share-access.ts';
import { maxSharedFiles } from './shares.ts';

export const friendShareStatus = { CANCELLED: 0, ACTIVE: 1 } as const;

const maxShareMessage = 255;

export const friendShare = z.object({
  id: recordId,
  sharer: person,
  friend: person,
  message: z.string(),
  fileCount: z.int().min(1).meta({ description: 'how many files were shared' }),
  status: z.int().meta({ description: '0 cancelled, 1 active' }),
  createdAt: isoTime,
  readAt: isoTime.nullable().meta({ description: 'when the friend marked it as read' }),
});
export type FriendShare = z.infer<typeof friendShare>;

const friendShareDetails = friendShare.extend({
  files: z.array(sharedFile).meta({ description: 'those that are still there' }),
});
export type FriendShareDetails = z.infer<typeof friendShareDetails>;

const byFile = z.object({ id: recordId, fileHash });
const fileHashes = z.array(fileHash).min(1).max(maxSharedFiles);
const page = pageQuery(['createdAt']);

const common = { feature: 'friend-shares', rate: 'other' } as const;

export const shareWithFriend = endpoint('shareWithFriend', {
  ...common,
  route: 'POST /api/v1/friend-shares',
  summary: 'Share own files with a friend',
  description: `At most ${maxSharedFiles} files. The friend can download them and save them as files of their own.`,
  access: 'friend:share',
  folderScope: { files: ['body.fileHashes'] },
  body: z.object({ friendId: externalId, fileHashes, message: optionalText(maxShareMessage).optional() }),
  answer: friendShare,
  errors: ['NOT_FRIENDS', 'FILE_NOT_EXIST', 'CONFLICT', 'UNPROCESSABLE'],
});

export const listReceivedShares = endpoint('listReceivedShares', {
  ...common,
  route: 'GET /api/v1/friend-shares/received',
  summary: 'What friends have shared with the caller',
  description: 'Shares that were cancelled are gone.',
  access: 'friend:read',
  query: page,
  answer: pageOf(friendShare),
});

export const listSentShares = endpoint('listSentShares', {
  ...common,
  route: 'GET /api/v1/friend-shares/sent',
  summary: 'What the caller has shared with friends',
  access: 'friend:read',
  query: page,
  answer: pageOf(friendShare),
});

export const countUnreadShares = endpoint('countUnreadShares', {
  ...common,
  route: 'GET /api/v1/friend-shares/unread-count',
  summary: 'How many received shares are not marked as read',
  access: 'friend:read',
  answer: z.object({ count: z.int().min(0) }),
});

export const getFriendShare = endpoint('getFriendShare', {
  ...common,
  route: 'GET /api/v1/friend-shares/{id}',
  summary: 'One share and its files',
  description: 'For the two between whom it is; once it is cancelled, for the sharer alone.',
  access: 'friend:read',
  params: byId,
  answer: friendShareDetails,
  errors: ['FRIEND_SHARE_NOT_FOUND'],
});

export const readFriendShare = endpoint('readFriendShare', {
  ...common,
  route: 'POST /api/v1/friend-shares/{id}/read',
  summary: 'Mark a received share as read',
  access: 'friend:write',
  params: byId,
  answer: friendShare,
  errors: ['FRIEND_SHARE_NOT_FOUND', 'FRIEND_SHARE_UNAUTHORIZED'],
});

export const cancelFriendShare = endpoint('cancelFriendShare', {
  ...common,
  route: 'DELETE /api/v1/friend-shares/{id}',
  summary: 'Take a share back',
  description: 'From then on the friend can open none of its files. Copies saved before remain.',
  access: 'friend:share',
  params: byId,
  errors: ['FRIEND_SHARE_NOT_FOUND', 'FRIEND_SHARE_UNAUTHORIZED', 'SHARE_CANCELLED'],
});

export const downloadFriendFile = endpoint('downloadFriendFile', {
  ...common,
  route: 'GET /api/v1/friend-shares/{id}/files/{fileHash}/download',
  summary: 'Download a file that a friend has shared',
  description: 'As an owner downloads it: Range, ETag, HEAD; every byte is checked on its way.',
  access: 'friend:read',
  rate: 'download',
  params: byFile,
  answerForm: 'bytes',
  errors: ['FRIEND_SHARE_NOT_FOUND', 'FRIEND_SHARE_UNAUTHORIZED', ...downloadErrors, 'SERVICE_UNAVAILABLE'],
});

export const friendDownloadMetadata = endpoint('friendDownloadMetadata', {
  ...common,
  route: 'GET /api/v1/friend-shares/{id}/files/{fileHash}/download-metadata',
  summary: 'The chunk manifest that such a download is checked against',
  access: 'friend:read',
  rate: 'download',
  params: byFile,
  answer: manifestMetadata,
  errors: ['FRIEND_SHARE_NOT_FOUND', 'FRIEND_SHARE_UNAUTHORIZED', 'FILE_NOT_EXIST', 'FILE_RECORD_ERROR'],
});

export const saveFriendFiles = endpoint('saveFriendFiles', {
  ...common,
  route: 'POST /api/v1/friend-shares/{id}/save',
  summary: 'Save what a friend has shared as own files',
  description:
    'All files of the share, or those that are named. Each becomes a record of its own that knows where it came from; saved again it is the same record.',
  access: 'file:write',
  params: byId,
  body: z.object({ fileHashes: fileHashes.optional() }),
  answer: z.array(file),
  errors: [
    'FRIEND_SHARE_NOT_FOUND',
    'FRIEND_SHARE_UNAUTHORIZED',
    'FILE_NOT_EXIST',
    'QUOTA_EXCEEDED',
    'SYSTEM_BUSY',
    'UNPROCESSABLE',
  ],
});
