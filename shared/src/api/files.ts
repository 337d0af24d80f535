// Files of an owner: lists, details, search, versions, downloads, quota.
import { z } from 'zod';
import { bulkAnswerText, mostBulkAnswers } from './bulk-answers.ts';
import { booleanInText, byId, isoTime, numberFromText, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

/** The chain record id: 64 lowercase hex digits. It is not a digest of the content. */
export const fileHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits');
export const contentHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lowercase hex digits');

export const fileStatus = { FAIL: -1, PREPARE: 0, SUCCESS: 1, DELETE: 2 } as const;
export const proofStatuses = ['NONE', 'PENDING', 'ISSUED'] as const;

const maxFileNameLength = 255;

/** A file name without path separators and control characters, and not `.` or `..`. */
export const anyFileName = z
  .string()
  .min(1, 'must not be empty')
  .max(maxFileNameLength)
  .regex(/^[^\p{Cc}\p{Cs}/\\]+$/u, 'must not hold control characters, / or \\')
  .refine(name => name !== '.' && name !== '..', 'must be a name');

const visible = /[^\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** The name of a new file; records of older systems may have any name. */
export const fileName = anyFileName.refine(name => visible.test(name), 'must have at least one visible character');

export const maxPathBytes = 1024;

/** The folder of a file, as a relative path: a label chosen by its owner. */
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

/** The path for display: with the folder, if there is one. */
export const toFilePath = ({ path, fileName }: Pick<File, 'path' | 'fileName'>): string =>
  path === null ? fileName : `${path}/${fileName}`;

const versionItem = z.object({
  id: recordId,
  version: z.int().min(1),
  fileName: z.string(),
  isLatest: z.boolean(),
  createdAt: isoTime,
  fileHash,
  fileSize: z.int().min(0),
  contentHash,
  contentType: z.string(),
  proofStatus: z.enum(proofStatuses),
  ownerName: z.string(),
});

const byHash = z.object({ hash: fileHash });

export const fileSortFields = ['createdAt', 'fileName', 'fileSize'] as const;

export const keywordModes = ['AUTO', 'FUZZY', 'PREFIX', 'EXACT_HASH', 'REFERENCE'] as const;

/** Search filters for any owner's files. */
export const fileFilters = {
  keyword: z
    .string()
    .max(maxFileNameLength)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
    .optional(),
  keywordMode: z.enum(keywordModes).default('AUTO'),
  status: numberFromText(z.int().min(-1).max(2)).optional(),
  startTime: z.iso.datetime({ offset: true }).optional(),
  endTime: z.iso.datetime({ offset: true }).optional(),
};

const bytes = numberFromText(z.int().min(0)).optional();

/** Additional filters for own files. */
const ownFilters = {
  ...fileFilters,
  path: inFolder,
  folder: z
    .union([z.literal(''), folderPath])
    .optional()
    .meta({ description: 'only files directly in this folder; "" for the top level' }),
  type: z
    .string()
    .regex(/^[\w!#$&^.+-]+(\/[\w!#$&^.+-]*)?$/u, 'must be a media type, or the part of one before "/"')
    .max(127)
    .optional()
    .meta({ description: 'media type, or its first part', examples: ['image', 'application/pdf'] }),
  minSize: bytes,
  maxSize: bytes,
  proofStatus: z.enum(proofStatuses).optional(),
  shared: booleanInText.optional().meta({ description: 'whether another account can access the file through a share' }),
};

const searchText =
  'AUTO takes 64 hex digits as an exact fileHash or contentHash and anything else as part of a name. REFERENCE takes what one file is called by: its id, the first 8 or more hex digits of its fileHash, or its whole name. Wildcards in the keyword are ordinary characters. Answers the newest versions of stored files, with an exact hash every version, with a status the files of that status. A search finds at most 1,000 files, the newest first, and then sorts them. A keyword of one or two characters is looked for at the beginning of every name, and inside the names of the newest 20,000 files.';

const common = { feature: 'files', rate: 'other' } as const;

export const listFiles = endpoint('listFiles', {
  ...common,
  route: 'GET /api/v1/files',
  aliases: ['/file/list'],
  summary: 'List own files, newest versions only',
  description:
    'Without any filter, or with `path` or `folder` alone, every file can be reached page by page. Any other filter makes it the search of `GET /api/v1/files/search`.',
  access: 'file:read',
  folderScope: { folder: 'query.path', otherFolders: ['query.folder'] },
  query: pageQuery(fileSortFields).extend(ownFilters),
  answer: pageOf(file),
});

export const searchFiles = endpoint('searchFiles', {
  ...common,
  route: 'GET /api/v1/files/search',
  summary: 'Search own files by name, hash, folder, type, size, time, proof and share',
  description: searchText,
  access: 'file:read',
  folderScope: { folder: 'query.path', otherFolders: ['query.folder'] },
  query: pageQuery(fileSortFields).extend(ownFilters),
  answer: pageOf(file),
});

export const getFile = endpoint('getFile', {
  ...common,
  route: 'GET /api/v1/files/{hash}',
  summary: 'Details of one file',
  access: 'file:read',
  folderScope: { files: ['params.hash'] },
  params: byHash,
  answer: file,
  errors: ['FILE_NOT_EXIST'],
});

export const downloadErrors = [
  'FILE_NOT_EXIST',
  'FILE_DOWNLOAD_ERROR',
  'FILE_RECORD_ERROR',
  'ENCRYPTION_ERROR',
  'UNPROCESSABLE',
] as const;

export const downloadFile = endpoint('downloadFile', {
  ...common,
  route: 'GET /api/v1/files/{hash}/download',
  summary: 'Download a file',
  description:
    'Streams the original bytes. Knows one Range (several are answered with the whole file; 416 has no body), If-Range, If-Match (412 has no body), If-None-Match and HEAD; ETag is the contentHash. Every byte is checked on its way: a damaged file ends in an error or a broken transfer, never in a clean end.',
  access: 'file:read',
  folderScope: { files: ['params.hash'] },
  rate: 'download',
  params: byHash,
  answerForm: 'bytes',
  errors: [...downloadErrors, 'SERVICE_UNAVAILABLE'],
});

const MiB = 1024 * 1024;
export const mostDownloadManyFileBytes = 8 * MiB;
export const mostDownloadManyBytes = 64 * MiB;

export const downloadMany = endpoint('downloadMany', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/files/download/bulk',
  summary: 'Download many small files in one request',
  description: `Files of at most 8 MiB each and 64 MiB together. It counts as one download. ${bulkAnswerText}`,
  access: 'file:read',
  folderScope: { files: ['body.fileHashes'] },
  rate: 'download',
  body: z.object({ fileHashes: z.array(fileHash).min(1).max(mostBulkAnswers) }),
  answerForm: 'bytes',
});

export const deleteFile = endpoint('deleteFile', {
  ...common,
  route: 'DELETE /api/v1/files/{hash}',
  summary: 'Delete a file',
  description:
    'It moves to the trash of its owner. The newest living ancestor becomes the latest version. The bytes go after the retention time.',
  access: 'file:delete',
  folderScope: { files: ['params.hash'] },
  params: byHash,
  errors: ['FILE_NOT_EXIST'],
});

export const fileStats = endpoint('fileStats', {
  ...common,
  route: 'GET /api/v1/files/stats',
  summary: 'How many files, how large, how many shared',
  access: 'file:read',
  answer: z.object({
    totalFiles: z.int(),
    totalStorage: z.int(),
    sharedFiles: z.int(),
    todayUploads: z.int(),
  }),
});

export const quotaModes = ['SHADOW', 'ENFORCE'] as const;

export const quotaUsage = z.object({
  usedBytes: z.int().meta({ description: 'with what is in the trash' }),
  maxBytes: z.int(),
  usedFiles: z.int().meta({ description: 'with what is in the trash' }),
  maxFiles: z.int(),
  trashBytes: z.int().meta({ description: 'of those, in the trash' }),
  trashFiles: z.int(),
});

export const fileQuota = endpoint('fileQuota', {
  ...common,
  route: 'GET /api/v1/files/quota',
  summary: 'What is used up of the storage quota',
  access: 'file:read',
  answer: z.object({ mode: z.enum(quotaModes), user: quotaUsage, tenant: quotaUsage }),
});

export const listVersions = endpoint('listVersions', {
  feature: 'versions',
  route: 'GET /api/v1/files/{id}/versions',
  summary: 'All versions of a file, newest first',
  description: 'For the owner and for administrators.',
  access: 'file:read',
  folderScope: { files: ['params.id'] },
  rate: 'other',
  params: byId,
  answer: z.array(versionItem),
  errors: ['FILE_NOT_EXIST', 'VERSION_CHAIN_NOT_FOUND'],
});

export const continueVersion = endpoint('continueVersion', {
  feature: 'versions',
  route: 'POST /api/v1/files/{id}/versions',
  summary: 'Check that a file can be continued by a new version',
  description: 'The new version is written when an upload that names the file as targetFileId completes.',
  access: 'file:write',
  folderScope: { files: ['params.id'] },
  rate: 'other',
  params: byId,
  answer: z.object({ targetFileId: recordId, versionGroupId: recordId, currentVersion: z.int().min(1) }),
  errors: ['FILE_NOT_EXIST', 'VERSION_CONFLICT', 'VERSION_SOURCE_INVALID'],
});
