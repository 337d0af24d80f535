// Input of an existence check from disk: the files next to the original, and the caller's trust material.
import { existsSync } from 'node:fs';
import { isEvidenceArchive, maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { maxOtsBytes } from '@recordproof/shared/evidence/ots.ts';
import { maxStampBytes } from '@recordproof/shared/evidence/rfc3161.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { readBounded } from '../node/read-inputs.ts';
import { archiveBeside, evidenceBeside } from '../proof-paths.ts';
import type { TrustOptions } from '../trust-options.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import type { ExistencePlatform } from './existence-input.ts';
import { type EvidenceFiles, isOtherArchive, joinEvidence, unpackEvidence } from './unpack-evidence.ts';

/** Reads one byte more than a parser accepts, so that an oversized file is rejected. */
export const evidenceLimits = {
  archive: maxEvidenceBytes,
  tlogProof: 1024 * 1024,
  stamp: maxStampBytes,
  ots: maxOtsBytes,
  policy: 1024 * 1024,
  roots: 4 * 1024 * 1024,
  headers: 256 * 1024 * 1024,
} as const;

const readNamed = async (path: string | undefined, maxBytes: number) =>
  path === undefined ? undefined : await readBounded(path, maxBytes);

const readBeside = async (path: string, maxBytes: number) =>
  existsSync(path) ? await readBounded(path, maxBytes) : undefined;

export const readTrustFiles = async ({ policy, roots, headers, required }: TrustOptions) => ({
  policy: await readNamed(policy, evidenceLimits.policy),
  roots: await readNamed(roots, evidenceLimits.roots),
  headers: await readNamed(headers, evidenceLimits.headers),
  required,
});

type Part = 'archive' | 'tlogProof' | 'stamp' | 'ots';
type Names = Readonly<Record<Part, string>>;
type NamedEvidence = { readonly files: EvidenceFiles; readonly names: Names };

/** `names` says where each part was read: a path, or that of an evidence archive with the name of the entry. */
export type FoundEvidence = EvidenceFiles & { readonly names: Names };

/** Explicitly named files come first; then separate files before entries of an evidence archive. */
export async function readEvidence({ file, proof }: EvidenceInput): Promise<FoundEvidence> {
  const named = await readNamed(proof, evidenceLimits.archive);
  if (proof !== undefined && named instanceof Uint8Array && isEvidenceArchive(named))
    return mergeEvidence(openPacked(proof, named), await readLoose({ file, proof }, undefined));
  const loose = await readLoose(
    { file, proof },
    named ?? (await readBeside(archiveBeside(file), evidenceLimits.archive)),
  );
  if (file === '-') return mergeEvidence(loose, loose);
  const packed = openPacked(evidenceBeside(file), await readBeside(evidenceBeside(file), evidenceLimits.archive));
  const { archive, ots } = packed.files;
  const isOfOtherProof = named !== undefined && isOtherArchive(named, archive);
  return mergeEvidence(loose, isOfOtherProof ? { ...packed, files: { ots } } : packed);
}

type EvidenceInput = { readonly file: string; readonly proof?: string | undefined };

async function readLoose({ file, proof }: EvidenceInput, archive: EvidenceFiles['archive']): Promise<NamedEvidence> {
  const names = {
    archive: proof ?? archiveBeside(file),
    tlogProof: `${file}.tlog-proof`,
    stamp: `${file}.tsr`,
    ots: `${file}.ots`,
  };
  if (file === '-') return { files: { archive }, names };
  const vouchers = {
    tlogProof: await readBeside(names.tlogProof, evidenceLimits.tlogProof),
    stamp: await readBeside(names.stamp, evidenceLimits.stamp),
    ots: await readBeside(names.ots, evidenceLimits.ots),
  };
  return { files: { archive, ...vouchers }, names };
}

const openPacked = (path: string, bytes: EvidenceFiles['archive']): NamedEvidence => ({
  files: unpackEvidence(bytes),
  names: {
    archive: `${path}: proof-archive.zip`,
    tlogProof: `${path}: proof.tlog-proof`,
    stamp: `${path}: proof.tsr`,
    ots: `${path}: proof.ots`,
  },
});

function mergeEvidence(first: NamedEvidence, second: NamedEvidence): FoundEvidence {
  const found = joinEvidence(first.files, second.files);
  const nameOf = (part: Part) => (found[part] === first.files[part] ? first : second).names[part];
  const names = {
    archive: nameOf('archive'),
    tlogProof: nameOf('tlogProof'),
    stamp: nameOf('stamp'),
    ots: nameOf('ots'),
  };
  return { ...found, names };
}

/** With the signature algorithms of this runtime. */
export const withSignatures = (platform: VerifierPlatform): ExistencePlatform => ({
  ...platform,
  noteVerifiers: { ed25519: platform.verifyEd25519, mlDsa44: verifyMlDsa44 },
  verifySignature,
});
