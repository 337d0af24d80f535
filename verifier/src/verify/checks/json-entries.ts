import { canonicalBytes, type JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import type { ProofEntryName } from '@recordproof/shared/evidence/proof-archive.ts';
import {
  readMerkleProof,
  readProofChunks,
  readProofManifest,
  readReceipt,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import { ShapeError } from '@recordproof/shared/evidence/strict-shape.ts';
import type { CaseFile, Check } from '../case-file.ts';
import { error, notRun, pass } from '../report.ts';

/** Strict JSON in canonical form with exactly the fields of its schema; `accept` keeps the typed record. */
function jsonEntry(name: ProofEntryName, accept: (file: CaseFile, value: JsonValue) => void): Check {
  return {
    id: `json.${name}`,
    category: 'JSON',
    run(file) {
      const bytes = file.entries?.[name];
      if (bytes === undefined) return notRun('archive.structure');
      try {
        const value = parseStrictJson(bytes);
        if (!isSameBytes(canonicalBytes(value), bytes))
          return error('JSON_NOT_CANONICAL', `${name} is not written in canonical form.`);
        accept(file, value);
      } catch (problem) {
        if (problem instanceof StrictJsonError) return error(problem.code, `${name}: ${problem.message}.`);
        if (problem instanceof ShapeError) return error('JSON_SHAPE', `${name}: ${problem.message}.`);
        throw problem;
      }
      return pass(`${name} is well-formed.`, { bytes: bytes.length });
    },
  };
}

export const jsonEntries: readonly Check[] = [
  jsonEntry('manifest.json', (file, value) => {
    file.manifest = readProofManifest(value, '');
  }),
  jsonEntry('chunk-manifest.json', (file, value) => {
    file.chunks = readProofChunks(value, '');
  }),
  jsonEntry('merkle-proof.json', (file, value) => {
    file.merkle = readMerkleProof(value, '');
  }),
  jsonEntry('blockchain-receipt.json', (file, value) => {
    file.receipt = readReceipt(value, '');
  }),
  // Its meaning is fixed; policy.contract compares it byte for byte.
  jsonEntry('verification-policy.json', () => {}),
];
