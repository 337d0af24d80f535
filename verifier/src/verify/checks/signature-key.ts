import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Asked, type Check, type Reading, valueIn } from '../case-file.ts';
import { type CodeOf, type CommonCode, toLookupCode } from '../check-codes.ts';
import { type Finding, found, notRun, pass } from '../report.ts';
import type { TrustedKey } from '../trusted-key.ts';

type KeyFinding = Finding<CodeOf<'signature.key'> | CommonCode>;

/** A key from outside the archive, and it is the one that the manifest names. */
export const signatureKey: Check<'signature.key'> = {
  id: 'signature.key',
  judge({ trustedKey, manifest }, { key }) {
    return trustedKey === undefined
      ? judgeAnswer(key, valueIn(manifest))
      : judgeTrustedFile(trustedKey, valueIn(manifest));
  },
};

function judgeTrustedFile(
  trustedKey: Reading<TrustedKey, 'signature.key'>,
  manifest: ProofManifest | undefined,
): KeyFinding {
  if ('problem' in trustedKey) return trustedKey.problem;
  const key = trustedKey.value;
  if (manifest === undefined) return notRun('json.manifest.json');
  const { signature } = manifest;
  if (signature.keyId === key.keyId && signature.keyVersion === key.keyVersion) return compare(key, manifest);
  return found('TRUSTED_KEY_OTHER', 'The proof names another signing key than the one that you trust.', {
    namedKeyId: signature.keyId,
    namedKeyVersion: signature.keyVersion,
    trustedKeyId: key.keyId,
    trustedKeyVersion: key.keyVersion,
  });
}

function judgeAnswer(answer: Asked<TrustedKey>, manifest: ProofManifest | undefined): KeyFinding {
  if (answer.kind === 'offline')
    return found('TRUSTED_KEY_MISSING', 'No trusted key was given, so the signature means nothing yet.');
  if (answer.kind === 'held-back') return notRun(answer.waitsFor);
  if (answer.kind !== 'found') return found(toLookupCode('KEY', answer), 'The issuer did not tell the signing key.');
  if (manifest === undefined) return notRun('json.manifest.json');
  const { keyId, keyVersion } = manifest.signature;
  if (answer.value.keyId !== keyId || answer.value.keyVersion !== keyVersion)
    return found('KEY_IDENTITY_MISMATCH', 'The issuer answered with another key than the proof names.');
  return compare(answer.value, manifest);
}

function compare(key: TrustedKey, { signature }: ProofManifest): KeyFinding {
  const evidence = { expected: key.publicKeyFingerprint, actual: signature.publicKeyFingerprint };
  return key.publicKeyFingerprint === signature.publicKeyFingerprint
    ? pass('The proof names the trusted signing key.', evidence)
    : found('KEY_FINGERPRINT_MISMATCH', 'The proof names the trusted key but was made with a different one.', evidence);
}
