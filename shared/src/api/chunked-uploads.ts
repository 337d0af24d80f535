// Uploads in chunks through the server, keyed by a client id: start, chunks, control, progress, completion.
import { z } from 'zod';
import { numberFromText } from './common.ts';
import { endpoint } from './endpoint.ts';
import {
  byClientId,
  clientId,
  partIndex,
  startedUpload,
  totalChunks,
  uploadErrors,
  uploadPlan,
  uploadResult,
  uploadStatuses,
} from './uploads.ts';

const state = z.object({ clientId, status: z.enum(uploadStatuses) });

const common = { feature: 'uploads', access: 'file:write' } as const;

export const startUpload = endpoint('startUpload', {
  ...common,
  route: 'POST /api/v1/files/upload/start',
  aliases: ['/file/upload/start'],
  summary: 'Start or resume an upload in chunks',
  description:
    'totalChunks must be fileSize divided by chunkSize, rounded up. A known clientId with the same plan, and the same contentHash if one is given, resumes.',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rate: 'upload',
  body: uploadPlan,
  answer: startedUpload,
  errors: [...uploadErrors, 'FILE_EMPTY'],
});

export const uploadChunk = endpoint('uploadChunk', {
  ...common,
  route: 'POST /api/v1/files/upload/chunk',
  aliases: ['/file/upload/chunk'],
  summary: 'Upload one chunk',
  description:
    'A form with chunkNumber (from 0), totalChunks, clientId or fileHash, and last the part "chunk". Without clientId, fileHash is the key of the client itself: it is bound to its newest open upload of that many chunks, and to the next one when the client begins the same file again.',
  folderScope: { inBody: true },
  rate: 'chunk',
  body: z.object({
    clientId: clientId.optional(),
    fileHash: z.string().max(128).optional().meta({ description: "the client's own key, when it sends no clientId" }),
    chunkNumber: numberFromText(partIndex),
    totalChunks: numberFromText(totalChunks),
    chunk: z.string().meta({ format: 'binary' }),
  }),
  bodyForms: ['multipart'],
  answer: z.object({ clientId, chunkNumber: z.int(), uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeUpload = endpoint('completeUpload', {
  ...common,
  route: 'POST /api/v1/files/upload/complete',
  aliases: ['/file/upload/complete'],
  summary: 'Complete an upload in chunks; may be called again',
  folderScope: { upload: 'body.clientId' },
  rate: 'chunk',
  body: byClientId,
  bodyForms: ['form', 'json'],
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});

const control = (name: string, path: string, summary: string) =>
  endpoint(name, {
    ...common,
    route: `POST /api/v1/files/upload/${path}`,
    summary,
    folderScope: { upload: 'body.clientId' },
    rate: 'chunk',
    body: byClientId,
    bodyForms: ['form', 'json'],
    answer: state,
    errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT'],
  });

export const pauseUpload = control('pauseUpload', 'pause', 'Pause an upload: chunks are refused until it is resumed');
export const resumeUpload = control('resumeUpload', 'resume', 'Go on with a paused upload');
export const cancelUpload = control('cancelUpload', 'cancel', 'Give an upload up; what was received is removed');

export const checkUpload = endpoint('checkUpload', {
  ...common,
  route: 'GET /api/v1/files/upload/check',
  summary: 'What of an upload has arrived',
  folderScope: { upload: 'query.clientId' },
  rate: 'other',
  query: byClientId,
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
  ...common,
  route: 'GET /api/v1/files/upload/progress',
  summary: 'How far an upload is, in percent',
  folderScope: { upload: 'query.clientId' },
  rate: 'other',
  query: byClientId,
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
