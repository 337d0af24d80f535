// Short uploads: many small files in one call.
import { z } from 'zod';
import { withParents } from '../file-path.ts';
import { recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, fileName, folderPath, maxPathBytes } from './files.ts';
import { contentTypeOrNone, onConflict, uploadResult } from './uploads.ts';

const MiB = 1024 * 1024;

export const mostBulkFiles = 500;
export const mostBulkFileBytes = 8 * MiB;
export const mostBulkBytes = 64 * MiB;

export const requestId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
  .meta({ description: 'the same within 24 hours answers the same and stores nothing twice' });

/** Name and folder of a file, with the rules of a single upload. An invalid one rejects this file, not the call. */
export const bulkLabel = z.object({ fileName, path: folderPath.optional() });

const ofThisFile = 'what is not allowed refuses this file alone';

const bulkFile = z.object({
  fileName: z
    .string()
    .meta({ description: `1 to 255 characters, none of them a control character, / or \\; ${ofThisFile}` }),
  fileSize: z.int().min(0).max(mostBulkFileBytes),
  contentType: contentTypeOrNone,
  contentHash: contentHash.optional().meta({ description: 'checked against what arrived, when given' }),
  path: z
    .string()
    .optional()
    .meta({ description: `the folder the file came from, relative, with "/" between its parts; ${ofThisFile}` }),
  targetFileId: recordId.optional().meta({ description: 'the file whose next version this one becomes' }),
  onConflict,
});

/** Each folder is a row: without this limit, 500 files of one byte could create 250,000 of them. */
const mostBulkFolders = 10_000;

function isInFewFolders(files: readonly { readonly path?: string | undefined }[]): boolean {
  const folders = new Set<string>();
  for (const { path = '' } of files) {
    if (path.length > maxPathBytes) continue; // that file is rejected on its own
    for (const folder of withParents(path)) folders.add(folder);
    if (folders.size > mostBulkFolders) return false;
  }
  return true;
}

/** The part of the call before the bytes. */
export const bulkManifest = z
  .object({ requestId, files: z.array(bulkFile).min(1).max(mostBulkFiles) })
  .refine(
    ({ files }) => files.reduce((sum, file) => sum + file.fileSize, 0) <= mostBulkBytes,
    `files: at most ${mostBulkBytes} bytes in one call`,
  )
  .refine(
    ({ files }) => isInFewFolders(files),
    `files: in at most ${mostBulkFolders.toLocaleString('en')} folders, with those above them, in one call`,
  );
export type BulkManifest = z.output<typeof bulkManifest>;

const stored = uploadResult.omit({ clientId: true, status: true }).extend({ status: z.literal('STORED') });
const rejected = z.object({
  status: z.literal('REFUSED'),
  code: z.int(),
  message: z.string(),
  retryAfterSeconds: z.int().min(0).optional().meta({ description: 'the Retry-After of a single upload' }),
});

const unknown = rejected.extend({ status: z.literal('UNKNOWN') });

const bulkResult = z.discriminatedUnion('status', [stored, rejected, unknown]);
export type BulkResult = z.infer<typeof bulkResult>;

export const bulkResults = z.object({ results: z.array(bulkResult) });

export const uploadMany = endpoint('uploadMany', {
  feature: 'uploads',
  route: 'POST /api/v1/files/upload/bulk',
  summary: 'Upload many small files in one request',
  description:
    'A form: first the part "manifest", JSON that names every file, then one part with a file name for each of them, in that ' +
    'order. Each file has its own result, at its index: STORED, REFUSED with what a single upload would answer, or UNKNOWN (40005) ' +
    'where a failure left open whether it was stored. Repeat the call with the same requestId to learn that: what was stored is ' +
    'not stored twice. The call itself is refused only where it was not understood. It counts as one upload.',
  access: 'file:write',
  folderScope: { inBody: true },
  rate: 'upload',
  body: z.object({ manifest: bulkManifest, file: z.string().meta({ format: 'binary' }) }),
  bodyForms: ['multipart'],
  answer: bulkResults,
  errors: ['REQUEST_ID_REUSED', 'PARAM_NOT_COMPLETE', 'PARAM_ERROR', 'JSON_PARSE_ERROR'],
});
