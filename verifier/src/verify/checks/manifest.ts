// The checks `manifest.contract` and `manifest.entry-digests`.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
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

/** The entries in the archive are those listed in the manifest. */
export const manifestEntryDigests: Check<'manifest.entry-digests'> = {
  id: 'manifest.entry-digests',
  judge(file) {
    const [manifest, entries] = [valueIn(file.manifest), valueIn(file.archive)];
    if (manifest === undefined || entries === undefined) return notRun('json.manifest.json');
    for (const name of listedEntryNames) {
      const record = manifest.entries.find(entry => entry.name === name);
      if (record === undefined) return found('ENTRY_NOT_LISTED', `The manifest does not list ${name}.`);
      if (record.size !== entries[name].length)
        return found('ENTRY_SIZE_MISMATCH', `${name} has another size than the manifest says.`, {
          expected: record.size,
          actual: entries[name].length,
        });
      const actual = digestOf(entries[name]);
      if (actual !== record.sha256)
        return found('ENTRY_DIGEST_MISMATCH', `${name} is not the entry that the manifest lists.`, {
          expected: record.sha256,
          actual,
        });
    }
    return pass('All entries have the digests and sizes that the manifest lists.', {
      entries: listedEntryNames.length,
    });
  },
};
