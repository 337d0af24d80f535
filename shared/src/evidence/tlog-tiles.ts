// The C2SP tlog-tiles layout (docs/spec/ledger.md section 4): tile paths, the hashes of a tile, and entry bundles.
// Rejects indexes beyond 2^53 and bundles with a wrong length.
import { concatBytes } from './digest.ts';
import { hashNode } from './merkle.ts';
import type { NodeAddress } from './merkle-ranges.ts';

const tileHeight = 8;
export const tileWidth = 256;
const hashBytes = 32;
const maxEntryBytes = 0xffff;

/** `width` is the number of hashes or entries in the tile: 256, or 1 to 255 in a partial tile. */
export type TileAddress = { level: number; index: number; width: number };

/** Three digits per segment, all but the last prefixed with an x: 1234067 → x001/x234/067. */
export function toTileIndex(index: number): string {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError('a tile index is a whole number');
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
}

function withWidth(index: number, width: number): string {
  if (!Number.isInteger(width) || width < 1 || width > tileWidth) throw new RangeError('a tile holds 1 to 256 items');
  return width === tileWidth ? toTileIndex(index) : `${toTileIndex(index)}.p/${width}`;
}

export function toTilePath(tile: TileAddress): string {
  if (!Number.isInteger(tile.level) || tile.level < 0 || tile.level > 63) throw new RangeError('no such tile level');
  return `tile/${tile.level}/${withWidth(tile.index, tile.width)}`;
}

export const toBundlePath = (index: number, width: number): string => `tile/entries/${withWidth(index, width)}`;

const pathPattern = /^tile\/(entries|0|[1-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile or bundle of a path; null for any other path, including non-canonical ones. */
export function parseTilePath(path: string): (TileAddress & { kind: 'hashes' | 'entries' }) | null {
  const parts = pathPattern.exec(path);
  if (parts === null) return null;
  const [, level = '', groups = '', partial] = parts;
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(index) || toTileIndex(index) !== groups || (partial !== undefined && width >= tileWidth))
    return null;
  return level === 'entries'
    ? { kind: 'entries', level: 0, index, width }
    : { kind: 'hashes', level: Number(level), index, width };
}

/** The number of hashes at tile level `level` in a tree of that size. */
export const hashesAtTileLevel = (level: number, treeSize: number): number => Math.floor(treeSize / tileWidth ** level);

/** The width of tile `index` at `level` in a tree of that size; 0 if it does not exist yet. */
export function tileWidthAt(level: number, index: number, treeSize: number): number {
  return Math.max(0, Math.min(tileWidth, hashesAtTileLevel(level, treeSize) - index * tileWidth));
}

/** Tiles of a log of `newSize` that are missing or narrower in one of `oldSize`; lowest level first. */
export function newTiles(oldSize: number, newSize: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0; ; level++) {
    const before = hashesAtTileLevel(level, oldSize);
    const after = hashesAtTileLevel(level, newSize);
    if (after === 0) return tiles;
    if (after === before) continue;
    for (let index = Math.floor(before / tileWidth); index * tileWidth < after; index++)
      tiles.push({ level, index, width: tileWidthAt(level, index, newSize) });
  }
}

/** The location of a perfect subtree: the tile, and the nodes in it [first, first + count) that it is computed from. */
type NodeInTile = { tile: TileAddress; first: number; count: number };

/** The hash at (level, index) of the tree is in, or computed from, exactly one tile. */
export function locateNode(node: NodeAddress, treeSize: number): NodeInTile {
  const level = Math.floor(node.level / tileHeight);
  const count = 2 ** (node.level % tileHeight);
  const firstHash = node.index * count;
  const index = Math.floor(firstHash / tileWidth);
  const first = firstHash - index * tileWidth;
  const width = tileWidthAt(level, index, treeSize);
  if (first + count > width) throw new RangeError('that subtree is not complete in a tree of this size');
  return { tile: { level, index, width }, first, count };
}

/** The hash of the perfect subtree over `count` (a power of two) hashes of a tile, starting at `first`. */
export function foldTile(tile: Uint8Array, first: number, count: number): Uint8Array {
  if ((first + count) * hashBytes > tile.length) throw new RangeError('the tile is too short');
  let level: Uint8Array[] = [];
  for (let i = first; i < first + count; i++) level.push(tile.slice(i * hashBytes, (i + 1) * hashBytes));
  while (level.length > 1) level = pairUp(level);
  const [root] = level;
  if (root === undefined) throw new RangeError('an empty range of a tile');
  return root;
}

function pairUp(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i];
    const right = level[i + 1];
    if (left === undefined || right === undefined) throw new RangeError('not a power of two');
    above.push(hashNode(left, right));
  }
  return above;
}

/** Each entry as a big-endian 16-bit length and its bytes. */
export function toEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length < 1 || entries.length > tileWidth) throw new RangeError('a bundle holds 1 to 256 entries');
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    if (entry.length > maxEntryBytes) throw new RangeError('an entry is longer than 65535 bytes');
    parts.push(Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry);
  }
  return concatBytes(...parts);
}

export function parseEntryBundle(bundle: Uint8Array, count: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const length = ((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0);
    const end = at + 2 + length;
    if (at + 2 > bundle.length || end > bundle.length) throw new RangeError('the bundle is cut off');
    entries.push(bundle.slice(at + 2, end));
    at = end;
  }
  if (entries.length !== count) throw new RangeError('the bundle holds another number of entries');
  return entries;
}
