// What a proof file holds for an existence check: an archive, or an archive with vouchers. What lies in two places becomes one.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { isEvidenceArchive, readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import type { ExistenceInput } from './existence-input.ts';

export type EvidenceFiles = Pick<ExistenceInput, 'archive' | 'tlogProof' | 'stamp' | 'ots' | 'isEvidenceDamaged'>;

/** Of a file that may be a proof archive or an evidence archive. */
export const unpackProofFile = (bytes: EvidenceFiles['archive']): EvidenceFiles =>
  bytes instanceof Uint8Array && isEvidenceArchive(bytes) ? unpackEvidence(bytes) : { archive: bytes };

/** Of NAME.evidence.zip. */
export function unpackEvidence(bytes: EvidenceFiles['archive']): EvidenceFiles {
  if (bytes === undefined) return {};
  try {
    if (bytes !== 'UNREADABLE') return readEvidenceArchive(bytes);
  } catch {
    // Told as what it is: damaged.
  }
  return { isEvidenceDamaged: true };
}

/**
 * The first place counts, but what was not made together is not mixed: two honest exports of one proof may be about two
 * checkpoints, and two archives about two proofs. Mixed, they would look forged.
 */
export function joinEvidence(first: EvidenceFiles, second: EvidenceFiles): EvidenceFiles {
  const ots = first.ots ?? second.ots;
  if (isOtherArchive(first.archive, second.archive))
    return { ...([first, second].find(({ tlogProof }) => tlogProof !== undefined) ?? first), ots };
  const archive = first.archive ?? second.archive;
  const isEvidenceDamaged = first.isEvidenceDamaged ?? second.isEvidenceDamaged ?? false;
  return { archive, ...joinCheckpoint(first, second), ots, isEvidenceDamaged };
}

type AboutCheckpoint = Pick<EvidenceFiles, 'tlogProof' | 'stamp'>;

/** The proof of the entry and the time stamp are about one checkpoint: those of a place that has both go together. */
function joinCheckpoint(first: AboutCheckpoint, second: AboutCheckpoint): AboutCheckpoint {
  const whole = [first, second].find(({ tlogProof, stamp }) => tlogProof !== undefined && stamp !== undefined);
  const { tlogProof, stamp } = whole ?? {
    tlogProof: first.tlogProof ?? second.tlogProof,
    stamp: first.stamp ?? second.stamp,
  };
  return { tlogProof, stamp };
}

export const isOtherArchive = (one: EvidenceFiles['archive'], other: EvidenceFiles['archive']): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array && !isSameBytes(one, other);
