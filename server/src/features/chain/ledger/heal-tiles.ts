// Tiles proven against the signed root: from the store if they are intact, else rebuilt from the entries and written
// back. Nothing is returned that neither source can prove.

import { isSameBytes, toHex } from '@recordproof/shared/evidence/digest.ts';
import { MerkleFrontier } from '@recordproof/shared/evidence/merkle-frontier.ts';
import { type TileAddress, tileWidth, toTilePath } from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { checkLeafHash, checkpointPath, parseNoteText, readEdge, toStored } from './entry-tiles.ts';
import { emptyEdge, growEdge, type LedgerEdge, rootOfEdge, tailTiles } from './ledger-edge.ts';
import type { EntryRow } from './packed-entry.ts';
import { findCheckpoint, getLog, listEntries } from './queries.ts';
import { findObject, isUnproven, LedgerDamaged, replaceTiles, type StoredTile, writeTiles } from './tile-store.ts';

export type HealingSource = { readonly db: Db; readonly objects: ObjectStore; readonly log?: LogPort | undefined };

const entriesPerPage = 16 * tileWidth;

/** The entries [start, end), in whole bundles if `start` begins one. */
export async function* pages(db: Db, end: number, start = 0): AsyncGenerator<EntryRow[]> {
  for (let at = start; at < end; at += entriesPerPage)
    yield await listEntries(db, at, Math.min(end, at + entriesPerPage));
}

/**
 * The right edge of the log at this size, which is the newest; throws LedgerDamaged if the entries do not have its
 * root.
 */
export async function readProvenEdge(source: HealingSource, size: number): Promise<LedgerEdge> {
  try {
    return await readEdge(source, size);
  } catch (error) {
    if (!isUnproven(error) || (await getLog(source.db)).published_size !== size) throw error;
    const checkpoint = await findCheckpoint(source.db, size);
    const edge = await growFromEntries(source.db, size);
    if (checkpoint === null || toHex(await rootOfEdge(edge)) !== checkpoint.root) throw error;
    await putBack(source, toStored(tailTiles(edge)));
    return edge;
  }
}

/** The right edge of the tree over the entries before `size`; not yet proven. */
export async function growFromEntries(db: Db, size: number): Promise<LedgerEdge> {
  let edge = emptyEdge;
  for await (const rows of pages(db, size)) edge = growEdge(edge, rows.map(checkLeafHash)).edge;
  return edge;
}

/** A full tile computed from the entries; not yet proven. */
export async function rebuildTile(db: Db, { level, index }: TileAddress): Promise<Uint8Array> {
  const leaves = tileWidth ** (level + 1);
  let edge = emptyEdge;
  for await (const rows of pages(db, (index + 1) * leaves, index * leaves)) {
    const grown = growEdge(edge, rows.map(checkLeafHash));
    edge = grown.edge;
    const whole = grown.tiles.find(({ tile }) => tile.level === level && tile.width === tileWidth);
    if (whole) return whole.bytes;
  }
  throw new LedgerDamaged(`the entries behind ${toTilePath({ level, index, width: tileWidth })} are missing`);
}

/** For proven tiles: after a failure the next read tries again. */
export async function putBack(source: HealingSource, tiles: readonly StoredTile[]): Promise<void> {
  const paths = tiles.map(({ path }) => path);
  try {
    // Only the note next to the tiles distinguishes damage from another history, which is never overwritten.
    if (await isNoteOurs(source)) await replaceTiles(source.objects, tiles);
    else await writeTiles(source.objects, tiles);
    source.log?.warn({ paths }, 'rebuilt damaged ledger tiles from the entries');
  } catch (error) {
    source.log?.warn({ paths, err: error }, 'failed to rebuild damaged ledger tiles');
  }
}

/** Whether the entries of this database have the root of the note next to the tiles. */
async function isNoteOurs({ db, objects }: HealingSource): Promise<boolean> {
  const note = await findObject(objects, checkpointPath);
  if (note === null) return false;
  const { size, root } = parseNoteText(note);
  if (size > (await getLog(db)).size) return false;
  const checkpoint = await findCheckpoint(db, size);
  return checkpoint === null ? isSameBytes(await rootAt(db, size), root) : checkpoint.root === toHex(root);
}

export async function rootAt(db: Db, size: number): Promise<Uint8Array> {
  const tree = new MerkleFrontier();
  for await (const rows of pages(db, size)) for (const row of rows) tree.append(checkLeafHash(row));
  return tree.root();
}
