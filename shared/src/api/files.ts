// Files as their owners see them: lists, details, search, versions, downloads, quota.
import { z } from 'zod';
import { bulkAnswerText, mostBulkAnswers } from './bulk-answers.ts';
import { isoTime, numberInText, pageOf, pageQuery, recordId } from './common.ts';
import { type AnswerOf, endpoint } from './endpoint.ts';

/** The chain record id: 64 lowercase hex digits. Never a digest of the content. */
export const fileHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits');
export const contentHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lowercase hex digits');

export const fileStatus = { FAIL: -1, PREPARE: 0, SUCCESS: 1, DELETE: 2 } as const;
export const proofStatuses = ['NONE', 'PENDING', 'ISSUED'] as const;

const maxFileNameLength = 255;

/** A name, not a path: no separators, no control characters, not one of the two dots. */
export const fileName = z
  .string()
  .min(1, 'must not be empty')
  .max(maxFileNameLength)
  .regex(/^[^\p{Cc}\p{Cs}/\\]+$/u, 'must not hold control characters, / or \\')
  .refine(name => name !== '.' && name !== '..', 'must be a name');

const maxPathBytes = 1024;

/** The folder a file came from, relative: a label of its owner, not a place. */
export const folderPath = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must not be empty or hold control characters')
  .refine(path => new TextEncoder().encode(path).length <= maxPathBytes, `must be at most ${maxPathBytes} bytes`)
  .refine(path => path.normalize('NFC') === path, 'must be in Unicode form NFC')
  .refine(
    path => path.split('/').every(part => part !== '' && part !== '.' && part !== '..'),
    'must be relative, its parts joined by single slashes, none of them "." or ".."',
  )
  .meta({
    description: 'the folder the file came from, relative, with "/" between its parts',
    examples: ['2026/letters'],
  });

const inFolder = folderPath.optional().meta({ description: 'only files of this folder and of the folders below it' });

export const contentType = z
  .string()
  .max(255)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w.-]+=("[^"\\\p{Cc}]*"|[\w.-]+))*$/u, 'must be a media type');

export const file = z.object({
  id: recordId,
  fileName: z.string(),
  path: z.string().nullable(),
  fileHash,
  contentHash,
  fileSize: z.int().min(0),
  contentType: z.string(),
  status: z.int(),
  version: z.int().min(1),
  isLatest: z.boolean(),
  versionGroupId: recordId,
  parentVersionId: recordId.nullable(),
  transactionHash: z.string().nullable(),
  manifestHash: contentHash.nullable(),
  proofStatus: z.enum(proofStatuses),
  ownerName: z.string(),
  createdAt: isoTime,
  originOwnerName: z.string().nullable(),
  sharedFromUserName: z.string().nullable(),
});
export type File = z.infer<typeof file>;

/** As people write it: in the folder it came from, if it came from one. */
export const toFilePath = ({ path, fileName }: Pick<File, 'path' | 'fileName'>): string =>
  path === null ? fileName : `${path}/${fileName}`;

const versionItem = z.object({
  id: recordId,
  version: z.int().min(1),
  fileName: z.string(),
  isLatest: z.boolean(),
  createdAt: isoTime,
});

const byHash = z.object({ hash: fileHash });
const byId = z.object({ id: recordId });

export const fileSortFields = ['createdAt', 'fileName', 'fileSize'] as const;

export const listFiles = endpoint('listFiles', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files',
  aliases: ['/file/list'],
  summary: 'List own files, newest versions only',
  access: 'file:read',
  rate: 'other',
  query: pageQuery(fileSortFields).extend({ path: inFolder }),
  answer: pageOf(file),
});

export const keywordModes = ['AUTO', 'FUZZY', 'PREFIX', 'EXACT_HASH', 'REFERENCE'] as const;

/** What a search asks for, whoever's files it is in. */
export const fileFilters = {
  keyword: z
    .string()
    .max(maxFileNameLength)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
    .optional(),
  keywordMode: z.enum(keywordModes).default('AUTO'),
  status: numberInText(z.int().min(-1).max(2)).optional(),
  startTime: z.iso.datetime({ offset: true }).optional(),
  endTime: z.iso.datetime({ offset: true }).optional(),
};

export const searchFiles = endpoint('searchFiles', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/search',
  summary: 'Search own files by name, hash, status and time',
  description:
    'AUTO takes 64 hex digits as an exact fileHash or contentHash and anything else as part of a name. REFERENCE takes what one file is called by: its id, the first 8 or more hex digits of its fileHash, or its whole name. Wildcards in the keyword are ordinary characters. Answers the newest versions of stored files, with an exact hash every version, with a status the files of that status. A search finds at most 1,000 files, the newest first, and then sorts them. A keyword of one or two characters is looked for at the beginning of every name, and inside the names of the newest 20,000 files.',
  access: 'file:read',
  rate: 'other',
  query: pageQuery(fileSortFields).extend({ ...fileFilters, path: inFolder }),
  answer: pageOf(file),
});

export const getFile = endpoint('getFile', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/{hash}',
  summary: 'Details of one file',
  access: 'file:read',
  rate: 'other',
  params: byHash,
  answer: file,
  errors: ['FILE_NOT_EXIST'],
});

export const downloadFile = endpoint('downloadFile', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/{hash}/download',
  summary: 'Download a file',
  description:
    'Streams the original bytes. Knows one Range (several are answered with the whole file; 416 has no body), If-Range, If-None-Match and HEAD; ETag is the contentHash. Every byte is checked on its way: a damaged file ends in an error or a broken transfer, never in a clean end.',
  access: 'file:read',
  rate: 'download',
  params: byHash,
  answerForm: 'bytes',
  errors: [
    'FILE_NOT_EXIST',
    'FILE_DOWNLOAD_ERROR',
    'FILE_RECORD_ERROR',
    'ENCRYPTION_ERROR',
    'UNPROCESSABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

const MiB = 1024 * 1024;
export const mostDownloadManyFileBytes = 8 * MiB;
export const mostDownloadManyBytes = 64 * MiB;

export const downloadMany = endpoint('downloadMany', {
  feature: 'files',
  method: 'POST',
  path: '/api/v1/files/download/bulk',
  summary: 'Download many small files in one request',
  description: `Files of at most 8 MiB each and 64 MiB together. It counts as one download. ${bulkAnswerText}`,
  access: 'file:read',
  rate: 'download',
  body: z.object({ fileHashes: z.array(fileHash).min(1).max(mostBulkAnswers) }),
  answerForm: 'bytes',
});

export const deleteFile = endpoint('deleteFile', {
  feature: 'files',
  method: 'DELETE',
  path: '/api/v1/files/{hash}',
  summary: 'Delete a file',
  description: 'The newest living ancestor becomes the latest version. The bytes go after the retention time.',
  access: 'file:delete',
  rate: 'other',
  params: byHash,
  errors: ['FILE_NOT_EXIST'],
});

export const fileStats = endpoint('fileStats', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/stats',
  summary: 'How many files, how large, how many shared',
  access: 'file:read',
  rate: 'other',
  answer: z.object({
    totalFiles: z.int(),
    totalStorage: z.int(),
    sharedFiles: z.int(),
    todayUploads: z.int(),
  }),
});

export const quotaModes = ['SHADOW', 'ENFORCE'] as const;

export const allowance = z.object({ usedBytes: z.int(), maxBytes: z.int(), usedFiles: z.int(), maxFiles: z.int() });

export const mostFolders = 5000;

export const listFolders = endpoint('listFolders', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/folders',
  summary: 'The folders that own files came from',
  description: `In the order of their paths, those without a file of their own left out; at most the first ${mostFolders.toLocaleString('en')}.`,
  access: 'file:read',
  rate: 'other',
  answer: z.object({
    folders: z.array(z.object({ path: z.string(), files: z.int().min(1) })),
    more: z.boolean().meta({ description: 'whether there are more' }),
  }),
});
export type Folder = AnswerOf<typeof listFolders>['folders'][number];

export const fileQuota = endpoint('fileQuota', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/files/quota',
  summary: 'What is used up of the storage quota',
  access: 'file:read',
  rate: 'other',
  answer: z.object({ mode: z.enum(quotaModes), user: allowance, tenant: allowance }),
});

export const listVersions = endpoint('listVersions', {
  feature: 'versions',
  method: 'GET',
  path: '/api/v1/files/{id}/versions',
  summary: 'All versions of a file, newest first',
  description: 'For the owner and for administrators.',
  access: 'file:read',
  rate: 'other',
  params: byId,
  answer: z.array(versionItem),
  errors: ['FILE_NOT_EXIST', 'VERSION_CHAIN_NOT_FOUND'],
});

export const continueVersion = endpoint('continueVersion', {
  feature: 'versions',
  method: 'POST',
  path: '/api/v1/files/{id}/versions',
  summary: 'Check that a file can be continued by a new version',
  description: 'The new version is written when an upload that names the file as targetFileId completes.',
  access: 'file:write',
  rate: 'other',
  params: byId,
  answer: z.object({ targetFileId: recordId, versionGroupId: recordId, currentVersion: z.int().min(1) }),
  errors: ['FILE_NOT_EXIST', 'VERSION_CONFLICT', 'VERSION_SOURCE_INVALID'],
});

export const manifestMetadata = z.object({
  canonicalManifestJson: z.string(),
  manifestStatus: z.string(),
  manifestClassification: z.string(),
  manifestErrorCode: z.string().nullable(),
  legacyDownloadAllowed: z.boolean(),
});
export type ManifestMetadata = z.infer<typeof manifestMetadata>;

export const downloadMetadata = endpoint('downloadMetadata', {
  feature: 'manifests',
  method: 'GET',
  path: '/api/v1/files/hash/{fileHash}/download-metadata',
  summary: 'The chunk manifest that a download is checked against',
  access: 'file:read',
  rate: 'download',
  params: z.object({ fileHash }),
  answer: manifestMetadata,
  errors: ['FILE_NOT_EXIST', 'FILE_RECORD_ERROR'],
});
