// Owns the order of a batch's leaves (docs/spec/merkle.md section 1), so that the same candidates always make the same
// root. Refuses an empty batch and the same manifest of the same file twice.
import { parseDigest, type Sha256, sha256 } from './digest.ts';
import { buildMerkleTree, hashLeaf } from './merkle.ts';

export type BatchLeaf = { manifestHash: string; fileId: string };

export type BatchedLeaf<T extends BatchLeaf> = {
  candidate: T;
  leafIndex: number;
  leafHash: Uint8Array;
  /** Sibling hashes from the leaf to the root; the sides follow from index and size. */
  path: Uint8Array[];
};

export type MerkleBatch<T extends BatchLeaf> = { root: Uint8Array; treeSize: number; leaves: BatchedLeaf<T>[] };

export function buildMerkleBatch<T extends BatchLeaf>(candidates: readonly T[], hash: Sha256 = sha256): MerkleBatch<T> {
  if (candidates.length === 0) throw new RangeError('a batch has at least one leaf');
  const ordered = [...candidates].sort(compareLeaves);
  if (ordered.some((leaf, i) => i > 0 && compareLeaves(leaf, ordered[i - 1] ?? leaf) === 0))
    throw new RangeError('the same manifest of the same file stands twice in a batch');
  const hashes = ordered.map(leaf => hashLeaf(parseDigest(leaf.manifestHash), hash));
  const tree = buildMerkleTree(hashes, hash);
  const leaves = ordered.map((candidate, leafIndex) => ({
    candidate,
    leafIndex,
    leafHash: hashes[leafIndex] ?? tree.root,
    path: tree.pathOf(leafIndex),
  }));
  return { root: tree.root, treeSize: tree.size, leaves };
}

/** By manifestHash as text, then by fileId as a number: of two decimal ids the longer one is the larger. */
function compareLeaves(a: BatchLeaf, b: BatchLeaf): number {
  return (
    compareText(a.manifestHash, b.manifestHash) || a.fileId.length - b.fileId.length || compareText(a.fileId, b.fileId)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
