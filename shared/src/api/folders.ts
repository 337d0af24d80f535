// Folders of an owner's files: levels, creation, moves, deletion, archives, seals, and path history.
import { z } from 'zod';
import { booleanInText, isoTime, numberFromText, sliceOf, sliceQuery } from './common.ts';
import { type AnswerOf, endpoint } from './endpoint.ts';
import { file, fileHash, fileName, folderPath } from './files.ts';
import { uploadResult } from './uploads.ts';

export const mostFolders = 5000;
export const mostMovedFiles = 500;
const mostFolderFiles = 1000;
export const mostZippedFiles = 1000;
/** Less than a ZIP needs 64-bit records for, and what a browser can hold. */
export const mostZippedBytes = 2 ** 32;
/** Of the answer with a ZIP: bytes of the files in it, since its length is not known in advance where it has proofs. */
export const filesBytesHeader = 'x-file-bytes';
/** What one move or deletion of a folder may hold. */
export const mostFolderContents = 20_000;

/** Characters that change text direction or break lines, which could disguise a name. */
export const misleadingCharacters = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const maxNameCharacters = 255;

const toNfc = (value: unknown) => (typeof value === 'string' ? value.normalize('NFC') : value);

/** The path of a created folder or move target: stricter than labels of older uploads. */
export const newFolderPath = z.preprocess(
  toNfc,
  folderPath
    .refine(
      path => !path.includes('\\') && !misleadingCharacters.test(path),
      'must not hold "\\" or characters that turn text',
    )
    .refine(
      path => path.split('/').every(part => part.trim() === part && part.length <= maxNameCharacters),
      `must have parts of at most ${maxNameCharacters} characters without spaces around them`,
    ),
);

export const newFileName = z.preprocess(
  toNfc,
  fileName
    .refine(name => !misleadingCharacters.test(name), 'must not hold characters that turn text')
    .refine(name => name.trim() === name, 'must not begin or end with a space'),
);

/** "" is the top level. */
const orTop = <S extends z.ZodType>(path: S) => z.union([z.literal(''), path]);
const folderOrTop = orTop(folderPath).meta({ description: 'a folder, or "" for the top level' });

const folder = z.object({
  path: z.string(),
  files: z.int().min(0).meta({ description: 'newest versions; of a level, also those in the folders below' }),
  bytes: z.int().min(0),
  folders: z.int().min(0).meta({ description: 'folders directly in it; 0 where all folders are listed' }),
  createdAt: isoTime.nullable(),
});
export type Folder = z.infer<typeof folder>;

const common = { feature: 'folders', rate: 'other' } as const;

export const listFolders = endpoint('listFolders', {
  ...common,
  route: 'GET /api/v1/files/folders',
  summary: 'Own folders: one level, or all that hold files',
  description: `With \`path\`, the folders directly in it ("" for the top level), empty ones too, in the order of their names, each with the files and bytes in it and below it; go on with \`after\`, the last name. Without \`path\`, all folders that have a file of their own, in the order of their paths, at most the first ${mostFolders.toLocaleString('en')}. The files of one level are \`GET /api/v1/files?folder=\`.`,
  access: 'file:read',
  folderScope: { folder: 'query.path' },
  query: z.object({
    path: folderOrTop.optional(),
    recursive: booleanInText.default(false).meta({
      description: 'with `path`: also the folders below, in the order of their paths; `after` is then a path',
    }),
    after: z.string().max(1024).optional().meta({ description: 'the last name of the page before' }),
    limit: numberFromText(z.int().min(1).max(500).default(100)),
  }),
  answer: z.object({
    folders: z.array(folder),
    more: z.boolean().meta({ description: 'whether there are more' }),
  }),
  errors: ['RESULT_DATA_NONE'],
});

export const listFolderFiles = endpoint('listFolderFiles', {
  ...common,
  route: 'GET /api/v1/files/folders/files',
  summary: 'All files in a folder and below it',
  description: `The newest version of each, the oldest file first, at most ${mostFolderFiles.toLocaleString('en')} a call: a large folder takes a tenth of the calls that \`GET /api/v1/files?path=\` takes. Go on with \`cursor\` until \`nextCursor\` is null. A file that is moved or renamed in between is not listed twice, and no other is missed.`,
  access: 'file:read',
  folderScope: { folder: 'query.path' },
  query: sliceQuery.extend({
    path: folderOrTop,
    limit: numberFromText(z.int().min(1).max(mostFolderFiles).default(mostFolderFiles)),
  }),
  answer: sliceOf(file),
});

export const createFolder = endpoint('createFolder', {
  ...common,
  route: 'POST /api/v1/files/folders',
  summary: 'Create a folder, and those above it that are missing',
  description: 'A folder that exists already stays as it is; `created` is then false.',
  access: 'file:write',
  folderScope: { folder: 'body.path' },
  body: z.object({ path: newFolderPath }),
  answer: z.object({ path: z.string(), created: z.boolean() }),
  errors: ['CONFLICT'],
});

export const deleteFolder = endpoint('deleteFolder', {
  ...common,
  route: 'DELETE /api/v1/files/folders',
  summary: 'Delete a folder: its files move to the trash',
  description: `Without \`recursive\` only an empty folder (409 otherwise). At most ${mostFolderContents.toLocaleString('en')} files, with all their versions, in one transaction.`,
  access: 'file:delete',
  folderScope: { folder: 'query.path' },
  query: z.object({ path: folderPath, recursive: booleanInText.default(false) }),
  answer: z.object({
    files: z.int().min(0),
    folders: z.int().min(0),
    deletedAt: isoTime.meta({ description: 'of its files in the trash; `GET /api/v1/files/trash` lists them by it' }),
  }),
  errors: ['RESULT_DATA_NONE', 'CONFLICT', 'UNPROCESSABLE'],
});

export const moveConflicts = ['fail', 'keepBoth', 'skip'] as const;

const onConflict = z.enum(moveConflicts).default('fail').meta({
  description:
    'where a file or folder of the same name is already: reject everything, number the moved one, or leave it where it is',
});

const moveFiles = z.strictObject({
  fileHash: z.array(fileHash).min(1).max(mostMovedFiles),
  path: orTop(newFolderPath)
    .optional()
    .meta({ description: 'the folder to move to; without it the files stay where they are' }),
  fileName: newFileName.optional().meta({ description: 'a new name, for a single file' }),
  onConflict,
});

const moveFolder = z.strictObject({
  from: folderPath,
  path: newFolderPath.meta({ description: 'what the folder is called afterwards, with the folders above it' }),
  onConflict,
});

export const move = endpoint('move', {
  ...common,
  route: 'POST /api/v1/files/move',
  summary: 'Move or rename files or a folder',
  description: `Everything in one transaction, or nothing. Records, proofs and fileHash do not change; the change is added to the history of each file. All versions of a file move with it; a new name is that of the newest. 409 (50003) with \`data.detail.conflicts\` where names are taken and \`onConflict\` is "fail". A folder cannot move into itself (409). At most ${mostFolderContents.toLocaleString('en')} files in a folder.`,
  access: 'file:write',
  folderScope: { otherFolders: ['body.from', 'body.path'], files: ['body.fileHash'] },
  body: z
    .union([moveFolder, moveFiles])
    .refine(
      body => 'from' in body || body.path !== undefined || body.fileName !== undefined,
      'must name a path or a fileName',
    )
    .refine(
      body => 'from' in body || body.fileName === undefined || body.fileHash.length === 1,
      'fileName: only one file can get a new name',
    ),
  answer: z.object({
    moved: z.int().min(0).meta({ description: 'files that are somewhere else now, or called something else' }),
    skipped: z
      .array(z.string())
      .meta({ description: 'hashes of files, or the path of the folder, left where they were' }),
    renamed: z.array(z.object({ fileHash, fileName: z.string() })).meta({ description: 'files that were numbered' }),
    path: z.string().nullable().meta({ description: 'of a folder: what it is called now' }),
  }),
  errors: ['FILE_NOT_EXIST', 'RESULT_DATA_NONE', 'CONFLICT', 'DATA_ALREADY_EXISTED', 'UNPROCESSABLE'],
});

const pathChange = z.object({
  path: z.string().nullable(),
  fileName: z.string(),
  until: isoTime.meta({ description: 'when it was moved or renamed away from there' }),
  changedBy: z.string().nullable(),
});
export type PathChange = z.infer<typeof pathChange>;

export const listPathHistory = endpoint('listPathHistory', {
  ...common,
  route: 'GET /api/v1/files/{hash}/paths',
  summary: 'Where a file has been and what it was called, newest first',
  description: 'Earlier paths and names only; the file has the present ones. At most the newest 100.',
  access: 'file:read',
  params: z.object({ hash: fileHash }),
  answer: z.array(pathChange),
  errors: ['FILE_NOT_EXIST'],
});

export const downloadFolder = endpoint('downloadFolder', {
  ...common,
  route: 'GET /api/v1/files/folders/zip',
  summary: 'Download a folder as one ZIP',
  description:
    'The newest versions of all files in the folder and below it, as they are. With `proofs` each issued proof is added as proofs/<path>.proof.zip. The header `x-file-bytes` is the number of bytes of the files, without proofs; `content-length` is absent where proofs are added.',
  access: 'file:read',
  folderScope: { folder: 'query.path' },
  rate: 'download',
  takesStreamToken: true,
  query: z.object({ path: folderOrTop, proofs: booleanInText.default(false) }),
  answerForm: 'bytes',
  errors: ['RESULT_DATA_NONE', 'FILE_DOWNLOAD_ERROR', 'FILE_RECORD_ERROR', 'UNPROCESSABLE'],
});

export const downloadFiles = endpoint('downloadFiles', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/files/zip',
  summary: 'Download many own files as one ZIP',
  description: `As a folder: each file in its folder, with its issued proof if \`proofs\` is true. At most ${mostZippedFiles.toLocaleString('en')} files and ${mostZippedBytes / 2 ** 30} GiB; older versions count as files of their own. Headers as for a folder. Nothing is sent where one of them does not exist.`,
  access: 'file:read',
  folderScope: { files: ['body.fileHash'] },
  rate: 'download',
  body: z.object({ fileHash: z.array(fileHash).min(1).max(mostZippedFiles), proofs: z.boolean().default(false) }),
  answerForm: 'bytes',
  errors: ['FILE_NOT_EXIST', 'FILE_DOWNLOAD_ERROR', 'FILE_RECORD_ERROR', 'UNPROCESSABLE'],
});

export const sealFolder = endpoint('sealFolder', {
  ...common,
  route: 'POST /api/v1/files/folders/seal',
  summary: 'Seal a folder: one file that lists all of it, with one proof',
  description:
    'Stores a list of all files in the folder (path, size, SHA-256; format recordproof.folder.v1) as a file beside the folder. Its proof proves the whole folder as it is now.',
  access: 'file:write',
  folderScope: { folder: 'body.path' },
  rate: 'upload',
  body: z.object({ path: folderPath }),
  answer: uploadResult.omit({ clientId: true, status: true }).extend({
    fileName: z.string(),
    path: z.string().nullable(),
    files: z.int().min(1),
  }),
  errors: ['RESULT_DATA_NONE', 'QUOTA_EXCEEDED', 'UNPROCESSABLE'],
});
export type SealedFolder = AnswerOf<typeof sealFolder>;
