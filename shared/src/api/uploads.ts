// Uploads of every kind: sizes of chunks, states, plan and result; and the upload of a whole file in one request.
import { z } from 'zod';
import { byId, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, contentType, fileHash, fileName, folderPath } from './files.ts';

const MiB = 1024 * 1024;

/** The maximum of any configuration. */
export const chunkBytesCeiling = 1024 * MiB;
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

export const uploadStatuses = [
  'UPLOADING',
  'PAUSED',
  'FINALIZING',
  'COMPLETED',
  'CANCELLED',
  'EXPIRED',
  'FAILED',
] as const;
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
export const totalChunks = z.int().min(1).max(maxChunks);
export const partIndex = z
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

export const uploadPlan = z.object({
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

export const startedUpload = z.object({
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

export const byClientId = z.object({ clientId });

export const uploadErrors = [
  'FILE_MAX_SIZE_OVERFLOW',
  'QUOTA_EXCEEDED',
  'VERSION_SOURCE_INVALID',
  'VERSION_CONFLICT',
  'DATA_ALREADY_EXISTED',
  'CONFLICT',
  'UNPROCESSABLE',
] as const;

const common = { feature: 'uploads', access: 'file:write', rate: 'upload' } as const;

export const restoreVersion = endpoint('restoreVersion', {
  ...common,
  route: 'POST /api/v1/files/{id}/versions/restore',
  summary: 'Restore an older version of an own file as its newest',
  description:
    'The server stores the bytes of this version again, as the next version with a record and a proof of its own, under the name and in the folder that the file has now. The older versions stay. 409 where it is the newest already.',
  folderScope: { files: ['params.id'] },
  params: byId,
  answer: uploadResult,
  errors: [...uploadErrors, 'FILE_NOT_EXIST', 'VERSION_CHAIN_NOT_FOUND'],
});

export const uploadFile = endpoint('uploadFile', {
  ...common,
  route: 'POST /api/v1/files/upload',
  aliases: ['/file/upload'],
  summary: 'Upload a file in one request',
  description:
    'A form with the part "file"; "targetFileId", "contentHash", "path" and "onConflict" may stand beside it. With a header Idempotency-Key ' +
    '(letters, digits, "_", "-", up to 64) the same request can be sent again for 24 hours, also when its answer got lost: ' +
    'one file comes of it, and the answer is the same.',
  folderScope: { inBody: true },
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
