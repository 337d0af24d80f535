// The check `manifest.contract`.
import { jwsAlgorithm } from '@recordproof/shared/evidence/jws.ts';
import { listedEntryNames, mediaTypes } from '@recordproof/shared/evidence/proof-builder.ts';
import {
  keyLocationOf,
  type ProofManifest,
  proofManifestSchema,
  statusLocationOf,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The manifest has the required content of this version, with the six entries in order. */
export const manifestContract: Check<'manifest.contract'> = {
  id: 'manifest.contract',
  judge(file) {
    const manifest = valueIn(file.manifest);
    if (manifest === undefined) return notRun('json.manifest.json');
    const wrong = wrongField(manifest);
    if (wrong !== undefined) return found('MANIFEST_CONTRACT', `manifest.json: ${wrong} is not as required.`);
    return pass('The proof manifest follows its contract.', { proofId: manifest.proofId });
  },
};

function wrongField(manifest: ProofManifest): string | undefined {
  const { signature } = manifest;
  if (manifest.schemaVersion !== proofManifestSchema) return 'schemaVersion';
  if (manifest.issuedStatus !== 'ACTIVE') return 'issuedStatus';
  if (signature.algorithm !== jwsAlgorithm) return 'signature.algorithm';
  if (manifest.statusLocation !== statusLocationOf(manifest.proofId)) return 'statusLocation';
  if (signature.verificationKeyLocation !== keyLocationOf(signature.keyId, signature.keyVersion))
    return 'signature.verificationKeyLocation';
  const index = listedEntryNames.findIndex((name, at) => {
    const entry = manifest.entries[at];
    return entry?.name !== name || entry.mediaType !== mediaTypes[name] || !entry.required || !entry.present;
  });
  return index < 0 ? undefined : `entries[${index}]`;
}
