// Merkle batches: the order of leaves (docs/spec/merkle.md section 1), so that equal candidates always give the same
// root. Rejects an empty batch and duplicates of a file's manifest.
import { digestBytes, parseDigestInto, sha256 } from './digest.ts';
import { growMerkleTree } from './merkle.ts';

const stride = 1 + digestBytes;

type BatchLeaf = { manifestHash: string; fileId: string };

type MerkleBatch<T extends BatchLeaf> = {
  root: Uint8Array;
  treeSize: number;
  /** The candidates, by leaf index. */
  ordered: T[];
  leafHashOf(leafIndex: number): Uint8Array;
  /** Sibling hashes from the leaf to the root; the sides follow from index and size. Computes no hashes. */
  pathOf(leafIndex: number): Uint8Array[];
};

export function buildMerkleBatch<T extends BatchLeaf>(candidates: readonly T[]): MerkleBatch<T> {
  if (candidates.length === 0) throw new RangeError('a batch has at least one leaf');
  // The input of a leaf hash is the byte 00 and the manifest hash; all inputs are in one array.
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
    return sha256(inputs.subarray(start, start + stride));
  };
  const tree = growMerkleTree(ordered.length, leafHashAt);
  return { root: tree.root, treeSize: tree.size, ordered, leafHashOf: tree.leafHashOf, pathOf: tree.pathOf };
}

/**
 * The sort order of the leaves. The first bits of a hash and its index form one number, and numbers sort many times
 * faster than with a comparison function, which is only used for equal first bits.
 */
function orderOf(candidates: readonly BatchLeaf[], inputs: Uint8Array): Uint32Array {
  const count = candidates.length;
  const indexRange = 2 ** Math.ceil(Math.log2(count));
  const prefixes = Math.min(2 ** 32, 2 ** 53 / indexRange);
  const view = new DataView(inputs.buffer);
  const keys = new Float64Array(count);
  for (let i = 0, at = 1; i < count; i++, at += stride)
    keys[i] = Math.floor(view.getUint32(at) / (2 ** 32 / prefixes)) * indexRange + i;
  keys.sort();
  const order = Uint32Array.from(keys, key => key % indexRange);
  for (let start = 0, end = 1; end <= count; end++) {
    if (end < count && Math.floor((keys[end] ?? 0) / indexRange) === Math.floor((keys[start] ?? 0) / indexRange))
      continue;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compareLeaves(candidates[a], candidates[b]));
    start = end;
  }
  return order;
}

function assertDistinct(ordered: readonly BatchLeaf[]): void {
  let previous: BatchLeaf | undefined;
  for (const leaf of ordered) {
    if (leaf.manifestHash === previous?.manifestHash && leaf.fileId === previous.fileId)
      throw new RangeError(`file ${leaf.fileId} with the manifest ${leaf.manifestHash} occurs twice in the batch`);
    previous = leaf;
  }
}

const noLeaf: BatchLeaf = { manifestHash: '', fileId: '' };

/** By manifestHash as text, then by fileId as a number: of two decimal ids the longer one is larger. */
function compareLeaves(a = noLeaf, b = noLeaf): number {
  return (
    compareText(a.manifestHash, b.manifestHash) || a.fileId.length - b.fileId.length || compareText(a.fileId, b.fileId)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
