// NAME.evidence.zip (docs/spec/vouchers.md section 11): the proof archive of a file and its vouchers, in one stored
// ZIP. The content is untrusted.
import { maxArchiveBytes } from './proof-archive.ts';
import { ArchiveError, readStoredZip, writeStoredZip } from './stored-zip.ts';

/** Entry names in order; only the proof is required. */
const names = ['proof-archive.zip', 'proof.tlog-proof', 'proof.tsr', 'proof.ots'] as const;

export const maxEvidenceBytes = maxArchiveBytes + 1024 * 1024;

export type Evidence = {
  readonly archive: Uint8Array;
  readonly tlogProof?: Uint8Array | undefined;
  readonly stamp?: Uint8Array | undefined;
  readonly ots?: Uint8Array | undefined;
};

/** Whether it begins like such an archive, which distinguishes it from a proof archive. */
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

/** Reads its output before returning it. */
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

/** The proof archive: the input itself, or the one in an evidence archive. Throws ArchiveError. */
export const toProofArchive = (bytes: Uint8Array): Uint8Array =>
  isEvidenceArchive(bytes) ? readEvidenceArchive(bytes).archive : bytes;

export type VoucherName = Exclude<keyof Evidence, 'archive'>;

const voucherEnds = {
  tlogProof: '.tlog-proof',
  stamp: '.tsr',
  ots: '.ots',
} as const satisfies Record<VoucherName, string>;

export const voucherNames = Object.keys(voucherEnds) as VoucherName[];

/** The file name of a voucher next to its proof archive: <name>.proof.zip has <name>.tlog-proof. */
export const toVoucherName = (archiveName: string, voucher: VoucherName): string =>
  archiveName.replace(/(\.proof)?\.zip$/, '') + voucherEnds[voucher];
