// The entries of RP-SIGNED-PROOF-ZIP-V2 (docs/spec/proof-archive.md section 2), their writer, and their strict reader,
// which accepts only what the writer makes.
import { readStoredZip, writeStoredZip } from './stored-zip.ts';

export const proofEntryNames = [
  'manifest.json',
  'file.hash',
  'chunk-manifest.json',
  'merkle-proof.json',
  'blockchain-receipt.json',
  'issuer-signature.jws',
  'verification-policy.json',
  'README.verify.md',
] as const;
export type ProofEntryName = (typeof proofEntryNames)[number];
export type ProofEntries = Readonly<Record<ProofEntryName, Uint8Array>>;

export const maxArchiveBytes = 16 * 1024 * 1024;
const maxEntryBytes = 8 * 1024 * 1024;

/** The eight entries as views into `archive`, which is untrusted; throws ArchiveError. */
export function readProofArchive(archive: Uint8Array): ProofEntries {
  const entries = readStoredZip(archive, { names: proofEntryNames, maxArchiveBytes, maxEntryBytes });
  return Object.fromEntries(entries) as Record<ProofEntryName, Uint8Array>;
}

/** Equal entries give equal bytes, permanently. Reads its output before returning it. */
export function writeProofArchive(entries: ProofEntries): Uint8Array {
  const archive = writeStoredZip(proofEntryNames.map(name => [name, entries[name]]));
  readProofArchive(archive);
  return archive;
}
