// Growth of Merkle trees: frontier of a log, order of the leaves of a batch, duplicates.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, sha256, toUtf8 } from './digest.ts';
import { buildMerkleTree, hashLeaf, isIncluded } from './merkle.ts';
import { buildMerkleBatch } from './merkle-batch.ts';
import { MerkleFrontier } from './merkle-frontier.ts';

const leaves = Array.from({ length: 140 }, (_, i) => hashLeaf(toUtf8(`leaf ${i}`)));

test('a frontier has the root of the whole tree after every leaf, and returns every complete node once', () => {
  const frontier = new MerkleFrontier();
  expect(frontier.root()).toEqual(sha256(new Uint8Array(0)));
  const nodes = new Map<string, Uint8Array>();
  for (const [i, leaf] of leaves.entries()) {
    for (const node of frontier.append(leaf)) {
      expect(nodes.has(`${node.level}/${node.index}`)).toBe(false);
      nodes.set(`${node.level}/${node.index}`, node.hash);
    }
    expect(frontier.root()).toEqual(buildMerkleTree(leaves.slice(0, i + 1)).root);
  }
  expect(frontier.size).toBe(140);
  expect(nodes.get('7/0')).toEqual(buildMerkleTree(leaves.slice(0, 128)).root);
  expect(nodes.get('2/34')).toEqual(buildMerkleTree(leaves.slice(136, 140)).root);
  expect(nodes.size).toBe(140 + 70 + 35 + 17 + 8 + 4 + 2 + 1);
});

test('a frontier of a stored log continues at its size', async () => {
  const nodes = new Map<string, Uint8Array>();
  const first = new MerkleFrontier();
  for (const leaf of leaves.slice(0, 101))
    for (const node of first.append(leaf)) nodes.set(`${node.level}/${node.index}`, node.hash);
  const second = await MerkleFrontier.at(
    101,
    ({ level, index }) => nodes.get(`${level}/${index}`) ?? new Uint8Array(0),
  );
  expect(second.root()).toEqual(first.root());
  for (const leaf of leaves.slice(101)) second.append(leaf);
  expect(second.root()).toEqual(buildMerkleTree(leaves).root);
});

const hashOf = (text: string) => digestOf(toUtf8(text));

test('a batch does not depend on the order of its candidates, and every leaf leads to the root', () => {
  const candidate = fc.record({
    manifestHash: fc.constantFrom('a', 'b', 'c').map(hashOf),
    fileId: fc.integer({ min: 1, max: 200 }).map(String),
  });
  const candidates = fc.uniqueArray(candidate, {
    selector: leaf => leaf.manifestHash + leaf.fileId,
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(candidates, list => {
      const batch = buildMerkleBatch(list);
      const { ordered, root } = buildMerkleBatch([...list].reverse());
      expect({ ordered, root }).toEqual({ ordered: batch.ordered, root: batch.root });
      for (const leafIndex of batch.ordered.keys())
        expect(
          isIncluded(batch.leafHashOf(leafIndex), leafIndex, batch.treeSize, batch.pathOf(leafIndex), batch.root),
        ).toBe(true);
    }),
  );
});

test('leaves are ordered by manifest hash, then by file id as a number', () => {
  const [low = '', high = ''] = [hashOf('a'), hashOf('b')].sort();
  const batch = buildMerkleBatch([
    { manifestHash: high, fileId: '1' },
    { manifestHash: low, fileId: '10' },
    { manifestHash: low, fileId: '9' },
  ]);
  expect(batch.ordered).toEqual([
    { manifestHash: low, fileId: '9' },
    { manifestHash: low, fileId: '10' },
    { manifestHash: high, fileId: '1' },
  ]);
});

test('hashes with a common prefix are ordered by the following bytes, however many there are', () => {
  const alike = ['0', '7', 'f'].flatMap(digit => ['00', '01', 'ff'].map(end => digit.repeat(62) + end));
  const expected = alike
    .sort()
    .flatMap(hex => ['2', '10', '300'].map(fileId => ({ manifestHash: `sha256:${hex}`, fileId })));
  fc.assert(
    fc.property(fc.shuffledSubarray(expected, { minLength: 1 }), list => {
      expect(buildMerkleBatch(list).ordered).toEqual(expected.filter(leaf => list.includes(leaf)));
    }),
  );
});

test('an empty batch and a duplicate candidate are rejected', () => {
  expect(() => buildMerkleBatch([])).toThrow(RangeError);
  const leaf = { manifestHash: hashOf('a'), fileId: '1' };
  expect(() => buildMerkleBatch([leaf, { ...leaf }])).toThrow(RangeError);
});
