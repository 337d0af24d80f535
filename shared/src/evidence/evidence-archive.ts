// NAME.evidence.zip (docs/spec/vouchers.md section 11): the proof archive of a file and what vouches for its time, in one
// stored ZIP. What is in it is under a stranger's control.
import { maxArchiveBytes } from './proof-archive.ts';
import { ArchiveError, readStoredZip, writeStoredZip } from './stored-zip.ts';

/** Entry names in their order; only the proof is always there. */
const names = ['proof-archive.zip', 'proof.tlog-proof', 'proof.tsr', 'proof.ots'] as const;

export const maxEvidenceBytes = maxArchiveBytes + 1024 * 1024;

export type Evidence = {
  readonly archive: Uint8Array;
  readonly tlogProof?: Uint8Array | undefined;
  readonly stamp?: Uint8Array | undefined;
  readonly ots?: Uint8Array | undefined;
};

/** True for what begins as such an archive does, so that it can be told from a proof archive. */
export const isEvidenceArchive = (bytes: Uint8Array): boolean =>
  String.fromCharCode(...bytes.subarray(26, 30 + names[0].length)) ===
  `${String.fromCharCode(names[0].length)}\0\0\0${names[0]}`;

/** Throws ArchiveError. */
export function readEvidenceArchive(bytes: Uint8Array): Evidence {
  const form = { names, optional: names.slice(1), maxArchiveBytes: maxEvidenceBytes, maxEntryBytes: maxArchiveBytes };
  const entries = readStoredZip(bytes, form);
  const archive = entries.get(names[0]);
  if (archive === undefined) throw new ArchiveError('ARCHIVE_ENTRY_NAME', 'the proof is missing');
  return { archive, tlogProof: entries.get(names[1]), stamp: entries.get(names[2]), ots: entries.get(names[3]) };
}

/** Reads what it wrote before it returns it. */
export function writeEvidenceArchive({ archive, tlogProof, stamp, ots }: Evidence): Uint8Array {
  const all = [archive, tlogProof, stamp, ots];
  const bytes = writeStoredZip(
    names.flatMap((name, at) => {
      const data = all[at];
      return data === undefined ? [] : [[name, data] as const];
    }),
  );
  readEvidenceArchive(bytes);
  return bytes;
}

/** The proof archive: the bytes themselves, or what they hold of it. Throws ArchiveError. */
export const toProofArchive = (bytes: Uint8Array): Uint8Array =>
  isEvidenceArchive(bytes) ? readEvidenceArchive(bytes).archive : bytes;
