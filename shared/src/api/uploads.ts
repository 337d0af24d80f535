// Uploads of every kind: whole, in chunks through the server, or in parts directly to the object store.
import { z } from 'zod';
import { numberInText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, contentType, fileHash, fileName, folderPath } from './files.ts';

const MiB = 1024 * 1024;

/** The maximum of any configuration. */
const chunkBytesCeiling = 1024 * MiB;
export const maxChunks = 10_000;

const chunkSizeSteps: readonly (readonly [belowFileSize: number, chunkSize: number])[] = [
  [10 * MiB, 2 * MiB],
  [100 * MiB, 5 * MiB],
  [500 * MiB, 10 * MiB],
  [2048 * MiB, 20 * MiB],
];
const largeChunkSize = 50 * MiB;

/** The chunk size used by all programs for a file of this size; grows beyond 10,000 chunks. */
export function recommendChunkSize(fileSize: number): number {
  const step = chunkSizeSteps.find(([below]) => fileSize < below)?.[1] ?? largeChunkSize;
  return Math.max(step, Math.ceil(fileSize / maxChunks));
}

/** An empty file is one empty chunk. */
export const countChunks = (fileSize: number, chunkSize: number): number =>
  Math.max(1, Math.ceil(fileSize / chunkSize));

export const chunkLength = (fileSize: number, chunkSize: number, index: number): number =>
  Math.max(0, Math.min(chunkSize, fileSize - index * chunkSize));

export const clientId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits or hyphens');

const uploadStatuses = ['UPLOADING', 'PAUSED', 'FINALIZING', 'COMPLETED', 'CANCELLED', 'EXPIRED', 'FAILED'] as const;
export type UploadStatus = (typeof uploadStatuses)[number];

const fileSize = z
  .int()
  .min(0)
  .max(2 ** 50)
  .refine(size => size > 0, {
    error: 'must be at least 1; an empty file proves nothing',
    params: { kind: 'FILE_EMPTY' },
  });
const chunkSize = z.int().min(1).max(chunkBytesCeiling);
const totalChunks = z.int().min(1).max(maxChunks);
const partIndex = z
  .int()
  .min(0)
  .max(maxChunks - 1);

/** Browsers send an empty type for unknown files. */
export const contentTypeOrNone = contentType
  .or(z.literal(''))
  .default('')
  .transform(type => type || 'application/octet-stream');

export const nameConflicts = ['newVersion', 'keepBoth', 'skip'] as const;
export type NameConflict = (typeof nameConflicts)[number];

/** What to do if the folder has a file of the same name. Default: keep both under that name. */
export const onConflict = z.enum(nameConflicts).optional().meta({
  description:
    'where the folder has a file of that name: continue it as its next version, number the new file, or reject it (409, 50003); left out, both keep the name',
});

const plan = z.object({
  fileName,
  fileSize,
  contentType: contentTypeOrNone,
  chunkSize,
  totalChunks,
  clientId: clientId.optional(),
  targetFileId: recordId.optional().meta({ description: 'the file whose next version this upload becomes' }),
  path: folderPath.optional(),
  onConflict,
  contentHash: contentHash.optional().meta({ description: 'checked against what arrived, when given' }),
});

const started = z.object({
  clientId,
  chunkSize: z.int(),
  totalChunks: z.int(),
  singleChunk: z.boolean(),
  uploadedChunks: z.array(z.int()),
  resumed: z.boolean(),
});

/** The result of every kind of upload. */
export const uploadResult = z.object({
  clientId,
  fileId: recordId,
  fileHash,
  contentHash,
  transactionHash: z.string(),
  manifestHash: contentHash,
  version: z.int().min(1),
  status: z.literal('SUCCESS'),
});
export type UploadResult = z.infer<typeof uploadResult>;

const named = z.object({ clientId });
const state = z.object({ clientId, status: z.enum(uploadStatuses) });

const uploadErrors = [
  'FILE_MAX_SIZE_OVERFLOW',
  'QUOTA_EXCEEDED',
  'VERSION_SOURCE_INVALID',
  'VERSION_CONFLICT',
  'DATA_ALREADY_EXISTED',
  'CONFLICT',
  'UNPROCESSABLE',
] as const;

export const restoreVersion = endpoint('restoreVersion', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/files/{id}/versions/restore',
  summary: 'Restore an older version of an own file as its newest',
  description:
    'The server stores the bytes of this version again, as the next version with a record and a proof of its own, under the name and in the folder that the file has now. The older versions stay. 409 where it is the newest already.',
  access: 'file:write',
  folderScope: { files: ['params.id'] },
  rate: 'upload',
  params: z.object({ id: recordId }),
  answer: uploadResult,
  errors: [...uploadErrors, 'FILE_NOT_EXIST', 'VERSION_CHAIN_NOT_FOUND'],
});

export const uploadFile = endpoint('uploadFile', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/files/upload',
  aliases: ['/file/upload'],
  summary: 'Upload a file in one request',
  description:
    'A form with the part "file"; "targetFileId", "contentHash", "path" and "onConflict" may stand beside it. With a header Idempotency-Key ' +
    '(letters, digits, "_", "-", up to 64) the same request can be sent again for 24 hours, also when its answer got lost: ' +
    'one file comes of it, and the answer is the same.',
  access: 'file:write',
  folderScope: { inBody: true },
  rate: 'upload',
  body: z.object({
    file: z.string().meta({ format: 'binary' }),
    targetFileId: recordId.optional(),
    contentHash: contentHash.optional(),
    path: folderPath.optional(),
    onConflict,
  }),
  bodyForms: ['multipart'],
  answer: uploadResult,
  errors: [...uploadErrors, 'FILE_EMPTY', 'FILE_UPLOAD_ERROR', 'REQUEST_ID_REUSED'],
});

export const startUpload = endpoint('startUpload', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/files/upload/start',
  aliases: ['/file/upload/start'],
  summary: 'Start or resume an upload in chunks',
  description:
    'totalChunks must be fileSize divided by chunkSize, rounded up. A known clientId with the same plan resumes.',
  access: 'file:write',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rate: 'upload',
  body: plan,
  answer: started,
  errors: [...uploadErrors, 'FILE_EMPTY'],
});

export const uploadChunk = endpoint('uploadChunk', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/files/upload/chunk',
  aliases: ['/file/upload/chunk'],
  summary: 'Upload one chunk',
  description:
    'A form with chunkNumber (from 0), totalChunks, clientId or fileHash, and last the part "chunk". Without clientId, fileHash is the key of the client itself: it is bound to its newest open upload of that many chunks, and to the next one when the client begins the same file again.',
  access: 'file:write',
  folderScope: { inBody: true },
  rate: 'chunk',
  body: z.object({
    clientId: clientId.optional(),
    fileHash: z.string().max(128).optional().meta({ description: "the client's own key, when it sends no clientId" }),
    chunkNumber: numberInText(partIndex),
    totalChunks: numberInText(totalChunks),
    chunk: z.string().meta({ format: 'binary' }),
  }),
  bodyForms: ['multipart'],
  answer: z.object({ clientId, chunkNumber: z.int(), uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeUpload = endpoint('completeUpload', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/files/upload/complete',
  aliases: ['/file/upload/complete'],
  summary: 'Complete an upload in chunks; may be called again',
  access: 'file:write',
  folderScope: { upload: 'body.clientId' },
  rate: 'chunk',
  body: named,
  bodyForms: ['form', 'json'],
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});

const control = (name: string, path: string, summary: string) =>
  endpoint(name, {
    feature: 'uploads',
    method: 'POST',
    path: `/api/v1/files/upload/${path}`,
    summary,
    access: 'file:write',
    folderScope: { upload: 'body.clientId' },
    rate: 'chunk',
    body: named,
    bodyForms: ['form', 'json'],
    answer: state,
    errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT'],
  });

export const pauseUpload = control('pauseUpload', 'pause', 'Pause an upload: chunks are refused until it is resumed');
export const resumeUpload = control('resumeUpload', 'resume', 'Go on with a paused upload');
export const cancelUpload = control('cancelUpload', 'cancel', 'Give an upload up; what was received is removed');

export const checkUpload = endpoint('checkUpload', {
  feature: 'uploads',
  method: 'GET',
  path: '/api/v1/files/upload/check',
  summary: 'What of an upload has arrived',
  access: 'file:write',
  folderScope: { upload: 'query.clientId' },
  rate: 'other',
  query: named,
  answer: z.object({
    clientId,
    fileName: z.string(),
    fileSize: z.int(),
    status: z.enum(uploadStatuses),
    paused: z.boolean(),
    progress: z.number(),
    uploadedChunks: z.array(z.int()),
    totalChunks: z.int(),
  }),
  errors: ['UPLOAD_SESSION_NOT_FOUND'],
});

export const uploadProgress = endpoint('uploadProgress', {
  feature: 'uploads',
  method: 'GET',
  path: '/api/v1/files/upload/progress',
  summary: 'How far an upload is, in percent',
  access: 'file:write',
  folderScope: { upload: 'query.clientId' },
  rate: 'other',
  query: named,
  answer: z.object({
    clientId,
    status: z.enum(uploadStatuses),
    progress: z.number(),
    uploadProgress: z.number(),
    processProgress: z.number(),
    uploadedChunkCount: z.int(),
    totalChunks: z.int(),
  }),
  errors: ['UPLOAD_SESSION_NOT_FOUND'],
});

export const listUploads = endpoint('listUploads', {
  feature: 'uploads',
  method: 'GET',
  path: '/api/v1/upload-sessions',
  summary: 'Own uploads that are not finished',
  access: 'file:write',
  rate: 'other',
  answer: z.array(
    z.object({
      clientId,
      fileName: z.string(),
      fileSize: z.int(),
      status: z.enum(uploadStatuses),
      direct: z.boolean(),
      uploadedChunkCount: z.int(),
      totalChunks: z.int(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
    }),
  ),
});

export const createUploadSession = endpoint('createUploadSession', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/upload-sessions',
  summary: 'Create an upload session through the server',
  description: 'Without a chunk size the recommended one is taken; the answer names it.',
  access: 'file:write',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rate: 'upload',
  body: plan.partial({ chunkSize: true, totalChunks: true }),
  answer: started,
  errors: [...uploadErrors, 'FILE_EMPTY'],
});

export const uploadPart = endpoint('uploadPart', {
  feature: 'uploads',
  method: 'PUT',
  path: '/api/v1/upload-sessions/{clientId}/parts/{index}',
  summary: 'Upload the bytes of one part',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: z.object({
    clientId,
    index: numberInText(partIndex),
  }),
  bodyForms: ['bytes'],
  answer: z.object({ clientId, chunkNumber: z.int(), uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeUploadSession = endpoint('completeUploadSession', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/upload-sessions/{clientId}/complete',
  summary: 'Complete an upload session; may be called again',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: named,
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});

export const manifestSchemaId = 'recordproof.chunk-manifest.v1';

const directPart = z.object({
  index: partIndex,
  size: z.int().min(1).max(chunkBytesCeiling),
  plainHash: contentHash,
  cipherHash: contentHash,
  checksumAlgorithm: z.literal('SHA-256'),
});

export const startDirectUpload = endpoint('startDirectUpload', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/upload-sessions/direct',
  summary: 'Start or resume an upload straight to the object store',
  description:
    'Every part is announced with its hash before it is sent, but not all in one call: asking again with the same clientId and plan announces further parts, so that a client can send the first ones while it hashes the last ones. A part that was announced before is signed anew, also after its address has expired; with another hash or size it is refused. The answer holds the parts of this call. Completing needs all totalChunks parts. Only a call that begins an upload, or is rejected as none, uses up the allowance of uploads; further ones count as chunks.',
  access: 'file:write',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rate: 'chunk',
  rejectedRate: 'upload',
  body: plan.extend({ parts: z.array(directPart).min(1).max(maxChunks) }),
  maxBodyBytes: 8 * MiB,
  answer: z.object({
    clientId,
    chunkSize: z.int(),
    totalChunks: z.int(),
    resumed: z.boolean(),
    manifestSchemaId: z.literal(manifestSchemaId),
    parts: z.array(
      z.object({
        index: z.int(),
        size: z.int(),
        uploadUrl: z.string(),
        headers: z.record(z.string(), z.string()),
        expiresAtEpochSeconds: z.int(),
        storagePath: z.string(),
        plainHash: contentHash,
        cipherHash: contentHash,
        uploaded: z.boolean(),
      }),
    ),
  }),
  errors: [...uploadErrors, 'FILE_EMPTY'],
});

export const completeDirectUpload = endpoint('completeDirectUpload', {
  feature: 'uploads',
  method: 'POST',
  path: '/api/v1/upload-sessions/{clientId}/direct/complete',
  summary: 'Complete a direct upload; may be called again',
  description:
    'The server reads every part back and computes its SHA-256 before the file is registered. An ETag that is named must be the one the store has for the part; parts may be left out, and an empty ETag says nothing.',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: named,
  body: z.object({ parts: z.array(z.object({ index: z.int().min(0), eTag: z.string().max(128) })).max(maxChunks) }),
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});

export const abortDirectUpload = endpoint('abortDirectUpload', {
  feature: 'uploads',
  method: 'DELETE',
  path: '/api/v1/upload-sessions/{clientId}/direct',
  summary: 'Give a direct upload up; what was received is removed',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: named,
  errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT'],
});

const signedQuery = z.object({
  method: z.string(),
  key: z.string(),
  size: z.string(),
  expires: z.string(),
  signature: z.string(),
});

export const putSignedObject = endpoint('putSignedObject', {
  feature: 'uploads',
  method: 'PUT',
  path: '/api/v1/objects',
  summary: 'The embedded store behind a signed upload address',
  description:
    'The address comes from a direct upload. It is good for one object, one length, and a limited time. An upload may send each of its parts ten times; what is not signed counts as a chunk of its address.',
  access: 'anonymous',
  rate: 'own',
  query: signedQuery,
  bodyForms: ['bytes'],
  answerForm: 'bytes',
  errors: ['FORBIDDEN', 'PARAM_IS_INVALID'],
});

export const getSignedObject = endpoint('getSignedObject', {
  feature: 'uploads',
  method: 'GET',
  path: '/api/v1/objects',
  summary: 'The embedded store behind an address signed for reading',
  description: 'Answers the object as it is stored. The address is good for one object and a limited time.',
  access: 'anonymous',
  rate: 'chunk',
  query: signedQuery,
  answerForm: 'bytes',
  errors: ['FORBIDDEN', 'NOT_FOUND'],
});
