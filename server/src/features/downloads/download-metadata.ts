// Verification data of a download. A file that should have an active manifest and has none is reported as such, with
// fields for clients to branch on; nothing is guessed for a missing row.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ManifestMetadata } from '@recordproof/shared/api/manifests.ts';
import type { Server } from '../../platform/server.ts';
import type { FileRow } from '../files/index.ts';
import { findActiveManifestJson } from '../manifests/index.ts';

/** Status of a file without a manifest, in fields for clients to branch on. */
export type Governance = Omit<ManifestMetadata, 'canonicalManifestJson'>;

/** Before any scan has examined it. */
const unclassified: Governance = {
  manifestStatus: 'REUPLOAD_REQUIRED',
  manifestClassification: 'UNCLASSIFIED',
  manifestErrorCode: 'MISSING_MANIFEST_UNCLASSIFIED',
  legacyDownloadAllowed: false,
};

export async function toDownloadMetadata(
  { database: { db }, hooks }: Pick<Server, 'database' | 'hooks'>,
  file: FileRow,
): Promise<ManifestMetadata> {
  const canonicalManifestJson = await findActiveManifestJson(db, file.tenant_id, file.id);
  if (canonicalManifestJson === null) {
    const [findGovernance] = hooks.of('findGovernance');
    const detail = (await findGovernance?.(db, file.tenant_id, file.id)) ?? unclassified;
    throw new ApiError('FILE_RECORD_ERROR', `file ${file.id} has no active manifest; tell an administrator`, {
      detail,
    });
  }
  return {
    canonicalManifestJson,
    manifestStatus: 'ACTIVE',
    manifestClassification: 'ALREADY_MANIFEST',
    manifestErrorCode: null,
    legacyDownloadAllowed: false,
  };
}
