// Page script of test/vectors/browser.test.ts: runs one vector through the engine, in the browser.
import { parseBase64 } from '@recordproof/shared/evidence/digest.ts';
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { browserPlatform } from '@recordproof/verifier/web/browser-platform.ts';
import { type CannedAnswers, cannedEvidence } from './canned-evidence.ts';

/** Bytes in Base64, or the word UNREADABLE. */
export type BrowserVector = {
  archive: string;
  original: string;
  trustedKey?: string;
  maxOriginalBytes: number;
  requireTrustedKey: boolean;
  live?: CannedAnswers;
};

const toBytes = (text: string): Uint8Array | 'UNREADABLE' => (text === 'UNREADABLE' ? text : parseBase64(text));

async function* inBlocks(bytes: Uint8Array | 'UNREADABLE'): AsyncGenerator<Uint8Array> {
  if (bytes === 'UNREADABLE') throw new Error('it cannot be read');
  for (let at = 0; at < bytes.length; at += 700) yield bytes.slice(at, at + 700);
}

async function verifyVector(vector: BrowserVector): Promise<VerificationReport> {
  const { trustedKey, live, maxOriginalBytes, requireTrustedKey } = vector;
  return await verifyProof(
    {
      archive: toBytes(vector.archive),
      original: inBlocks(toBytes(vector.original)),
      maxOriginalBytes,
      requireTrustedKey,
      ...(trustedKey === undefined ? {} : { trustedKey: toBytes(trustedKey) }),
      ...(live === undefined ? {} : { live: cannedEvidence(live) }),
    },
    browserPlatform,
  );
}

const isSigned = (key: number[], message: number[], signature: number[]): Promise<boolean> =>
  isSignedBy(Uint8Array.from(key), Uint8Array.from(message), Uint8Array.from(signature), browserPlatform.verifyEd25519);

Object.assign(globalThis, { verifyVector, isSigned });
