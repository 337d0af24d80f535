// The right edge of the ledger's tree: per tile level, the hashes that do not fill a tile yet. Growing it yields the
// new and changed tiles (docs/spec/ledger.md section 4). Pure.
import { concatBytes } from '@recordproof/shared/evidence/digest.ts';
import { hashRange } from '@recordproof/shared/evidence/merkle-ranges.ts';
import {
  foldTile,
  hashesAtTileLevel,
  locateNode,
  type TileAddress,
  tileWidth,
} from '@recordproof/shared/evidence/tlog-tiles.ts';

const hashBytes = 32;
const tileBytes = tileWidth * hashBytes;

export type LedgerEdge = {
  readonly size: number;
  /** By tile level: the hashes after the last full tile, fewer than 256. */
  readonly tails: readonly Uint8Array[];
};

export type GrownTile = { readonly tile: TileAddress; readonly bytes: Uint8Array };

export const emptyEdge: LedgerEdge = { size: 0, tails: [] };

/** The partial tile at the end of each level; none if a level ends with a full tile. */
export function partialTiles(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0; hashesAtTileLevel(level, size) > 0; level++) {
    const hashes = hashesAtTileLevel(level, size);
    const width = hashes % tileWidth;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / tileWidth), width });
  }
  return tiles;
}

/** The partial tiles of an edge. */
export const tailTiles = ({ size, tails }: LedgerEdge): GrownTile[] =>
  partialTiles(size).map(tile => ({ tile, bytes: tails[tile.level] ?? new Uint8Array(0) }));

export function growEdge(
  edge: LedgerEdge,
  leafHashes: readonly Uint8Array[],
): { readonly edge: LedgerEdge; readonly tiles: GrownTile[] } {
  const tiles: GrownTile[] = [];
  const tails: Uint8Array[] = [];
  let added: Uint8Array = concatBytes(...leafHashes);
  for (let level = 0; level < edge.tails.length || added.length > 0; level++) {
    const hashes = concatBytes(edge.tails[level] ?? new Uint8Array(0), added);
    let index = Math.floor(hashesAtTileLevel(level, edge.size) / tileWidth);
    const above: Uint8Array[] = [];
    let at = 0;
    for (; hashes.length - at >= tileBytes; at += tileBytes, index++) {
      const bytes = hashes.slice(at, at + tileBytes);
      tiles.push({ tile: { level, index, width: tileWidth }, bytes });
      above.push(foldTile(bytes, 0, tileWidth));
    }
    const tail = hashes.slice(at);
    if (added.length > 0 && tail.length > 0)
      tiles.push({ tile: { level, index, width: tail.length / hashBytes }, bytes: tail });
    tails.push(tail);
    added = concatBytes(...above);
  }
  return { edge: { size: edge.size + leafHashes.length, tails }, tiles };
}

/** Every perfect subtree of the root ends in the last tile of its level. */
export const rootOfEdge = ({ size, tails }: LedgerEdge): Promise<Uint8Array> =>
  hashRange({ start: 0, end: size }, node => {
    const { tile, first, count } = locateNode(node, size);
    return foldTile(tails[tile.level] ?? new Uint8Array(0), first, count);
  });
