// The checks `archive.structure` and `json.*`: the form of the archive and of its JSON entries.
import { type ProofEntryName, proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { type CaseFile, type Check, type Reading, valueIn } from '../case-file.ts';
import type { JsonCheckId } from '../check-codes.ts';
import { pass } from '../report.ts';

/** The ZIP has exactly the allowed form. */
export const archiveStructure: Check<'archive.structure'> = {
  id: 'archive.structure',
  judge: ({ archive }) =>
    'problem' in archive
      ? archive.problem
      : pass('The archive has exactly the eight expected entries.', { entries: proofEntryNames.length }),
};

/** Strict JSON with exactly the fields of its schema, in canonical form. */
function jsonEntry(id: JsonCheckId, pick: (file: CaseFile) => Reading<unknown, JsonCheckId>): Check<JsonCheckId> {
  const name = id.slice('json.'.length) as ProofEntryName;
  return {
    id,
    judge(file) {
      const reading = pick(file);
      if ('problem' in reading) return reading.problem;
      return pass(`${name} is well-formed.`, { bytes: valueIn(file.archive)?.[name].length ?? 0 });
    },
  };
}

export const jsonEntries: readonly Check<JsonCheckId>[] = [
  jsonEntry('json.manifest.json', file => file.manifest),
  jsonEntry('json.chunk-manifest.json', file => file.chunks),
  jsonEntry('json.merkle-proof.json', file => file.merkle),
  jsonEntry('json.blockchain-receipt.json', file => file.receipt),
  jsonEntry('json.verification-policy.json', file => file.policy),
];
