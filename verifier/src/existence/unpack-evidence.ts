// Parts of a proof file for an existence check: an archive, or an archive with vouchers. Duplicates from two places are
// merged.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { isEvidenceArchive, readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import type { ExistenceInput } from './existence-input.ts';

export type EvidenceFiles = Pick<ExistenceInput, 'archive' | 'tlogProof' | 'stamp' | 'ots' | 'isEvidenceDamaged'>;

/** For a file that may be a proof archive or an evidence archive. */
export const unpackProofFile = (bytes: EvidenceFiles['archive']): EvidenceFiles =>
  bytes instanceof Uint8Array && isEvidenceArchive(bytes) ? unpackEvidence(bytes) : { archive: bytes };

/** For NAME.evidence.zip. */
export function unpackEvidence(bytes: EvidenceFiles['archive']): EvidenceFiles {
  if (bytes === undefined) return {};
  try {
    if (bytes !== 'UNREADABLE') return readEvidenceArchive(bytes);
  } catch {
    // Reported as damaged.
  }
  return { isEvidenceDamaged: true };
}

/**
 * The first place has priority, but parts from different exports are not mixed: two honest exports of one proof may
 * have different checkpoints, and two archives different proofs. Mixed, they would look forged.
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

/** Inclusion proof and time stamp cover one checkpoint: a place that has both supplies both. */
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
