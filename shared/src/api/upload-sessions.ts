// Upload sessions: unfinished uploads as resources, with parts sent through the server.
import { z } from 'zod';
import { numberFromText } from './common.ts';
import { endpoint } from './endpoint.ts';
import {
  byClientId,
  clientId,
  partIndex,
  startedUpload,
  uploadErrors,
  uploadPlan,
  uploadResult,
  uploadStatuses,
} from './uploads.ts';

const common = { feature: 'uploads', access: 'file:write' } as const;

export const listUploads = endpoint('listUploads', {
  ...common,
  route: 'GET /api/v1/upload-sessions',
  summary: 'Own uploads that are not finished',
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
  ...common,
  route: 'POST /api/v1/upload-sessions',
  summary: 'Create an upload session through the server',
  description: 'Without a chunk size the recommended one is taken; the answer names it.',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rate: 'upload',
  body: uploadPlan.partial({ chunkSize: true, totalChunks: true }),
  answer: startedUpload,
  errors: [...uploadErrors, 'FILE_EMPTY'],
});

export const uploadPart = endpoint('uploadPart', {
  ...common,
  route: 'PUT /api/v1/upload-sessions/{clientId}/parts/{index}',
  summary: 'Upload the bytes of one part',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: z.object({
    clientId,
    index: numberFromText(partIndex),
  }),
  bodyForms: ['bytes'],
  answer: z.object({ clientId, chunkNumber: z.int(), uploadedChunkCount: z.int(), totalChunks: z.int() }),
  errors: ['UPLOAD_SESSION_NOT_FOUND', 'CONFLICT', 'PARAM_IS_INVALID'],
});

export const completeUploadSession = endpoint('completeUploadSession', {
  ...common,
  route: 'POST /api/v1/upload-sessions/{clientId}/complete',
  summary: 'Complete an upload session; may be called again',
  folderScope: { upload: 'params.clientId' },
  rate: 'chunk',
  params: byClientId,
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});
