// Chunk manifests, against which downloads are verified.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { fileHash } from './files.ts';

export const manifestMetadata = z.object({
  canonicalManifestJson: z.string(),
  manifestStatus: z.string(),
  manifestClassification: z.string(),
  manifestErrorCode: z.string().nullable(),
  legacyDownloadAllowed: z.boolean(),
});
export type ManifestMetadata = z.infer<typeof manifestMetadata>;

export const downloadMetadata = endpoint('downloadMetadata', {
  feature: 'manifests',
  route: 'GET /api/v1/files/hash/{fileHash}/download-metadata',
  summary: 'The chunk manifest that a download is checked against',
  access: 'file:read',
  folderScope: { files: ['params.fileHash'] },
  rate: 'download',
  params: z.object({ fileHash }),
  answer: manifestMetadata,
  errors: ['FILE_NOT_EXIST', 'FILE_RECORD_ERROR'],
});
