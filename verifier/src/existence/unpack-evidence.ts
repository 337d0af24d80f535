// What a proof file holds for an existence check: an archive, or an archive with vouchers.
import { isEvidenceArchive, readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { ExistenceInput } from './existence-input.ts';

export type EvidenceFiles = Pick<ExistenceInput, 'archive' | 'tlogProof' | 'stamp' | 'ots' | 'isEvidenceDamaged'> & {
  /** They were in an evidence archive, but for what has a file of its own. */
  readonly isPacked?: boolean;
};

export function unpackEvidence(bytes: Uint8Array | Unreadable | undefined): EvidenceFiles {
  if (bytes === undefined || bytes === 'UNREADABLE' || !isEvidenceArchive(bytes)) return { archive: bytes };
  try {
    return { ...readEvidenceArchive(bytes), isPacked: true };
  } catch {
    return { isEvidenceDamaged: true };
  }
}
