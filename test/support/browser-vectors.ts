// Bundled into a page by test/vectors/browser.test.ts: one vector through the engine, in the browser.
import { parseBase64 } from '@recordproof/shared/evidence/digest.ts';
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { browserPlatform } from '@recordproof/verifier/web/browser-platform.ts';
import { type CannedAnswers, cannedEvidence } from './canned-evidence.ts';

export type BrowserVector = { archive: string; original: string; trustedKey?: string; live?: CannedAnswers };

async function* inBlocks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.slice(at, at + 700);
}

async function verifyVector(vector: BrowserVector): Promise<VerificationReport> {
  const { trustedKey, live } = vector;
  return await verifyProof(
    {
      archive: parseBase64(vector.archive),
      original: inBlocks(parseBase64(vector.original)),
      maxOriginalBytes: 1_000_000,
      ...(trustedKey === undefined ? {} : { trustedKey: parseBase64(trustedKey) }),
      ...(live === undefined ? {} : { live: cannedEvidence(live) }),
    },
    browserPlatform,
  );
}

const isSigned = (key: number[], message: number[], signature: number[]): Promise<boolean> =>
  isSignedBy(Uint8Array.from(key), Uint8Array.from(message), Uint8Array.from(signature), browserPlatform.verifyEd25519);

Object.assign(globalThis, { verifyVector, isSigned });
