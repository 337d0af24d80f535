// The verification key of a signature: the caller's own, or the one named by the issuer, if it has the name given in
// the proof. Never a key from the archive.
import { type Answers, type CaseFile, valueIn } from './case-file.ts';
import type { KeySource } from './report.ts';
import type { TrustedKey } from './trusted-key.ts';

type SigningKey = { readonly key: TrustedKey; readonly source: Exclude<KeySource, 'NONE'> };

/** Returns undefined if there is none, or if its name or version differs from the proof's. */
export function findSigningKey(file: CaseFile, answers: Answers): SigningKey | undefined {
  const signature = valueIn(file.manifest)?.signature;
  const candidate = findCandidate(file, answers);
  const isNamed =
    candidate !== undefined &&
    candidate.key.keyId === signature?.keyId &&
    candidate.key.keyVersion === signature.keyVersion;
  return isNamed ? candidate : undefined;
}

function findCandidate(file: CaseFile, answers: Answers): SigningKey | undefined {
  const own = valueIn(file.trustedKey);
  if (own !== undefined) return { key: own, source: 'TRUSTED_FILE' };
  return answers.key.kind === 'found' ? { key: answers.key.value, source: 'ISSUER' } : undefined;
}
