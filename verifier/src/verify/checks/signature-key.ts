// The check `signature.key`.
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, type QueryResult, type Reading, valueIn } from '../case-file.ts';
import { type CodeOf, type CommonCode, toLookupCode } from '../check-codes.ts';
import { type Finding, found, notRun, pass } from '../report.ts';
import type { TrustedKey } from '../trusted-key.ts';

type KeyFinding = Finding<CodeOf<'signature.key'> | CommonCode>;

/** The key comes from outside the archive, and is the one named in the manifest. */
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

function judgeAnswer(answer: QueryResult<TrustedKey>, manifest: ProofManifest | undefined): KeyFinding {
  if (answer.kind === 'offline')
    return found('TRUSTED_KEY_MISSING', 'No trusted key was given, so the signature means nothing yet.');
  if (answer.kind === 'held-back') return notRun(answer.waitsFor);
  if (answer.kind !== 'found') return found(toLookupCode('KEY', answer), 'The issuer did not tell the signing key.');
  if (manifest === undefined) return notRun('json.manifest.json');
  const { keyId, keyVersion } = manifest.signature;
  if (answer.value.keyId !== keyId || answer.value.keyVersion !== keyVersion)
    return found('KEY_IDENTITY_MISMATCH', 'The issuer answered with another key than the proof names.');
  const finding = compare(answer.value, manifest);
  if (finding.code !== 'OK' || answer.value.used !== undefined) return finding;
  return found(
    'KEY_PERIOD_UNKNOWN',
    'The issuer does not say when the key was in use: ask a server of this release or later, or give the trusted key.',
  );
}

function compare(key: TrustedKey, manifest: ProofManifest): KeyFinding {
  const { publicKeyFingerprint: actual } = manifest.signature;
  const evidence = { expected: key.publicKeyFingerprint, actual };
  if (key.publicKeyFingerprint !== actual)
    return found(
      'KEY_FINGERPRINT_MISMATCH',
      'The proof names the trusted key but was made with a different one.',
      evidence,
    );
  return findPeriodProblem(key, manifest) ?? pass('The proof names the trusted signing key.', evidence);
}

/** A proof is dated while its key is in use; the clocks of an issuer's servers may differ by a few seconds. */
function findPeriodProblem({ used }: TrustedKey, { issuedAt }: ProofManifest): KeyFinding | undefined {
  if (used === undefined) return undefined;
  const at = Date.parse(issuedAt);
  const isInside = at >= used.from - clockSkewMs && (used.until === null || at <= used.until + clockSkewMs);
  if (isInside) return undefined;
  return found('KEY_NOT_IN_USE', 'The proof is dated outside the time in which its key signed.', {
    issuedAt,
    usedFrom: new Date(used.from).toISOString(),
    ...(used.until === null ? {} : { usedUntil: new Date(used.until).toISOString() }),
  });
}
