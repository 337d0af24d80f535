// Senders of a drop link: enter the link, send files in chunks, and fetch a signed receipt for each file.
import { z } from 'zod';
import { isoTime, numberFromText, optionalText, recordId } from './common.ts';
import { dropArrival, dropFields, dropStates, oneLine } from './drop-links.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, fileHash } from './files.ts';
import { newFileName, newFolderPath } from './folders.ts';
import { clientId, contentTypeOrNone, partIndex } from './uploads.ts';

const maxFieldCharacters = 500;

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
  fields: dropFields,
  filesLeft: z.int().min(0),
  bytesLeft: z.int().min(0),
  maxFileBytes: z.int().min(1),
});
export type DropInfo = z.infer<typeof dropInfo>;

const common = { feature: 'drop-links', access: 'anonymous' } as const;

export const getDropInfo = endpoint('getDropInfo', {
  ...common,
  route: 'GET /api/v1/drop/{code}',
  summary: 'What a drop link asks for',
  rate: 'share',
  params: byCode,
  answer: dropInfo,
  errors: ['DROP_LINK_NOT_FOUND'],
});

const closed = ['DROP_LINK_NOT_FOUND', 'DROP_LINK_CLOSED'] as const;
const senderErrors = [...closed, 'UNAUTHORIZED', 'FILE_NOT_EXIST'] as const;

export const beginDrop = endpoint('beginDrop', {
  ...common,
  route: 'POST /api/v1/drop/{code}/senders',
  summary: 'Enter a drop link as a sender',
  description:
    'The answer is needed for everything else, and shows this sender its own files only. 403 with `data.detail.reason` PASSWORD_REQUIRED or PASSWORD_WRONG, with `triesLeft`; 429 after too many wrong passwords; 410 with `data.detail.reason` CLOSED or EXPIRED.',
  rate: 'share',
  params: byCode,
  body: z.object({
    password: z.string().max(64).optional(),
    fields: z.record(oneLine(60), optionalText(maxFieldCharacters)).default({}),
  }),
  answer: z.object({ sender: z.string() }),
  errors: [...closed, 'FORBIDDEN', 'DROP_LINK_FULL'],
});

const sentFile = dropArrival.omit({ receivedAt: true, contentHash: true, fileHash: true }).extend({
  key: clientId,
  state: z.enum(['UPLOADING', 'COMPLETED']),
  receivedAt: isoTime.nullable(),
  contentHash: contentHash.nullable(),
  fileHash: fileHash.nullable(),
  receipt: z.string().nullable().meta({ description: 'the signed statement, a compact JWS' }),
});
export type SentFile = z.infer<typeof sentFile>;

export const startDropFile = endpoint('startDropFile', {
  ...common,
  route: 'POST /api/v1/drop/{code}/files',
  summary: 'Start or resume sending a file',
  description:
    'The same `key` resumes the same file. Its bytes then go in chunks of `chunkSize`, those in `uploadedChunks` are there. A file of a name that the folder has already is numbered. 409 DROP_LINK_FULL with `data.detail.reason` FILES, BYTES, ADDRESS or UNDER_WAY.',
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
  ...common,
  route: 'PUT /api/v1/drop/{code}/files/{id}/parts/{index}',
  summary: 'Send the bytes of one chunk',
  rate: 'chunk',
  params: byFile.extend({ index: numberFromText(partIndex) }),
  headers,
  bodyForms: ['bytes'],
  answer: z.object({ uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: [...senderErrors, 'UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeDropFile = endpoint('completeDropFile', {
  ...common,
  route: 'POST /api/v1/drop/{code}/files/{id}/complete',
  summary: 'Complete a file: it is recorded, and the answer holds the receipt; may be called again',
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
  ...common,
  route: 'DELETE /api/v1/drop/{code}/files/{id}',
  summary: 'Stop sending a file; what was received of it is removed',
  rate: 'chunk',
  params: byFile,
  headers,
  errors: [...senderErrors, 'CONFLICT'],
});

export const listSentFiles = endpoint('listSentFiles', {
  ...common,
  route: 'GET /api/v1/drop/{code}/files',
  summary: 'What this sender has sent through a drop link',
  description: 'At most the newest 1,000.',
  rate: 'chunk',
  params: byCode,
  headers,
  answer: z.array(sentFile),
  errors: senderErrors,
});

export const getDropReceipt = endpoint('getDropReceipt', {
  ...common,
  route: 'GET /api/v1/drop/{code}/files/{id}/receipt',
  summary: 'The receipt of a file: docs/spec/drop-receipt.md',
  description:
    'Holds the signed statement, what the sender filled in, and the proof that the ledger has the statement. It can be checked without this server.',
  rate: 'download',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [...senderErrors, 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const getDropProof = endpoint('getDropProof', {
  ...common,
  route: 'GET /api/v1/drop/{code}/files/{id}/proof',
  summary: 'The proof archive of a sent file, once it is issued',
  rate: 'download',
  params: byFile,
  headers,
  answerForm: 'bytes',
  errors: [...senderErrors, 'CONFLICT', 'FILE_RECORD_ERROR', 'UNPROCESSABLE'],
});

export const getDropPage = endpoint('getDropPage', {
  ...common,
  route: 'GET /d/{code}',
  summary: 'The page of a drop link',
  description: 'For people: says what is asked for, sends files and folders, resumes broken uploads, saves receipts.',
  rate: 'share',
  params: byCode,
  answer: z.string(),
  answerForm: 'text',
});
