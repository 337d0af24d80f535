// The checks `signature.key` and `signature.jws`: the issuer's signature of the manifest. The key is the caller's own,
// or the one named by the issuer; never a key from the archive.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { isSafeSignature, isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import { jwsAlgorithm, jwsType, type ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import {
  type Answers,
  type CaseFile,
  type Check,
  type Judged,
  type QueryResult,
  type Reading,
  valueIn,
} from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import { found, type KeySource, notRun, pass } from '../report.ts';
import type { TrustedKey } from '../trusted-key.ts';

type KeyFinding = Judged<'signature.key'>;

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

/** The trusted key signed the exact bytes of manifest.json. */
export const signatureJws: Check<'signature.jws'> = {
  id: 'signature.jws',
  async judge(file, answers) {
    const problem = localJwsProblem(file);
    if (problem !== undefined) return problem;
    const jws = valueIn(file.jws);
    if (jws === undefined) return notRun('archive.structure');
    const key = findSigningKey(file, answers)?.key;
    if (key === undefined) return found('SIGNATURE_NOT_CHECKED', 'Without a trusted key the signature is not checked.');
    return (await isSignedBy(key.publicKey, jws.signingInput, jws.signature, file.platform.verifyEd25519))
      ? pass('The trusted key signed this proof.', { keyId: key.keyId, keyVersion: key.keyVersion })
      : found('SIGNATURE_INVALID', 'The signature does not come from the trusted key.');
  },
};

/** Defects of the signature that need no key; if there is one, no key is queried. */
export function localJwsProblem(file: CaseFile): Judged<'signature.jws'> | undefined {
  const entries = valueIn(file.archive);
  if (entries === undefined) return notRun('archive.structure');
  if ('problem' in file.jws) return file.jws.problem;
  const jws = file.jws.value;
  if (!isSameBytes(jws.payload, entries['manifest.json']))
    return found('JWS_PAYLOAD_MISMATCH', 'The signature is over other bytes than manifest.json.');
  const manifest = valueIn(file.manifest);
  if (manifest === undefined) return notRun('json.manifest.json');
  const wrong = wrongField(jws, manifest);
  return wrong === undefined ? undefined : found('JWS_CONTRACT', `issuer-signature.jws: ${wrong} is not as required.`);
}

function wrongField(jws: ParsedJws, manifest: ProofManifest): string | undefined {
  const { header } = jws;
  if (header.alg !== jwsAlgorithm) return 'alg';
  if (header.typ !== jwsType) return 'typ';
  if (header.kid !== manifest.signature.keyId) return 'kid';
  if (header.keyVersion !== manifest.signature.keyVersion) return 'keyVersion';
  if (!jws.isCanonicalHeader) return 'the spelling of the header';
  return isSafeSignature(jws.signature) ? undefined : 'the encoding of the signature';
}
