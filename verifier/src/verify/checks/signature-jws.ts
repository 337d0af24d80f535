// The check `signature.jws`.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { isSafeSignature, isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import { jwsAlgorithm, jwsType, type ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type CaseFile, type Check, valueIn } from '../case-file.ts';
import type { CodeOf, CommonCode } from '../check-codes.ts';
import { type Finding, found, notRun, pass } from '../report.ts';
import { findSigningKey } from '../signing-key.ts';

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
export function localJwsProblem(file: CaseFile): Finding<CodeOf<'signature.jws'> | CommonCode> | undefined {
  const entries = valueIn(file.archive);
  if (entries === undefined) return notRun('archive.structure');
  if ('problem' in file.jws) return file.jws.problem;
  const jws = file.jws.value;
  if (!isSameBytes(jws.payload, entries['manifest.json']))
    return found('JWS_PAYLOAD_MISMATCH', 'The signature is over other bytes than manifest.json.');
  const manifest = valueIn(file.manifest);
  if (manifest === undefined) return notRun('json.manifest.json');
  const wrong = wrongField(jws, manifest);
  if (wrong !== undefined) return found('JWS_CONTRACT', `issuer-signature.jws: ${wrong} is not as required.`);
  return undefined;
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
