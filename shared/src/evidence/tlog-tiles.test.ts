// Tiles of a transparency log: paths, proofs from tiles, tiles written after growth, entry bundles.
import { expect, test } from 'vitest';
import { concatBytes, toUtf8 } from './digest.ts';
import { buildMerkleTree, hashLeaf, isIncluded } from './merkle.ts';
import {
  consistencyRanges,
  hashRange,
  hashRanges,
  inclusionRanges,
  isConsistent,
  type NodeAddress,
} from './merkle-ranges.ts';
import {
  foldTile,
  locateNode,
  newTiles,
  parseEntryBundle,
  parseTilePath,
  tileWidth,
  tileWidthAt,
  toBundlePath,
  toEntryBundle,
  toTileIndex,
  toTilePath,
} from './tlog-tiles.ts';

test('tile paths are written in groups of three digits', () => {
  expect(toTileIndex(1234067)).toBe('x001/x234/067');
  expect(toTilePath({ level: 0, index: 0, width: 256 })).toBe('tile/0/000');
  expect(toTilePath({ level: 3, index: 1000, width: 17 })).toBe('tile/3/x001/000.p/17');
  expect(toBundlePath(999, 1)).toBe('tile/entries/999.p/1');
});

test('every written path is read, and no other spelling of it', () => {
  for (const tile of [
    { level: 0, index: 0, width: 256 },
    { level: 63, index: 123456789, width: 255 },
  ])
    expect(parseTilePath(toTilePath(tile))).toEqual({ kind: 'hashes', ...tile });
  expect(parseTilePath('tile/entries/x001/002.p/3')).toEqual({ kind: 'entries', level: 0, index: 1002, width: 3 });
  const bad = ['tile/0/0', 'tile/0/x000/001', 'tile/00/001', 'tile/64/001', 'tile/0/001.p/0', 'tile/0/001.p/256'];
  const worse = ['tile/0/../001', '/tile/0/001', 'tile/0/001/', 'tile/0/001.p/01', 'tile/-1/001', 'tile/0/001.p/999'];
  for (const path of [...bad, ...worse]) expect(parseTilePath(path), path).toBeNull();
});

const size = 70_000;
const leaves = Array.from({ length: size }, (_, i) => hashLeaf(toUtf8(String(i))));

/** Writes the tiles of a log the way a server does: each level from the full tiles below. */
function tilesOf(treeSize: number): Map<string, Uint8Array> {
  const tiles = new Map<string, Uint8Array>();
  let hashes = leaves.slice(0, treeSize);
  for (let level = 0; hashes.length > 0; level++) {
    const above: Uint8Array[] = [];
    for (let index = 0; index * tileWidth < hashes.length; index++) {
      const part = hashes.slice(index * tileWidth, (index + 1) * tileWidth);
      const tile = concatBytes(...part);
      tiles.set(toTilePath({ level, index, width: part.length }), tile);
      if (part.length === tileWidth) above.push(foldTile(tile, 0, tileWidth));
    }
    hashes = above;
  }
  return tiles;
}

test('inclusion and consistency of a log are proved from its tiles only', { tags: 'long' }, async () => {
  const tiles = tilesOf(size);
  const getNode = (node: NodeAddress) => {
    const location = locateNode(node, size);
    return foldTile(tiles.get(toTilePath(location.tile)) ?? new Uint8Array(0), location.first, location.count);
  };
  const root = await hashRange({ start: 0, end: size }, getNode);
  expect(root).toEqual(buildMerkleTree(leaves).root);
  for (const index of [0, 255, 256, 65_535, 65_536, size - 1]) {
    const path = await hashRanges(inclusionRanges(index, size), getNode);
    expect(isIncluded(leaves[index] ?? root, index, size, path, root)).toBe(true);
  }
  for (const oldSize of [1, 255, 256, 257, 65_536, 69_999]) {
    const older = { size: oldSize, root: buildMerkleTree(leaves.slice(0, oldSize)).root };
    const proof = await hashRanges(consistencyRanges(oldSize, size), getNode);
    expect(isConsistent(older, { size, root }, proof)).toBe(true);
  }
});

test('the tiles to write after growth are exactly the new and the completed ones', () => {
  for (const [oldSize, newSize] of [
    [0, 1],
    [1, 256],
    [255, 257],
    [256, 512],
    [65_530, 65_537],
    [300, 300],
  ] as const) {
    const before = new Set(tilesOf(oldSize).keys());
    const expected = [...tilesOf(newSize).keys()].filter(path => !before.has(path));
    expect(newTiles(oldSize, newSize).map(toTilePath).sort()).toEqual(expected.sort());
  }
});

test('an incomplete subtree has no location', () => {
  expect(() => locateNode({ level: 8, index: 0 }, 255)).toThrow(RangeError);
  expect(() => locateNode({ level: 1, index: 1 }, 3)).toThrow(RangeError);
  expect(tileWidthAt(0, 1, 300)).toBe(44);
  expect(tileWidthAt(1, 0, 300)).toBe(1);
  expect(tileWidthAt(1, 1, 300)).toBe(0);
});

test('entry bundles separate entries of every length', () => {
  const entries = [new Uint8Array(0), toUtf8('a'), new Uint8Array(65_535).fill(7)];
  const bundle = toEntryBundle(entries);
  expect(parseEntryBundle(bundle, 3)).toEqual(entries);
  for (const bad of [bundle.slice(0, -1), concatBytes(bundle, Uint8Array.of(0)), bundle.slice(0, 1)])
    expect(() => parseEntryBundle(bad, 3)).toThrow(RangeError);
  expect(() => parseEntryBundle(bundle, 2)).toThrow(RangeError);
  expect(() => toEntryBundle([new Uint8Array(65_536)])).toThrow(RangeError);
  expect(() => toEntryBundle([])).toThrow(RangeError);
});
