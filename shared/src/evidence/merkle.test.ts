// Merkle trees of RFC 9162: hashes, inclusion and consistency proofs, compared with the recursive definition.
import { expect, test } from 'vitest';
import { sha256, toHex, toUtf8 } from './digest.ts';
import { buildMerkleTree, hashLeaf, hashNode, isIncluded, pathSides, rootFromPath } from './merkle.ts';
import {
  consistencyRanges,
  hashRange,
  hashRanges,
  inclusionRanges,
  isConsistent,
  type NodeAddress,
  perfectNodes,
} from './merkle-ranges.ts';

const leaves = Array.from({ length: 70 }, (_, i) => hashLeaf(toUtf8(`leaf ${i}`)));

/** The definition of RFC 9162 section 2.1.1, word by word. */
function definedRoot(hashes: readonly Uint8Array[]): Uint8Array {
  const [only] = hashes;
  if (only === undefined) return sha256(new Uint8Array(0));
  if (hashes.length === 1) return only;
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return hashNode(definedRoot(hashes.slice(0, k)), definedRoot(hashes.slice(k)));
}

/** The definition of RFC 9162 section 2.1.3.1, word by word. */
function definedPath(index: number, hashes: readonly Uint8Array[]): Uint8Array[] {
  if (hashes.length <= 1) return [];
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return index < k
    ? [...definedPath(index, hashes.slice(0, k)), definedRoot(hashes.slice(k))]
    : [...definedPath(index - k, hashes.slice(k)), definedRoot(hashes.slice(0, k))];
}

/** The definition of RFC 9162 section 2.1.4.1, word by word. */
function definedConsistency(m: number, hashes: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  const n = hashes.length;
  if (m === n) return isWhole ? [] : [definedRoot(hashes)];
  let k = 1;
  while (k * 2 < n) k *= 2;
  return m <= k
    ? [...definedConsistency(m, hashes.slice(0, k), isWhole), definedRoot(hashes.slice(k))]
    : [...definedConsistency(m - k, hashes.slice(k), false), definedRoot(hashes.slice(0, k))];
}

const nodeOf = ({ level, index }: NodeAddress) =>
  definedRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));

test('hashes match known RFC 9162 values', () => {
  expect(toHex(buildMerkleTree([]).root)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(toHex(hashLeaf(new Uint8Array(0)))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
});

test('root and every path agree with the recursive definition for all small trees', () => {
  for (let size = 0; size <= leaves.length; size++) {
    const some = leaves.slice(0, size);
    const tree = buildMerkleTree(some);
    expect(tree.root).toEqual(definedRoot(some));
    for (let i = 0; i < size; i++) {
      const path = tree.pathOf(i);
      expect(path).toEqual(definedPath(i, some));
      expect(pathSides(i, size)).toHaveLength(path.length);
      expect(isIncluded(leaves[i] ?? tree.root, i, size, path, tree.root)).toBe(true);
    }
  }
});

test('a path is rejected for another index and for another tree size that changes its shape', () => {
  const size = 11;
  const tree = buildMerkleTree(leaves.slice(0, size));
  const leaf = leaves[4] ?? tree.root;
  const path = tree.pathOf(4);
  for (let index = 0; index < size; index++) expect(isIncluded(leaf, index, size, path, tree.root)).toBe(index === 4);
  expect(isIncluded(leaf, 4, 4, path, tree.root)).toBe(false);
  expect(isIncluded(leaf, 4, 7, path, tree.root)).toBe(false);
  expect(isIncluded(leaf, 4, 17, path, tree.root)).toBe(false);
  for (const bad of [-1, 0.5, Number.NaN, 2 ** 60]) expect(isIncluded(leaf, bad, size, path, tree.root)).toBe(false);
});

test('a path that is too short, too long, reordered or has a wrong hash is rejected', () => {
  const tree = buildMerkleTree(leaves.slice(0, 8));
  const leaf = leaves[3] ?? tree.root;
  const path = tree.pathOf(3);
  expect(isIncluded(leaf, 3, 8, path.slice(1), tree.root)).toBe(false);
  expect(isIncluded(leaf, 3, 8, [...path, leaf], tree.root)).toBe(false);
  expect(isIncluded(leaf, 3, 8, [...path].reverse(), tree.root)).toBe(false);
  expect(() => rootFromPath(leaf, 3, 8, [new Uint8Array(31), ...path.slice(1)])).toThrow(RangeError);
});

test('an inclusion proof in a tree of one is empty', () => {
  const [leaf = new Uint8Array(32)] = leaves;
  expect(buildMerkleTree([leaf]).pathOf(0)).toEqual([]);
  expect(isIncluded(leaf, 0, 1, [], leaf)).toBe(true);
  for (const odd of [new Uint8Array(0), leaf.slice(1), Uint8Array.from([...leaf, 0])])
    expect([isIncluded(odd, 0, 1, [], odd), isIncluded(leaf, 0, 1, [], odd)]).toEqual([false, false]);
});

test('an inner node is rejected as a leaf', () => {
  const tree = buildMerkleTree(leaves.slice(0, 4));
  const [a = tree.root, b = tree.root, c = tree.root, d = tree.root] = leaves;
  const inner = hashNode(a, b);
  expect(isIncluded(inner, 0, 2, [hashNode(c, d)], tree.root)).toBe(true);
  expect(isIncluded(inner, 0, 4, [hashNode(c, d)], tree.root)).toBe(false);
});

test('hashing the ranges of an inclusion proof returns its path', async () => {
  for (const size of [1, 2, 3, 7, 8, 13, 33]) {
    const some = leaves.slice(0, size);
    for (let i = 0; i < size; i++)
      expect(await hashRanges(inclusionRanges(i, size), nodeOf)).toEqual(definedPath(i, some));
  }
});

test('consistency proofs agree with the definition and verify, for every pair of small sizes', async () => {
  for (let newSize = 1; newSize <= 33; newSize++) {
    const newer = { size: newSize, root: definedRoot(leaves.slice(0, newSize)) };
    for (let oldSize = 1; oldSize <= newSize; oldSize++) {
      const older = { size: oldSize, root: definedRoot(leaves.slice(0, oldSize)) };
      const proof = await hashRanges(consistencyRanges(oldSize, newSize), nodeOf);
      expect(proof).toEqual(definedConsistency(oldSize, leaves.slice(0, newSize)));
      expect(isConsistent(older, newer, proof)).toBe(true);
    }
  }
});

test('a changed consistency proof is rejected', async () => {
  const older = { size: 6, root: definedRoot(leaves.slice(0, 6)) };
  const newer = { size: 13, root: definedRoot(leaves.slice(0, 13)) };
  const proof = await hashRanges(consistencyRanges(6, 13), nodeOf);
  expect(isConsistent(older, newer, proof.slice(1))).toBe(false);
  expect(isConsistent(older, newer, proof.slice(0, -1))).toBe(false);
  expect(isConsistent(older, newer, [...proof, older.root])).toBe(false);
  expect(isConsistent({ ...older, root: newer.root }, newer, proof)).toBe(false);
  expect(isConsistent(older, { ...newer, root: older.root }, proof)).toBe(false);
  expect(isConsistent({ ...older, size: 5 }, newer, proof)).toBe(false);
  expect(isConsistent(newer, older, proof)).toBe(false);
  for (let i = 0; i < proof.length; i++)
    expect(
      isConsistent(
        older,
        newer,
        proof.map((node, at) => (at === i ? older.root : node)),
      ),
    ).toBe(false);
});

test('every tree is consistent with the empty tree, and only with its empty root', () => {
  const empty = { size: 0, root: sha256(new Uint8Array(0)) };
  const newer = { size: 3, root: definedRoot(leaves.slice(0, 3)) };
  expect(isConsistent(empty, newer, [])).toBe(true);
  expect(isConsistent({ size: 0, root: newer.root }, newer, [])).toBe(false);
  expect(isConsistent(empty, empty, [])).toBe(true);
});

test('ranges work beyond 32 bits', async () => {
  const size = 2 ** 40 + 3;
  expect(perfectNodes({ start: 0, end: size })).toEqual([
    { level: 40, index: 0 },
    { level: 1, index: 2 ** 39 },
    { level: 0, index: 2 ** 40 + 2 },
  ]);
  expect(inclusionRanges(2 ** 40 + 1, size)).toHaveLength(pathSides(2 ** 40 + 1, size).length);
  expect(await hashRange({ start: 5, end: 5 }, nodeOf)).toEqual(sha256(new Uint8Array(0)));
});
