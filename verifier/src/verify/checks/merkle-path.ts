import { parseHex, toHex } from '@recordproof/shared/evidence/digest.ts';
import { merkleSuite, pathSides, rootFromPath } from '@recordproof/shared/evidence/merkle.ts';
import { leafOf } from '@recordproof/shared/evidence/proof-builder.ts';
import {
  type MerkleProof,
  manifestHashEvidence,
  merkleProofSchema,
} from '@recordproof/shared/evidence/proof-entries.ts';
import type { Check } from '../case-file.ts';
import { fail, notRun, pass } from '../report.ts';

/** The hash of this very manifest stands under the batch root, at the claimed place and at no other. */
export const merklePath: Check = {
  id: 'merkle.path',
  category: 'MERKLE',
  run(file) {
    const { merkle, chunks, platform } = file;
    if (merkle === undefined) return notRun('json.merkle-proof.json');
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    const wrong = wrongField(merkle);
    if (wrong !== undefined) return fail('MERKLE_CONTRACT', `merkle-proof.json: ${wrong} is not as required.`);
    if (merkle.evidenceHash !== chunks.manifestHash)
      return fail('EVIDENCE_HASH_MISMATCH', 'The Merkle proof is about another manifest.', {
        expected: chunks.manifestHash,
        actual: merkle.evidenceHash,
      });
    const leaf = leafOf(merkle.evidenceHash, platform.sha256);
    if (toHex(leaf) !== merkle.leafHash)
      return fail('LEAF_HASH_MISMATCH', 'The leaf is not the hash of the manifest.', {
        expected: toHex(leaf),
        actual: merkle.leafHash,
      });
    const { leafIndex, treeSize } = merkle;
    const path = merkle.proofPath.map(step => parseHex(step.hash));
    file.computedMerkleRoot = toHex(rootFromPath(leaf, leafIndex, treeSize, path, platform.sha256));
    return file.computedMerkleRoot === merkle.merkleRoot
      ? pass('The path leads from the manifest to the batch root.', { leafIndex, treeSize })
      : fail('MERKLE_ROOT_MISMATCH', 'The path does not lead to the batch root.', {
          expected: merkle.merkleRoot,
          actual: file.computedMerkleRoot,
        });
  },
};

function wrongField(merkle: MerkleProof): string | undefined {
  if (merkle.schemaVersion !== merkleProofSchema) return 'schemaVersion';
  if (merkle.evidenceType !== manifestHashEvidence) return 'evidenceType';
  if (merkle.proofAlgorithm !== merkleSuite) return 'proofAlgorithm';
  if (merkle.leafIndex >= merkle.treeSize) return 'leafIndex';
  const sides = pathSides(merkle.leafIndex, merkle.treeSize);
  if (sides.length !== merkle.proofPath.length) return 'the length of proofPath';
  const step = merkle.proofPath.findIndex((step, at) => step.position !== sides[at]);
  return step < 0 ? undefined : `proofPath[${step}].position`;
}
