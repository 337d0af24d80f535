// Drop links: anonymous uploads into a folder of the owner, with a signed receipt for each file.
import { z } from 'zod';
import { isoTime, numberInText, optionalText, pageOf, pageQuery, plainText, recordId, textInLines } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, fileHash, proofStatuses } from './files.ts';
import { misleading, newFileName, newFolderPath } from './folders.ts';
import { sharePassword } from './shares.ts';
import { clientId, contentTypeOrNone, maxChunks } from './uploads.ts';

const GiB = 2 ** 30;

const dropStates = ['OPEN', 'FULL', 'EXPIRED', 'CLOSED'] as const;
export type DropState = (typeof dropStates)[number];

const dropFieldKinds = ['NAME', 'MAIL', 'TEXT'] as const;
const mostDropFields = 10;
export const mostDropLinks = 1000;
export const mostDropFiles = 10_000;
export const maxDropMinutes = 527_040;
const maxFieldCharacters = 500;

/** The path of the public page; the code follows. */
export const dropPagePrefix = '/d/';
export const dropCodePattern = /^[0-9A-Za-z]{22}$/;

const oneLine = (maxCharacters: number) =>
  plainText(maxCharacters).refine(text => !misleading.test(text), 'must not hold characters that turn text');

const field = z.object({
  label: oneLine(60),
  kind: z.enum(dropFieldKinds).default('TEXT'),
  required: z.boolean().default(true),
});
export type DropField = z.infer<typeof field>;

const fields = z
  .array(field)
  .max(mostDropFields)
  .refine(
    list => new Set(list.map(({ label }) => label)).size === list.length,
    'must not hold the same label more than once',
  )
  .meta({ description: 'what a sender fills in' });

const terms = z.object({
  title: oneLine(100),
  message: textInLines(2000).nullable(),
  expireMinutes: z.int().min(1).max(maxDropMinutes).meta({ description: 'from now on' }),
  password: sharePassword.nullable(),
  maxFiles: z.int().min(1).max(mostDropFiles),
  maxBytes: z
    .int()
    .min(1)
    .max(2 ** 50)
    .meta({ description: 'of all files together' }),
  maxFileBytes: z
    .int()
    .min(1)
    .max(2 ** 50)
    .meta({ description: 'of one file' }),
  maxFilesPerAddress: z
    .int()
    .min(1)
    .max(mostDropFiles)
    .meta({ description: 'from one IPv4 address or IPv6 /64 network' }),
});

const dropLink = terms.omit({ expireMinutes: true, password: true }).extend({
  id: recordId,
  code: z.string().meta({ description: `the page for senders is ${dropPagePrefix}{code}` }),
  state: z.enum(dropStates),
  path: z.string().nullable().meta({ description: 'the folder that files arrive in; null at the top level' }),
  fields,
  hasPassword: z.boolean(),
  expireTime: isoTime,
  arrivedFiles: z.int().min(0),
  arrivedBytes: z.int().min(0),
  createdAt: isoTime,
});
export type DropLink = z.infer<typeof dropLink>;

export const createDropLink = endpoint('createDropLink', {
  feature: 'drop-links',
  method: 'POST',
  path: '/api/v1/files/drop-links',
  summary: 'Ask for files: create a drop link into an own folder',
  description: `Anybody who has the link can send files, which count as the owner's. At most ${mostDropLinks.toLocaleString('en')} links. A password is kept as a hash only.`,
  access: 'file:share',
  folderScope: { folder: 'body.path' },
  rate: 'other',
  body: z.object({
    title: terms.shape.title,
    message: terms.shape.message.default(null),
    path: newFolderPath.optional(),
    fields: fields.default([]),
    expireMinutes: terms.shape.expireMinutes.default(20_160),
    password: sharePassword.optional(),
    maxFiles: terms.shape.maxFiles.default(1000),
    maxBytes: terms.shape.maxBytes.default(10 * GiB),
    maxFileBytes: terms.shape.maxFileBytes.default(10 * GiB),
    maxFilesPerAddress: terms.shape.maxFilesPerAddress.default(200),
  }),
  answer: dropLink,
  errors: ['CONFLICT'],
});

export const listDropLinks = endpoint('listDropLinks', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links',
  summary: 'List own drop links, the newest first',
  access: 'file:read',
  rate: 'other',
  query: pageQuery(['createdAt']),
  answer: pageOf(dropLink),
});

const byId = z.object({ id: recordId });

export const getDropLink = endpoint('getDropLink', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'One own drop link',
  access: 'file:read',
  rate: 'other',
  params: byId,
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const updateDropLink = endpoint('updateDropLink', {
  feature: 'drop-links',
  method: 'PUT',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'Change, close or reopen a drop link',
  description: 'Changes what is named. A closed link takes nothing, not even the rest of an upload.',
  access: 'file:share',
  rate: 'other',
  params: byId,
  body: terms
    .extend({ closed: z.boolean() })
    .partial()
    .refine(body => Object.values(body).some(value => value !== undefined), 'must name what is to change'),
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const deleteDropLink = endpoint('deleteDropLink', {
  feature: 'drop-links',
  method: 'DELETE',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'Delete a drop link and what its senders filled in',
  description: 'The files that arrived stay. Receipts that senders have saved stay valid.',
  access: 'file:share',
  rate: 'other',
  params: byId,
  errors: ['DROP_LINK_NOT_FOUND'],
});

const arrival = z.object({
  id: recordId,
  fileName: z.string().meta({ description: 'as the sender called it' }),
  path: z.string().nullable().meta({ description: 'the folder it was sent in' }),
  fileSize: z.int().min(1),
  receivedAt: isoTime,
  contentHash,
  fileHash,
  proofStatus: z.enum([...proofStatuses, 'DELETED']),
});

const ownerArrival = arrival.extend({
  storedName: z.string().nullable().meta({ description: 'what the file is called now; null when it was deleted' }),
  ip: z.string(),
  fields: z.record(z.string(), z.string()),
});
export type DropArrival = z.infer<typeof ownerArrival>;

export const listDropArrivals = endpoint('listDropArrivals', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links/{id}/arrivals',
  summary: 'What arrived through an own drop link, and from whom',
  access: 'file:read',
  rate: 'other',
  params: byId,
  query: pageQuery(['receivedAt']),
  answer: pageOf(ownerArrival),
  errors: ['DROP_LINK_NOT_FOUND'],
});

const code = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'code of the drop link', examples: ['7gK2mQ9xTb4R7gK2mQ9xTb'] });
const byCode = z.object({ code });
const byFile = z.object({ code, id: recordId });

/** Authenticates the sender: the `sender` returned by `beginDrop`. */
export const dropSenderHeader = 'X-Drop-Sender';
const headers = { [dropSenderHeader]: 'the `sender` that the link was entered with' };

const dropInfo = z.object({
  title: z.string(),
  message: z.string().nullable(),
  recipient: z.string().meta({ description: 'what the owner is called' }),
  state: z.enum(dropStates),
  expireTime: isoTime,
  hasPassword: z.boolean(),
  fields,
  filesLeft: z.int().min(0),
  bytesLeft: z.int().min(0),
  maxFileBytes: z.int().min(1),
});
export type DropInfo = z.infer<typeof dropInfo>;

export const getDropInfo = endpoint('getDropInfo', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/drop/{code}',
  summary: 'What a drop link asks for',
  access: 'anonymous',
  rate: 'share',
  params: byCode,
  answer: dropInfo,
  errors: ['DROP_LINK_NOT_FOUND'],
});

const closed = ['DROP_LINK_NOT_FOUND', 'DROP_LINK_CLOSED'] as const;
const senderErrors = [...closed, 'UNAUTHORIZED', 'FILE_NOT_EXIST'] as const;

export const beginDrop = endpoint('beginDrop', {
  feature: 'drop-links',
  method: 'POST',
  path: '/api/v1/drop/{code}/senders',
  summary: 'Enter a drop link as a sender',
  description:
    'The answer is needed for everything else, and shows this sender its own files only. 403 with `data.detail.reason` PASSWORD_REQUIRED or PASSWORD_WRONG, with `triesLeft`; 429 after too many wrong passwords; 410 with `data.detail.reason` CLOSED or EXPIRED.',
  access: 'anonymous',
  rate: 'share',
  params: byCode,
  body: z.object({
    password: z.string().max(64).optional(),
    fields: z.record(oneLine(60), optionalText(maxFieldCharacters)).default({}),
  }),
  answer: z.object({ sender: z.string() }),
  errors: [...closed, 'FORBIDDEN', 'DROP_LINK_FULL'],
});

const sentFile = arrival.omit({ receivedAt: true, contentHash: true, fileHash: true }).extend({
  key: clientId,
  state: z.enum(['UPLOADING', 'COMPLETED']),
  receivedAt: isoTime.nullable(),
  contentHash: contentHash.nullable(),
  fileHash: fileHash.nullable(),
  receipt: z.string().nullable().meta({ description: 'the signed statement, a compact JWS' }),
});
export type SentFile = z.infer<typeof sentFile>;

export const startDropFile = endpoint('startDropFile', {
  feature: 'drop-links',
  method: 'POST',
  path: '/api/v1/drop/{code}/files',
  summary: 'Start or resume sending a file',
  description:
    'The same `key` resumes the same file. Its bytes then go in chunks of `chunkSize`, those in `uploadedChunks` are there. A file of a name that the folder has already is numbered. 409 DROP_LINK_FULL with `data.detail.reason` FILES, BYTES, ADDRESS or UNDER_WAY.',
  access: 'anonymous',
  rate: 'upload',
  params: byCode,
  headers,
  body: z.object({
    key: clientId,
    fileName: newFileName,
    path: newFolderPath.optional(),
    fileSize: z
      .int()
      .min(0)
      .max(2 ** 50),
    contentType: contentTypeOrNone,
    contentHash: contentHash.optional().meta({ description: 'checked against what arrived, when given' }),
  }),
  answer: sentFile.extend({
    chunkSize: z.int().min(1),
    totalChunks: z.int().min(1),
    uploadedChunks: z.array(z.int()),
  }),
  errors: [...senderErrors, 'DROP_LINK_FULL', 'FILE_EMPTY', 'FILE_MAX_SIZE_OVERFLOW', 'QUOTA_EXCEEDED', 'CONFLICT'],
});

export const putDropPart = endpoint('putDropPart', {
  feature: 'drop-links',
  method: 'PUT',
  path: '/api/v1/drop/{code}/files/{id}/parts/{index}',
  summary: 'Send the bytes of one chunk',
  access: 'anonymous',
  rate: 'chunk',
  params: byFile.extend({
    index: numberInText(
      z
        .int()
        .min(0)
        .max(maxChunks - 1),
    ),
  }),
  headers,
  bodyForms: ['bytes'],
  answer: z.object({ uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: [...senderErrors, 'UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeDropFile = endpoint('completeDropFile', {
  feature: 'drop-links',
  method: 'POST',
  path: '/api/v1/drop/{code}/files/{id}/complete',
  summary: 'Complete a file: it is recorded, and the answer holds the receipt; may be called again',
  access: 'anonymous',
  rate: 'chunk',
  params: byFile,
  headers,
  answer: sentFile,
  errors: [
    ...senderErrors,
    'UPLOAD_SESSION_NOT_FOUND',
    'CONFLICT',
    'DATA_IS_WRONG',
    'QUOTA_EXCEEDED',
    'FILE_UPLOAD_ERROR',
    'UNPROCESSABLE',
  ],
});

export const cancelDropFile = endpoint('cancelDropFile', {
  feature: 'drop-links',
  method: 'DELETE',
  path: '/api/v1/drop/{code}/files/{id}',
  summary: 'Stop sending a file; what was received of it is removed',
  access: 'anonymous',
  rate: 'chunk',
  params: byFile,
  headers,
  errors: [...senderErrors, 'CONFLICT'],
});

export const listSentFiles = endpoint('listSentFiles', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/drop/{code}/files',
  summary: 'What this sender has sent through a drop link',
  description: 'At most the newest 1,000.',
  access: 'anonymous',
  rate: 'chunk',
  params: byCode,
  headers,
  answer: z.array(sentFile),
  errors: senderErrors,
});

export const getDropReceipt = endpoint('getDropReceipt', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/drop/{code}/files/{id}/receipt',
  summary: 'The receipt of a file: docs/spec/drop-receipt.md',
  description:
    'Holds the signed statement, what the sender filled in, and the proof that the ledger has the statement. It can be checked without this server.',
  access: 'anonymous',
  rate: 'download',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [...senderErrors, 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const getDropProof = endpoint('getDropProof', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/drop/{code}/files/{id}/proof',
  summary: 'The proof archive of a sent file, once it is issued',
  access: 'anonymous',
  rate: 'download',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [...senderErrors, 'CONFLICT', 'FILE_RECORD_ERROR', 'UNPROCESSABLE'],
});

export const getDropPage = endpoint('getDropPage', {
  feature: 'drop-links',
  method: 'GET',
  path: '/d/{code}',
  summary: 'The page of a drop link',
  description: 'For people: says what is asked for, sends files and folders, resumes broken uploads, saves receipts.',
  access: 'anonymous',
  rate: 'share',
  params: byCode,
  answer: z.string(),
  answerForm: 'text',
});
