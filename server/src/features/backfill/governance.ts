// What download-metadata tells of a file without a manifest: what the latest run that looked at it found.
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Governance } from '../files/index.ts';
import { findLatestVerdict } from './item-queries.ts';

/** Null where no run has looked at it yet. */
export async function findGovernance(db: Db, tenantId: Key, fileId: Key): Promise<Governance | null> {
  const item = await findLatestVerdict(db, tenantId, fileId);
  if (item === null || item.classification === null || item.reason === null) return null;
  return {
    manifestStatus: item.status,
    manifestClassification: item.classification,
    manifestErrorCode: item.reason,
    legacyDownloadAllowed: false, // nothing is delivered that cannot be checked against a manifest
  };
}
