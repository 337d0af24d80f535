// Public reads of the ledger. Only the newest width of each tile is stored; a narrower one is its prefix, so every
// earlier width can be served. Clients may cache tiles forever, so none is served that does not match the signed root.

import { isSameBytes, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import {
  foldTile,
  parseEntryBundle,
  parseTilePath,
  type TileAddress,
  tileWidth,
  tileWidthAt,
  toBundlePath,
  toEntryBundle,
  toTilePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import { checkLeafHash } from './entry-tiles.ts';
import { type HealingSource, putBack, readProvenEdge, rebuildTile } from './heal-tiles.ts';
import { emptyEdge, type LedgerEdge } from './ledger-edge.ts';
import { getLog, listEntries } from './queries.ts';
import { isNotFound, isUnproven, LedgerDamaged, readObject } from './tile-store.ts';

const hashBytes = 32;

export class PublishedTiles {
  readonly #source: HealingSource;
  /** The edge at the newest size read: every other tile is proven against it. */
  #edge: LedgerEdge = emptyEdge;

  constructor(source: HealingSource) {
    this.#source = source;
  }

  /**
   * Returns null for an invalid path, and for a tile beyond the published log. Throws LedgerDamaged if neither the
   * store nor the entries have what was signed.
   */
  async find(path: string): Promise<Uint8Array | null> {
    const tile = parseTilePath(path);
    if (tile === null) return null;
    for (;;) {
      const { published_size: size } = await getLog(this.#source.db);
      const width = tileWidthAt(tile.level, tile.index, size);
      if (width < tile.width) return null;
      try {
        const widest = { level: tile.level, index: tile.index, width };
        if (tile.kind === 'entries') return await this.#readEntries(widest, tile.width, size);
        return (await this.#readHashes(widest, size)).subarray(0, tile.width * hashBytes);
      } catch (error) {
        // The log grew meanwhile, and the narrower tiles were deleted.
        if (!isUnproven(error) || (await getLog(this.#source.db)).published_size === size) throw error;
      }
    }
  }

  async #readEdge(size: number): Promise<LedgerEdge> {
    if (this.#edge.size !== size) this.#edge = await readProvenEdge(this.#source, size);
    return this.#edge;
  }

  /** A partial tile belongs to the edge; a full one is one hash of the tile above it. */
  async #readHashes(tile: TileAddress, size: number): Promise<Uint8Array> {
    if (tile.width < tileWidth) return (await this.#readEdge(size)).tails[tile.level] ?? new Uint8Array(0);
    const above = Math.floor(tile.index / tileWidth);
    const level = tile.level + 1;
    const parent = await this.#readHashes({ level, index: above, width: tileWidthAt(level, above, size) }, size);
    const at = (tile.index % tileWidth) * hashBytes;
    const expected = parent.subarray(at, at + hashBytes);
    const isSound = (bytes: Uint8Array): boolean =>
      bytes.length === tileWidth * hashBytes && isSameBytes(foldTile(bytes, 0, tileWidth), expected);
    return this.#readSound(toTilePath(tile), isSound, () => rebuildTile(this.#source.db, tile));
  }

  async #readEntries(bundle: TileAddress, width: number, size: number): Promise<Uint8Array> {
    const hashes = await this.#readHashes(bundle, size);
    const isSound = (bytes: Uint8Array): boolean =>
      findEntries(bytes, bundle.width).every(
        (entry, at) =>
          entry !== null && isSameBytes(hashLeaf(entry), hashes.subarray(at * hashBytes, (at + 1) * hashBytes)),
      );
    const first = bundle.index * tileWidth;
    const rebuild = async () => {
      const rows = await listEntries(this.#source.db, first, first + bundle.width);
      for (const row of rows) checkLeafHash(row);
      return toEntryBundle(rows.map(row => toUtf8(row.entry)));
    };
    const bytes = await this.#readSound(toBundlePath(bundle.index, bundle.width), isSound, rebuild);
    return width === bundle.width ? bytes : toEntryBundle(parseEntryBundle(bytes, bundle.width).slice(0, width));
  }

  async #readSound(
    path: string,
    isSound: (bytes: Uint8Array) => boolean,
    rebuild: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const { db, objects } = this.#source;
    const before = await getLog(db);
    const stored = await readObject(objects, path).catch(async error => {
      const hasMovedOn = isNotFound(error) && (await getLog(db)).published_size !== before.published_size;
      if (!isUnproven(error) || hasMovedOn) throw error;
      return null;
    });
    if (stored !== null && isSound(stored)) return stored;
    const bytes = await rebuild();
    if (!isSound(bytes))
      throw new LedgerDamaged(`${path} and its entries in the database both differ from the signed checkpoint`);
    await putBack(this.#source, [{ path, bytes }]);
    return bytes;
  }
}

/** A single null for a bundle that cannot be parsed. */
function findEntries(bytes: Uint8Array, width: number): readonly (Uint8Array | null)[] {
  try {
    return parseEntryBundle(bytes, width);
  } catch {
    return [null];
  }
}
