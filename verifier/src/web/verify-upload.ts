// Verification of an upload. The trusted key is parsed first: a malformed one is an error of the caller, not a verdict.
import { nodePlatform } from '../node/node-platform.ts';
import type { LiveEvidence } from '../verify/live-evidence.ts';
import type { VerificationReport } from '../verify/report.ts';
import { parseTrustedKey } from '../verify/trusted-key.ts';
import { verifyProof } from '../verify/verify-proof.ts';
import { ServiceError } from './errors.ts';
import type { Upload } from './read-upload.ts';

export async function verifyUpload(
  upload: Upload,
  live: LiveEvidence | undefined,
  signal: AbortSignal,
): Promise<VerificationReport> {
  const trustedKey = await upload.find('trustedKey')?.readAll();
  if (trustedKey !== undefined) expectUsable(trustedKey);
  const original = upload.get('original');
  return await verifyProof(
    {
      archive: await upload.get('proof').readAll(),
      original: original.blocks(signal),
      maxOriginalBytes: original.size,
      trustedKey,
      live,
    },
    nodePlatform,
  );
}

function expectUsable(trustedKey: Uint8Array): void {
  try {
    parseTrustedKey(trustedKey);
  } catch {
    throw new ServiceError('TRUSTED_KEY_INVALID');
  }
}
