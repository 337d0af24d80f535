// Direct uploads: parts go straight to the object store, by signed addresses; and the signed addresses of the
// embedded store.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { contentHash } from './files.ts';
import {
  byClientId,
  chunkBytesCeiling,
  clientId,
  maxChunks,
  partIndex,
  uploadErrors,
  uploadPlan,
  uploadResult,
} from './uploads.ts';

export const manifestSchemaId = 'recordproof.chunk-manifest.v1';

const directPart = z.object({
  index: partIndex,
  size: z.int().min(1).max(chunkBytesCeiling),
  plainHash: contentHash,
  cipherHash: contentHash,
  checksumAlgorithm: z.literal('SHA-256'),
});

const common = { feature: 'uploads', rate: 'chunk' } as const;

export const startDirectUpload = endpoint('startDirectUpload', {
  ...common,
  route: 'POST /api/v1/upload-sessions/direct',
  summary: 'Start or resume an upload straight to the object store',
  description:
    'Every part is announced with its hash before it is sent, but not all in one call: asking again with the same clientId and plan announces further parts, so that a client can send the first ones while it hashes the last ones. A part that was announced before is signed anew, also after its address has expired; with another hash or size it is refused. The answer holds the parts of this call. Completing needs all totalChunks parts. Only a call that begins an upload, or is rejected as none, counts towards the rate limit of uploads; further ones count as chunks.',
  access: 'file:write',
  folderScope: { folder: 'body.path', files: ['body.targetFileId'], upload: 'body.clientId' },
  rejectedRate: 'upload',
  body: uploadPlan.extend({ parts: z.array(directPart).min(1).max(maxChunks) }),
  maxBodyBytes: 8 * 1024 * 1024,
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
  ...common,
  route: 'POST /api/v1/upload-sessions/{clientId}/direct/complete',
  summary: 'Complete a direct upload; may be called again',
  description:
    'The server reads every part back and computes its SHA-256 before the file is registered. An ETag that is named must be the one the store has for the part; parts may be left out, and an empty ETag says nothing.',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  params: byClientId,
  body: z.object({ parts: z.array(z.object({ index: z.int().min(0), eTag: z.string().max(128) })).max(maxChunks) }),
  answer: uploadResult,
  errors: [...uploadErrors, 'UPLOAD_SESSION_NOT_FOUND', 'FILE_UPLOAD_ERROR'],
});

export const abortDirectUpload = endpoint('abortDirectUpload', {
  ...common,
  route: 'DELETE /api/v1/upload-sessions/{clientId}/direct',
  summary: 'Give a direct upload up; what was received is removed',
  access: 'file:write',
  folderScope: { upload: 'params.clientId' },
  params: byClientId,
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
  ...common,
  route: 'PUT /api/v1/objects',
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
  ...common,
  route: 'GET /api/v1/objects',
  summary: 'The embedded store behind an address signed for reading',
  description: 'Answers the object as it is stored. The address is good for one object and a limited time.',
  access: 'anonymous',
  query: signedQuery,
  answerForm: 'bytes',
  errors: ['FORBIDDEN', 'NOT_FOUND'],
});
