// What a download is checked against. A file that should have an active manifest and has none is told as such, with the
// fields a client branches on; nothing is ever guessed from a row that is not there.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ManifestMetadata } from '@recordproof/shared/api/files.ts';
import type { Db } from '../../platform/db/tables.ts';
import { findActiveManifestJson } from '../manifests/index.ts';
import type { FileRow } from './queries.ts';

/** What governance says of a file without a manifest before it has looked at it. */
const unclassified = {
  manifestStatus: 'REUPLOAD_REQUIRED',
  manifestClassification: 'UNCLASSIFIED',
  manifestErrorCode: 'MISSING_MANIFEST_UNCLASSIFIED',
  legacyDownloadAllowed: false,
} as const;

export async function toDownloadMetadata(db: Db, file: FileRow): Promise<ManifestMetadata> {
  const canonicalManifestJson = await findActiveManifestJson(db, file.tenant_id, file.id);
  if (canonicalManifestJson === null) {
    throw new ApiError('FILE_RECORD_ERROR', 'this file has no active manifest', { detail: unclassified });
  }
  return {
    canonicalManifestJson,
    manifestStatus: 'ACTIVE',
    manifestClassification: 'ALREADY_MANIFEST',
    manifestErrorCode: null,
    legacyDownloadAllowed: false,
  };
}
