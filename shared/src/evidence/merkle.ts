// Owns RP-MERKLE-SHA256-V1: RFC 9162 hashing and tree shape (docs/spec/merkle.md). Builds whole trees in one pass and
// verifies inclusion. Refuses a path whose length or sides do not follow from leaf index and tree size.
import { concatBytes, isSameBytes, type Sha256, sha256 } from './digest.ts';

export const merkleSuite = 'RP-MERKLE-SHA256-V1';
const width = 32;

/** SHA-256(0x00 ‖ data). */
export const hashLeaf = (data: Uint8Array, hash: Sha256 = sha256): Uint8Array =>
  hash(concatBytes(Uint8Array.of(0), data));

/** SHA-256(0x01 ‖ left ‖ right). */
export const hashNode = (left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array =>
  hash(concatBytes(Uint8Array.of(1), left, right));

export type MerkleTree = {
  readonly size: number;
  /** The root of the empty tree is SHA-256 of nothing, as in the RFC. */
  readonly root: Uint8Array;
  /** Sibling hashes from the leaf to the root; views into the tree, valid as long as it is. */
  pathOf(leafIndex: number): Uint8Array[];
};

/** One pass over the leaf hashes: n - 1 node hashes, two bytes of memory per leaf byte, every path afterwards free. */
export function buildMerkleTree(leafHashes: readonly Uint8Array[], hash: Sha256 = sha256): MerkleTree {
  const size = leafHashes.length;
  const levels = [flatten(leafHashes)];
  const scratch = new Uint8Array(1 + 2 * width);
  scratch[0] = 1;
  for (let below = levels[0]; below !== undefined && below.length > width; below = levels.at(-1))
    levels.push(nextLevel(below, scratch, hash));
  const top = levels.at(-1);
  return {
    size,
    root: size === 0 || top === undefined ? hash(new Uint8Array(0)) : top.slice(),
    pathOf: leafIndex => readPath(levels, leafIndex, size),
  };
}

function flatten(leafHashes: readonly Uint8Array[]): Uint8Array {
  const level = new Uint8Array(leafHashes.length * width);
  for (let i = 0; i < leafHashes.length; i++) {
    const leaf = leafHashes[i];
    if (leaf?.length !== width) throw new RangeError('a leaf hash has 32 bytes');
    level.set(leaf, i * width);
  }
  return level;
}

function nextLevel(below: Uint8Array, scratch: Uint8Array, hash: Sha256): Uint8Array {
  const count = below.length / width;
  const level = new Uint8Array(Math.ceil(count / 2) * width);
  const pairs = Math.floor(count / 2);
  for (let i = 0; i < pairs; i++) {
    scratch.set(below.subarray(2 * i * width, 2 * (i + 1) * width), 1);
    level.set(hash(scratch), i * width);
  }
  // A last node without a partner moves up as it is; that gives exactly the split of RFC 9162 section 2.1.1.
  if (count % 2 === 1) level.set(below.subarray((count - 1) * width), pairs * width);
  return level;
}

function readPath(levels: readonly Uint8Array[], leafIndex: number, size: number): Uint8Array[] {
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= size) throw new RangeError('no such leaf');
  const path: Uint8Array[] = [];
  let index = leafIndex;
  for (const level of levels) {
    const sibling = index ^ 1;
    if (sibling * width < level.length) path.push(level.subarray(sibling * width, (sibling + 1) * width));
    index >>>= 1;
  }
  return path;
}

export type PathSide = 'LEFT' | 'RIGHT';

/** On which side the sibling stands at each step from leaf to root; follows from index and size alone. */
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

/** The root that the path leads to; throws when the path cannot belong to that leaf of a tree of that size. */
export function rootFromPath(
  leafHash: Uint8Array,
  leafIndex: number,
  treeSize: number,
  path: readonly Uint8Array[],
  hash: Sha256 = sha256,
): Uint8Array {
  const sides = pathSides(leafIndex, treeSize);
  if (sides.length !== path.length) throw new RangeError('the path has the wrong length for this leaf and tree');
  let node = leafHash;
  for (const [step, sibling] of path.entries()) {
    if (sibling.length !== width) throw new RangeError('a path hash has 32 bytes');
    node = sides[step] === 'LEFT' ? hashNode(sibling, node, hash) : hashNode(node, sibling, hash);
  }
  return node;
}

export function isIncluded(
  leafHash: Uint8Array,
  leafIndex: number,
  treeSize: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
  hash: Sha256 = sha256,
): boolean {
  try {
    return isSameBytes(rootFromPath(leafHash, leafIndex, treeSize, path, hash), root);
  } catch {
    return false;
  }
}
