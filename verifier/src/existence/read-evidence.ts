// What lies beside a file and what the caller trusts, as an existence check is given it, from the disk.
import { existsSync } from 'node:fs';
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { maxOtsBytes } from '@recordproof/shared/evidence/ots.ts';
import { maxStampBytes } from '@recordproof/shared/evidence/rfc3161.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { readBounded } from '../node/read-inputs.ts';
import { archiveBeside, evidenceBeside, type TrustOptions } from '../options.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import type { ExistencePlatform } from './existence-input.ts';
import { type EvidenceFiles, unpackEvidence } from './unpack-evidence.ts';

/** One byte more than a reader accepts is enough to be rejected. */
const limits = { proof: 1024 * 1024, policy: 1024 * 1024, roots: 4 * 1024 * 1024, headers: 256 * 1024 * 1024 };

const readNamed = async (path: string | undefined, maxBytes: number) =>
  path === undefined ? undefined : await readBounded(path, maxBytes);

const readBeside = async (path: string, maxBytes: number) =>
  existsSync(path) ? await readBounded(path, maxBytes) : undefined;

export const readTrustFiles = async ({ policy, roots, headers, required }: TrustOptions) => ({
  policy: await readNamed(policy, limits.policy),
  roots: await readNamed(roots, limits.roots),
  headers: await readNamed(headers, limits.headers),
  required,
});

/** A file of its own comes before the same in the evidence archive. */
export async function readEvidence({
  file,
  proof,
}: {
  readonly file: string;
  readonly proof?: string;
}): Promise<EvidenceFiles> {
  const named = await readNamed(proof, maxEvidenceBytes);
  const packed = unpackEvidence(
    named ?? (file === '-' ? undefined : await readBeside(evidenceBeside(file), maxEvidenceBytes)),
  );
  if (file === '-') return packed;
  const loose = {
    archive: named === undefined ? await readBeside(archiveBeside(file), maxEvidenceBytes) : undefined,
    tlogProof: await readBeside(`${file}.tlog-proof`, limits.proof),
    stamp: await readBeside(`${file}.tsr`, maxStampBytes),
    ots: await readBeside(`${file}.ots`, maxOtsBytes),
  };
  return {
    ...packed,
    archive: loose.archive ?? packed.archive,
    tlogProof: loose.tlogProof ?? packed.tlogProof,
    stamp: loose.stamp ?? packed.stamp,
    ots: loose.ots ?? packed.ots,
  };
}

/** With the signatures that this runtime checks by itself. */
export const withSignatures = (platform: VerifierPlatform): ExistencePlatform => ({
  ...platform,
  noteVerifiers: { ed25519: platform.verifyEd25519, mlDsa44: verifyMlDsa44 },
  verifySignature,
});
