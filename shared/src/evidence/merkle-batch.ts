// Owns the order of a batch's leaves (docs/spec/merkle.md section 1), so that the same candidates always make the same
// root. Refuses an empty batch and the same manifest of the same file twice.
import { digestBytes, parseDigestInto, type Sha256, sha256 } from './digest.ts';
import { growMerkleTree } from './merkle.ts';

const stride = 1 + digestBytes;

export type BatchLeaf = { manifestHash: string; fileId: string };

export type MerkleBatch<T extends BatchLeaf> = {
  root: Uint8Array;
  treeSize: number;
  /** The candidates at their leaf indexes. */
  ordered: T[];
  leafHashOf(leafIndex: number): Uint8Array;
  /** Sibling hashes from the leaf to the root; the sides follow from index and size. No hashing. */
  pathOf(leafIndex: number): Uint8Array[];
};

export function buildMerkleBatch<T extends BatchLeaf>(candidates: readonly T[], hash: Sha256 = sha256): MerkleBatch<T> {
  if (candidates.length === 0) throw new RangeError('a batch has at least one leaf');
  // The input of a leaf hash is the byte 00 and the manifest hash; all inputs lie in one array.
  const inputs = new Uint8Array(candidates.length * stride);
  candidates.forEach((leaf, i) => {
    parseDigestInto(leaf.manifestHash, inputs, i * stride + 1);
  });
  const order = orderOf(candidates, inputs);
  const ordered: T[] = [];
  for (const i of order) ordered.push(candidates[i] as T);
  assertDistinct(ordered);
  const leafHashAt = (leafIndex: number) => {
    const start = (order[leafIndex] ?? 0) * stride;
    return hash(inputs.subarray(start, start + stride));
  };
  const tree = growMerkleTree(ordered.length, leafHashAt, hash);
  return { root: tree.root, treeSize: tree.size, ordered, leafHashOf: tree.leafHashOf, pathOf: tree.pathOf };
}

/** Where each leaf comes from. The first 48 bits of a hash decide nearly every comparison without looking at text. */
function orderOf(candidates: readonly BatchLeaf[], inputs: Uint8Array): Uint32Array {
  const view = new DataView(inputs.buffer);
  const ranks = new Float64Array(candidates.length);
  for (let i = 0, at = 1; i < ranks.length; i++, at += stride)
    ranks[i] = view.getUint32(at) * 2 ** 16 + view.getUint16(at + 4);
  const none = { manifestHash: '', fileId: '' };
  return Uint32Array.from(candidates.keys()).sort(
    (a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || compareLeaves(candidates[a] ?? none, candidates[b] ?? none),
  );
}

function assertDistinct(ordered: readonly BatchLeaf[]): void {
  let previous: BatchLeaf | undefined;
  for (const leaf of ordered) {
    if (leaf.manifestHash === previous?.manifestHash && leaf.fileId === previous.fileId)
      throw new RangeError('the same manifest of the same file stands twice in a batch');
    previous = leaf;
  }
}

/** By manifestHash as text, then by fileId as a number: of two decimal ids the longer one is the larger. */
function compareLeaves(a: BatchLeaf, b: BatchLeaf): number {
  return (
    compareText(a.manifestHash, b.manifestHash) || a.fileId.length - b.fileId.length || compareText(a.fileId, b.fileId)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
