// File administration: all files of a tenant.
import { z } from 'zod';
import { isoTime, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { file, fileFilters, fileHash, fileStatus } from './files.ts';

const byHash = z.object({ hash: fileHash });
const reason = z.string().trim().max(256);

const administeredFile = file.extend({
  ownerId: z.string(),
  deletedAt: isoTime.nullable(),
  provenanceDepth: z.int().min(0).meta({ description: 'how many copies lie between this record and the first one' }),
});
export type AdministeredFile = z.infer<typeof administeredFile>;

const provenanceLink = z.object({
  depth: z.int().min(0),
  id: recordId,
  fileHash,
  fileName: z.string(),
  version: z.int().min(1),
  status: z.int(),
  ownerId: z.string(),
  ownerName: z.string(),
  createdAt: isoTime,
});
export type ProvenanceLink = z.infer<typeof provenanceLink>;

export const mostProvenanceLinks = 100;

const fileDetails = administeredFile.extend({
  provenance: z.array(provenanceLink).max(mostProvenanceLinks).meta({
    description:
      'from the first record to this one, each saved from a share of the one before; of a longer chain its nearest 100',
  }),
  copies: z
    .array(provenanceLink)
    .max(mostProvenanceLinks)
    .meta({ description: 'saved from this record, the first 100' }),
  copyCount: z.int().min(0),
});
export type FileDetails = z.infer<typeof fileDetails>;

const common = { feature: 'admin-files', access: 'file:admin', rate: 'other' } as const;

export const listAllFiles = endpoint('listAllFiles', {
  ...common,
  route: 'GET /api/v1/admin/files',
  summary: 'List and search the files of everyone in the tenant',
  description:
    'Finds as the search in own files does, the newest first: newest versions of stored files unless a status, an exact hash or a reference is asked for. A keyword of one or two characters is looked for in the names of the newest 20,000 files.',
  query: pageQuery(['createdAt']).extend({
    ...fileFilters,
    owner: z.string().min(1).max(100).optional().meta({ description: 'user name or external id' }),
  }),
  answer: pageOf(administeredFile),
});

export const getAnyFile = endpoint('getAnyFile', {
  ...common,
  route: 'GET /api/v1/admin/files/{hash}',
  summary: 'Details of a file in any state, with its provenance',
  params: byHash,
  answer: fileDetails,
  errors: ['FILE_NOT_EXIST'],
});

export const changeFileStatus = endpoint('changeFileStatus', {
  ...common,
  route: 'PUT /api/v1/admin/files/{hash}/status',
  summary: 'Delete a file, or take its deletion back',
  description:
    'From 1 (stored) to 2 (deleted) and, while the stored bytes are held, back. The other states belong to uploads. What was given by shares does not come back.',
  params: byHash,
  body: z.object({ status: z.literal([fileStatus.SUCCESS, fileStatus.DELETE]), reason: reason.optional() }),
  answer: administeredFile,
  errors: ['FILE_NOT_EXIST', 'CONFLICT', 'QUOTA_EXCEEDED'],
});

export const forceDeleteFile = endpoint('forceDeleteFile', {
  ...common,
  route: 'DELETE /api/v1/admin/files/{hash}',
  summary: 'Delete a file of any owner',
  description:
    'Has the effect of a deletion by the owner: the file can no longer be opened, and its bytes are purged after the retention time.',
  params: byHash,
  errors: ['FILE_NOT_EXIST'],
});
