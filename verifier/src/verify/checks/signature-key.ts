import { parseJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import { ShapeError } from '@recordproof/shared/evidence/strict-shape.ts';
import { type CaseFile, type Check, isSoundSoFar, type Unreadable } from '../case-file.ts';
import { error, type Finding, fail, type KeySource, notRun, pass, undecided } from '../report.ts';
import { parseTrustedKey, type TrustedKey } from '../trusted-key.ts';
import { localJwsProblem } from './signature-jws.ts';

/** A key from outside the archive, and it is the one that the manifest names. */
export const signatureKey: Check = {
  id: 'signature.key',
  category: 'SIGNATURE',
  run(file) {
    readSignature(file);
    return file.request.trustedKey === undefined ? askIssuer(file) : useTrustedFile(file, file.request.trustedKey);
  },
};

/** Left unread when it is malformed, which signature.jws reports. */
function readSignature(file: CaseFile): void {
  if (file.entries === undefined) return;
  try {
    file.jws = parseJws(file.entries['issuer-signature.jws']);
  } catch {}
}

function useTrustedFile(file: CaseFile, bytes: Uint8Array | Unreadable): Finding {
  if (bytes === 'UNREADABLE') return error('TRUSTED_KEY_UNREADABLE', 'The trusted key file could not be read.');
  let key: TrustedKey;
  try {
    key = parseTrustedKey(bytes);
  } catch (problem) {
    if (!(problem instanceof StrictJsonError) && !(problem instanceof ShapeError)) throw problem;
    return error('TRUSTED_KEY_INVALID', `The trusted key file cannot be used: ${problem.message}.`);
  }
  if (file.manifest === undefined) return notRun('json.manifest.json');
  const { signature } = file.manifest;
  if (signature.keyId !== key.keyId || signature.keyVersion !== key.keyVersion)
    return undecided('TRUSTED_KEY_OTHER', 'The proof names another signing key than the one that you trust.', {
      namedKeyId: signature.keyId,
      namedKeyVersion: signature.keyVersion,
      trustedKeyId: key.keyId,
      trustedKeyVersion: key.keyVersion,
    });
  return accept(file, file.manifest, key, 'TRUSTED_FILE');
}

async function askIssuer(file: CaseFile): Promise<Finding> {
  const { live } = file.request;
  if (live === undefined)
    return undecided('TRUSTED_KEY_MISSING', 'No trusted key was given, so the signature means nothing yet.');
  if (localJwsProblem(file) !== undefined) return notRun('signature.jws');
  if (file.manifest === undefined || !isSoundSoFar(file)) return notRun('local checks');
  const { keyId, keyVersion } = file.manifest.signature;
  const answer = await live.findIssuerKey(keyId, keyVersion).catch(() => undefined);
  if (answer === undefined) return undecided('KEY_UNAVAILABLE', 'The issuer could not be asked for the key.');
  if (answer.kind !== 'found') return undecided(answer.code, answer.message);
  const key = answer.value;
  if (key.keyId !== keyId || key.keyVersion !== keyVersion)
    return fail('KEY_IDENTITY_MISMATCH', 'The issuer answered with another key than the proof names.');
  return accept(file, file.manifest, key, 'ISSUER');
}

function accept(file: CaseFile, manifest: ProofManifest, key: TrustedKey, source: KeySource): Finding {
  file.keySource = source;
  file.key = key;
  const evidence = { expected: key.publicKeyFingerprint, actual: manifest.signature.publicKeyFingerprint };
  return key.publicKeyFingerprint === manifest.signature.publicKeyFingerprint
    ? pass('The proof names the trusted signing key.', evidence)
    : fail('KEY_FINGERPRINT_MISMATCH', 'The proof names the trusted key but was made with a different one.', evidence);
}
