// The trash: files that their owner deleted, until they are restored or purged.
import { z } from 'zod';
import { isoTime, pageOf, pageQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { file, fileHash } from './files.ts';

export const mostTrashed = 500;

const fileHashes = z.array(fileHash).min(1).max(mostTrashed);

const trashedFile = file.extend({
  deletedAt: isoTime,
  expiresAt: isoTime.meta({ description: 'when the stored bytes are purged' }),
});
export type TrashedFile = z.infer<typeof trashedFile>;

const common = { feature: 'trash', rate: 'other' } as const;

export const listTrash = endpoint('listTrash', {
  ...common,
  route: 'GET /api/v1/files/trash',
  summary: 'Own deleted files that can be restored',
  description:
    'A file that was deleted with all its versions is listed once. What is in the trash counts for the quota.',
  access: 'file:read',
  query: pageQuery(['deletedAt']).extend({
    deletedAt: isoTime.optional().meta({ description: 'only what was deleted at this time, as with a folder' }),
  }),
  answer: pageOf(trashedFile),
});

export const moveToTrash = endpoint('moveToTrash', {
  ...common,
  route: 'POST /api/v1/files/trash',
  summary: 'Move files to the trash, each with all its versions',
  description: 'In one transaction. `DELETE /api/v1/files/{hash}` deletes one version and leaves the one before it.',
  access: 'file:delete',
  folderScope: { files: ['body.fileHash'] },
  body: z.object({ fileHash: fileHashes }),
  answer: z.object({ files: z.int().min(0) }),
  errors: ['FILE_NOT_EXIST'],
});

export const restoreFromTrash = endpoint('restoreFromTrash', {
  ...common,
  route: 'POST /api/v1/files/trash/restore',
  summary: 'Restore deleted files where they were',
  description:
    'In one transaction. A folder that is gone is created again; a file whose name is taken meanwhile is numbered. Shares of the file stay ended.',
  access: 'file:write',
  folderScope: { files: ['body.fileHash'] },
  body: z.object({ fileHash: fileHashes }),
  answer: z.array(file).meta({ description: 'as they are now, one for each file that was listed' }),
  errors: ['FILE_NOT_EXIST', 'CONFLICT', 'QUOTA_EXCEEDED'],
});

export const emptyTrash = endpoint('emptyTrash', {
  ...common,
  route: 'DELETE /api/v1/files/trash',
  summary: 'Purge the trash, or some of it, for good',
  description: `The stored bytes are released at once; records and proofs stay as evidence. At most 5,000 files in one call: \`more\` tells whether to call again.`,
  access: 'file:delete',
  body: z.object({ fileHash: fileHashes.optional() }),
  answer: z.object({ files: z.int().min(0), bytes: z.int().min(0), more: z.boolean() }),
});
