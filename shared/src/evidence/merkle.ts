// RP-MERKLE-SHA256-V1: RFC 9162 hashing and tree shape (docs/spec/merkle.md). Builds whole trees in one pass and
// verifies inclusion. Rejects a path whose length does not match leaf index and tree size.
import { concatBytes, isSameBytes, sha256 } from './digest.ts';

export const merkleSuite = 'RP-MERKLE-SHA256-V1';
const width = 32;

/** SHA-256(0x00 ‖ data). */
export function hashLeaf(data: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + data.length);
  input.set(data, 1);
  return sha256(input);
}

/** SHA-256(0x01 ‖ left ‖ right). */
export const hashNode = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concatBytes(Uint8Array.of(1), left, right));

type MerkleTree = {
  readonly size: number;
  /** The root of the empty tree is SHA-256 of the empty input, as in the RFC. */
  readonly root: Uint8Array;
  leafHashOf(leafIndex: number): Uint8Array;
  /** Sibling hashes from the leaf to the root, as views into the tree. */
  pathOf(leafIndex: number): Uint8Array[];
};

/**
 * A level of the tree as ready-made hash inputs: pair i is the 65 bytes 0x01 ‖ node 2i ‖ node 2i+1 at offset 65·i. Each
 * node is written once and hashed in place.
 */
type Level = { count: number; pairs: Uint8Array };
const pairBytes = 1 + 2 * width;

const offsetOf = (index: number): number => (index >>> 1) * pairBytes + 1 + (index & 1) * width;

function newLevel(count: number): Level {
  const pairs = new Uint8Array(Math.ceil(count / 2) * pairBytes);
  for (let at = 0; at < pairs.length; at += pairBytes) pairs[at] = 1;
  return { count, pairs };
}

const nodeAt = (level: Level, index: number): Uint8Array =>
  level.pairs.subarray(offsetOf(index), offsetOf(index) + width);

export const buildMerkleTree = (leafHashes: readonly Uint8Array[]): MerkleTree =>
  growMerkleTree(leafHashes.length, index => leafHashes[index]);

/** One pass over the leaf hashes: n - 1 node hashes; paths need no further hashing. */
export function growMerkleTree(size: number, leafHashAt: (index: number) => Uint8Array | undefined): MerkleTree {
  let level = newLevel(size);
  for (let i = 0; i < size; i++) {
    const leaf = leafHashAt(i);
    if (leaf?.length !== width) throw new RangeError('a leaf hash has 32 bytes');
    level.pairs.set(leaf, offsetOf(i));
  }
  const [leaves, levels] = [level, [level]];
  while (level.count > 1) {
    level = levelAbove(level);
    levels.push(level);
  }
  return {
    size,
    root: size === 0 ? sha256(new Uint8Array(0)) : nodeAt(level, 0).slice(),
    leafHashOf: leafIndex => nodeAt(leaves, assertLeaf(leafIndex, size)),
    pathOf: leafIndex => readPath(levels, leafIndex, size),
  };
}

function levelAbove(below: Level): Level {
  const level = newLevel(Math.ceil(below.count / 2));
  const pairs = below.count >>> 1;
  for (let i = 0; i < pairs; i++)
    level.pairs.set(sha256(below.pairs.subarray(i * pairBytes, (i + 1) * pairBytes)), offsetOf(i));
  // A last node without a sibling moves up unchanged, which gives exactly the split of RFC 9162 section 2.1.1.
  if (below.count % 2 === 1) level.pairs.set(nodeAt(below, below.count - 1), offsetOf(pairs));
  return level;
}

function assertLeaf(leafIndex: number, size: number): number {
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= size) throw new RangeError('no such leaf');
  return leafIndex;
}

function readPath(levels: readonly Level[], leafIndex: number, size: number): Uint8Array[] {
  const path: Uint8Array[] = [];
  let index = assertLeaf(leafIndex, size);
  for (const level of levels) {
    const sibling = index ^ 1;
    if (sibling < level.count) path.push(nodeAt(level, sibling));
    index >>>= 1;
  }
  return path;
}

type PathSide = 'LEFT' | 'RIGHT';

/** The side of the sibling at each step from leaf to root, derived from index and size alone. */
export function pathSides(leafIndex: number, treeSize: number): PathSide[] {
  if (!Number.isSafeInteger(treeSize) || !Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= treeSize)
    throw new RangeError('no such leaf');
  const sides: PathSide[] = [];
  let index = leafIndex;
  for (let count = treeSize; count > 1; count = Math.ceil(count / 2)) {
    if (index % 2 === 1) sides.push('LEFT');
    else if (index + 1 < count) sides.push('RIGHT');
    index = Math.floor(index / 2);
  }
  return sides;
}

/** The root computed from the path; throws if the path does not fit that leaf and tree size. */
export function rootFromPath(
  leafHash: Uint8Array,
  leafIndex: number,
  treeSize: number,
  path: readonly Uint8Array[],
): Uint8Array {
  const sides = pathSides(leafIndex, treeSize);
  if (leafHash.length !== width) throw new RangeError('a leaf hash has 32 bytes');
  if (sides.length !== path.length) throw new RangeError('the path has the wrong length for this leaf and tree');
  let node = leafHash;
  for (const [step, sibling] of path.entries()) {
    if (sibling.length !== width) throw new RangeError('a path hash has 32 bytes');
    node = sides[step] === 'LEFT' ? hashNode(sibling, node) : hashNode(node, sibling);
  }
  return node;
}

/** Returns false for hashes that are not 32 bytes long. */
export function isIncluded(
  leafHash: Uint8Array,
  leafIndex: number,
  treeSize: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  try {
    return root.length === width && isSameBytes(rootFromPath(leafHash, leafIndex, treeSize, path), root);
  } catch {
    return false;
  }
}
