import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { isSafeSignature, isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import { jwsAlgorithm, jwsType, type ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import type { CaseFile, Check } from '../case-file.ts';
import { error, type Finding, fail, notRun, pass, undecided } from '../report.ts';

/** The trusted key signed the exact bytes of manifest.json. Relies on signature.key having read the entry. */
export const signatureJws: Check = {
  id: 'signature.jws',
  category: 'SIGNATURE',
  async run(file) {
    const problem = localJwsProblem(file);
    if (problem !== undefined) return problem;
    const { jws, key, platform } = file;
    if (jws === undefined) return notRun('archive.structure');
    if (key === undefined)
      return undecided('SIGNATURE_NOT_CHECKED', 'Without a trusted key the signature is not checked.');
    return (await isSignedBy(key.publicKey, jws.signingInput, jws.signature, platform.verifyEd25519))
      ? pass('The trusted key signed this proof.', { keyId: key.keyId, keyVersion: key.keyVersion })
      : fail('SIGNATURE_INVALID', 'The signature does not come from the trusted key.');
  },
};

/** What is wrong with the signature before any key is looked at; nobody is asked for a key when this finds something. */
export function localJwsProblem({ entries, jws, manifest }: CaseFile): Finding | undefined {
  if (entries === undefined) return notRun('archive.structure');
  if (jws === undefined) return error('JWS_MALFORMED', 'issuer-signature.jws is not a signature of the required form.');
  if (!isSameBytes(jws.payload, entries['manifest.json']))
    return fail('JWS_PAYLOAD_MISMATCH', 'The signature is over other bytes than manifest.json.');
  if (manifest === undefined) return notRun('json.manifest.json');
  const wrong = wrongField(jws, manifest);
  if (wrong !== undefined) return fail('JWS_CONTRACT', `issuer-signature.jws: ${wrong} is not as required.`);
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
