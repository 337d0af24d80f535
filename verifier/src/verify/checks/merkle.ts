// The check `merkle.path`.
import { parseHex, toHex } from '@recordproof/shared/evidence/digest.ts';
import { merkleSuite, pathSides, rootFromPath } from '@recordproof/shared/evidence/merkle.ts';
import { leafOf } from '@recordproof/shared/evidence/proof-builder.ts';
import {
  type MerkleProof,
  manifestHashEvidence,
  merkleProofSchema,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The hash of this manifest is included under the batch root, at exactly the claimed position. */
export const merklePath: Check<'merkle.path'> = {
  id: 'merkle.path',
  judge(file) {
    const [merkle, chunks] = [valueIn(file.merkle), valueIn(file.chunks)];
    if (merkle === undefined) return notRun('json.merkle-proof.json');
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    const wrong = wrongField(merkle);
    if (wrong !== undefined) return found('MERKLE_CONTRACT', `merkle-proof.json: ${wrong} is not as required.`);
    if (merkle.evidenceHash !== chunks.manifestHash)
      return found('EVIDENCE_HASH_MISMATCH', 'The Merkle proof is about another manifest.', {
        expected: chunks.manifestHash,
        actual: merkle.evidenceHash,
      });
    const leaf = leafOf(merkle.evidenceHash);
    if (toHex(leaf) !== merkle.leafHash)
      return found('LEAF_HASH_MISMATCH', 'The leaf is not the hash of the manifest.', {
        expected: toHex(leaf),
        actual: merkle.leafHash,
      });
    const { leafIndex, treeSize } = merkle;
    const actual = computeMerkleRoot(merkle);
    return actual === merkle.merkleRoot
      ? pass('The path leads from the manifest to the batch root.', { leafIndex, treeSize })
      : found('MERKLE_ROOT_MISMATCH', 'The path does not lead to the batch root.', {
          expected: merkle.merkleRoot,
          actual: actual ?? '',
        });
  },
};

/** The root computed from the path; undefined if the path does not fit its leaf and tree. */
export function computeMerkleRoot(merkle: MerkleProof): string | undefined {
  if (wrongField(merkle) !== undefined) return undefined;
  const path = merkle.proofPath.map(step => parseHex(step.hash));
  return toHex(rootFromPath(leafOf(merkle.evidenceHash), merkle.leafIndex, merkle.treeSize, path));
}

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
