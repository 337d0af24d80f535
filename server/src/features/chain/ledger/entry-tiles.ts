// Tiles and bundles computed from entries, and the right edge of the tree as read back from tiles.

import { type Checkpoint, parseCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { tileWidth, toBundlePath, toEntryBundle, toTilePath } from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { type GrownTile, type growEdge, type LedgerEdge, partialTiles, rootOfEdge, tailTiles } from './ledger-edge.ts';
import type { EntryRow } from './packed-entry.ts';
import { findCheckpoint } from './queries.ts';
import { LedgerDamaged, readObject, type StoredTile } from './tile-store.ts';

/** The path of the newest checkpoint next to the tiles, which reveals a database from an older backup. */
export const checkpointPath = 'checkpoint';

/** Parses a signed note; its content is not authenticated. */
export function parseNoteText(note: Uint8Array): Checkpoint {
  const text = parseUtf8(note);
  return parseCheckpointText(text.slice(0, text.indexOf('\n\n') + 1));
}

/** Throws on an entry that was changed since it was appended. */
export function checkLeafHash(row: EntryRow): Uint8Array {
  const leafHash = hashLeaf(toUtf8(row.entry));
  if (toHex(leafHash) !== row.leaf_hash) throw new LedgerDamaged(`entry ${row.position} was altered in the database`);
  return leafHash;
}

export const toStored = (tiles: readonly GrownTile[]): StoredTile[] =>
  tiles.map(({ tile, bytes }) => ({ path: toTilePath(tile), bytes }));

/**
 * For entries by which the tree grew, the first of which begins a bundle: full tiles and bundles, and with the last
 * entries also the partial ones.
 */
export function toNewestTiles(
  { edge, tiles }: ReturnType<typeof growEdge>,
  entries: readonly EntryRow[],
  isLast: boolean,
): StoredTile[] {
  const full = tiles.filter(({ tile }) => tile.width === tileWidth);
  const bundled = isLast ? entries : entries.slice(0, entries.length - (entries.length % tileWidth));
  return [...toStored([...full, ...(isLast ? tailTiles(edge) : [])]), ...toBundles(bundled)];
}

/** For consecutive entries, the first of which begins a bundle. */
export function toBundles(entries: readonly EntryRow[]): StoredTile[] {
  const bundles: StoredTile[] = [];
  for (let at = 0; at < entries.length; at += tileWidth) {
    const rows = entries.slice(at, at + tileWidth);
    const bytes = toEntryBundle(rows.map(row => toUtf8(row.entry)));
    bundles.push({ path: toBundlePath((rows[0]?.position ?? 0) / tileWidth, rows.length), bytes });
  }
  return bundles;
}

/** From the stored tiles; throws unless their root is that of the checkpoint signed for this size. */
export async function readEdge(
  { db, objects }: { readonly db: Db; readonly objects: ObjectStore },
  size: number,
): Promise<LedgerEdge> {
  const checkpoint = await findCheckpoint(db, size);
  if (checkpoint === null) throw new LedgerDamaged(`the checkpoint of size ${size} is missing in the database`);
  const tails: Uint8Array[] = [];
  for (const tile of partialTiles(size)) tails[tile.level] = await readObject(objects, toTilePath(tile));
  const edge = { size, tails: Array.from(tails, tail => tail ?? new Uint8Array(0)) };
  if (toHex(await rootOfEdge(edge)) !== checkpoint.root)
    throw new LedgerDamaged(`the root computed from the tiles of size ${size} differs from the signed one`);
  return edge;
}
