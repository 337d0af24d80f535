// Which key a signature is checked with: the caller's own, or the one that the issuer named when asked, if it bears the
// name that the proof gives. A key inside the archive is never one.
import { type Answers, type CaseFile, valueIn } from './case-file.ts';
import type { KeySource } from './report.ts';
import type { TrustedKey } from './trusted-key.ts';

type SigningKey = { readonly key: TrustedKey; readonly source: Exclude<KeySource, 'NONE'> };

/** Undefined when there is none, or when it is of another name or version than the proof's. */
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
