// After a restore, database and object store may be of different moments. Each holds what the other lost: entries stand
// in the bundles, tiles follow from the entries. Nothing is taken over that does not carry a root the ledger signed.

import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { isSameBytes, parseUtf8, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry, subjectOf } from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { MerkleFrontier } from '@recordproof/shared/evidence/merkle-frontier.ts';
import type { NoteKey } from '@recordproof/shared/evidence/signed-note.ts';
import {
  parseEntryBundle,
  parseTilePath,
  tileWidth,
  tileWidthAt,
  toBundlePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { StartRefused } from '../../../platform/installation.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { checkLeafHash, checkpointPath, parseNoteText, readEdge, toBundles, toStored } from './entry-tiles.ts';
import { pages, readProvenEdge, rootAt } from './heal-tiles.ts';
import { emptyEdge, growEdge, rootOfEdge, tailTiles } from './ledger-edge.ts';
import { verifyEd25519 } from './ledger-key.ts';
import { noteNewest } from './publish-checkpoint.ts';
import {
  type CheckpointRow,
  type EntryRow,
  findCheckpoint,
  findNewestCheckpoint,
  getLog,
  insertEntries,
  lockEnd,
  moveCheckpoint,
} from './queries.ts';
import {
  fromObjectKey,
  isNotFound,
  isUnproven,
  LedgerDamaged,
  readObject,
  replaceTiles,
  type StoredTile,
  toObjectKey,
  writeTiles,
} from './tile-store.ts';

type Sources = { readonly db: Db; readonly objects: ObjectStore; readonly key: NoteKey; readonly log?: LogPort };

/** Brings whichever side is behind up to the other; throws StartRefused when the two tell different histories. */
export async function recoverLedger(sources: Sources, now: number): Promise<void> {
  const seen = await findSeenCheckpoint(sources);
  const { published_size: published } = await getLog(sources.db);
  if (seen === 'DAMAGED') await noteAnew(sources);
  if (seen !== null && seen !== 'DAMAGED' && seen.size > published) await recoverEntries(sources, seen, now);
  else await restoreIfMissing(sources, published);
}

type Seen = { readonly size: number; readonly root: Uint8Array; readonly note: string };

/** The note beside the tiles; DAMAGED when what stands there is no note at all, or not the one that was stored. */
export async function findSeenCheckpoint({
  objects,
  key,
}: Pick<Sources, 'objects' | 'key'>): Promise<Seen | 'DAMAGED' | null> {
  const note = await readObject(objects, checkpointPath).catch(error => {
    if (isNotFound(error)) return null;
    if (isUnproven(error)) return 'DAMAGED';
    throw error;
  });
  if (note === null || note === 'DAMAGED') return note;
  const checkpoint = await openCheckpoint(note, key, verifyEd25519).catch(() => null);
  if (checkpoint !== null) return { size: checkpoint.size, root: checkpoint.root, note: parseUtf8(note) };
  if (!isNote(note)) return 'DAMAGED';
  throw new StartRefused(
    'the checkpoint beside the tiles in the object store is not of this ledger; check the bucket and the keys.',
  );
}

function isNote(bytes: Uint8Array): boolean {
  try {
    parseNoteText(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The note is damaged: without it only the bundles tell whether the tiles are newer than the database. */
async function noteAnew({ db, objects, log }: Sources): Promise<void> {
  const { size } = await getLog(db);
  for await (const { key } of objects.list(toObjectKey('tile/entries/'))) {
    const bundle = parseTilePath(fromObjectKey(key));
    if (bundle !== null && bundle.index * tileWidth + bundle.width > size) {
      throw new StartRefused(
        'the checkpoint beside the tiles is damaged, and the tiles are newer than the database; restore a newer backup of the database.',
      );
    }
  }
  const newest = await findNewestCheckpoint(db);
  if (newest === null) return;
  await noteNewest({ db, objects }, newest);
  log?.warn({ size: newest.size }, 'the damaged checkpoint beside the tiles was written anew');
}

const otherHistory = (size: number): StartRefused =>
  new StartRefused(
    `the ledger has published ${size} entries, and the entries of this database are not among them; restore a newer backup of the database.`,
  );

/** The database is of an older backup: what it lacks stands in the bundles. */
async function recoverEntries(sources: Sources, seen: Seen, now: number): Promise<void> {
  const { db } = sources;
  const tree = new MerkleFrontier(sha256);
  const { size, published_size: published } = await getLog(db);
  if (size > seen.size) throw otherHistory(seen.size);
  for await (const rows of pages(db, size)) for (const row of rows) tree.append(checkLeafHash(row));
  const missing: EntryRow[] = [];
  for (let index = Math.floor(size / tileWidth); index * tileWidth < seen.size; index++) {
    const first = index * tileWidth;
    for (const [offset, entry] of (await readBundle(sources, index, seen.size)).entries()) {
      if (first + offset < size) continue;
      const row = toRow(entry, first + offset);
      tree.append(hashLeaf(entry, sha256));
      missing.push(row);
    }
  }
  if (!isSameBytes(tree.root(), seen.root)) throw otherHistory(seen.size);
  const checkpoint: CheckpointRow = { size: seen.size, root: toHex(seen.root), note: seen.note, published_at: now };
  await db.transaction().execute(async tx => {
    const end = await lockEnd(tx);
    if (end.size !== size) throw otherHistory(seen.size);
    let { recorded_until } = end;
    for (let at = 0; at < missing.length; at += tileWidth) {
      const rows = missing.slice(at, at + tileWidth);
      // The last one need not be the latest: entries of several servers are up to some seconds apart.
      recorded_until = Math.max(recorded_until, ...rows.map(({ recorded_at }) => recorded_at));
      await insertEntries(tx, rows, { size: size + at + rows.length, recorded_until });
    }
    await moveCheckpoint(tx, published, checkpoint);
  });
}

async function readBundle({ objects }: Sources, index: number, size: number): Promise<Uint8Array[]> {
  const width = tileWidthAt(0, index, size);
  try {
    return parseEntryBundle(await readObject(objects, toBundlePath(index, width)), width);
  } catch (error) {
    if (isNotFound(error) || error instanceof RangeError) throw otherHistory(size);
    if (!isUnproven(error)) throw error;
    const path = toBundlePath(index, width);
    throw new StartRefused(
      `${path} holds entries that this database lacks, and is damaged; restore a newer backup of the database.`,
    );
  }
}

function toRow(bytes: Uint8Array, position: number): EntryRow {
  const entry = parseLedgerEntry(bytes);
  return {
    position,
    kind: entry.kind,
    subject: subjectOf(entry),
    entry: parseUtf8(bytes),
    leaf_hash: toHex(hashLeaf(bytes, sha256)),
    recorded_at: Date.parse(entry.recordedAt),
  };
}

/** What is damaged further down is written anew when somebody reads it, or by `ledger restore`. */
async function restoreIfMissing(sources: Sources, size: number): Promise<void> {
  try {
    await readEdge(sources, size).catch(async error => {
      if (isNotFound(error)) await restoreTiles(sources);
      else await readProvenEdge(sources, size);
    });
  } catch (error) {
    // Another server that publishes meanwhile tidies up what we were looking at.
    const hasMovedOn = (await getLog(sources.db)).published_size > size;
    if (!hasMovedOn && !(error instanceof LedgerDamaged)) throw error;
  }
}

/**
 * Writes every tile that is missing or damaged, once it is sure that the entries have the roots that were signed: the newest
 * that the database knows, and the one beside the tiles. Without the latter nothing tells damage from another history, and
 * what is there stays.
 */
export async function repairTiles(sources: Sources): Promise<{ readonly tiles: number; readonly written: number }> {
  const { db } = sources;
  const seen = await findSeenCheckpoint(sources);
  if (seen === null) {
    const tiles = await restoreTiles(sources);
    return { tiles, written: 0 };
  }
  if (seen !== 'DAMAGED') await refuseOtherHistory(db, seen);
  let written = 0;
  const tiles = await restoreTiles(sources, async (objects, some) => {
    written += await replaceTiles(objects, some);
  });
  if (seen === 'DAMAGED') {
    await noteAnew(sources);
    written += 1;
  }
  return { tiles, written };
}

async function refuseOtherHistory(db: Db, seen: Seen): Promise<void> {
  if (seen.size > (await getLog(db)).published_size)
    throw new StartRefused('the tiles are newer than the database; start the server, which takes over what it lacks.');
  if (!isSameBytes(await rootAt(db, seen.size), seen.root)) throw otherHistory(seen.size);
}

type WriteTiles = (objects: ObjectStore, tiles: readonly StoredTile[]) => Promise<void>;

/** Answers how many tiles it made sure of. */
export async function restoreTiles(
  { db, objects }: Pick<Sources, 'db' | 'objects'>,
  write: WriteTiles = writeTiles,
): Promise<number> {
  const { published_size: size } = await getLog(db);
  const checkpoint = await findCheckpoint(db, size);
  let tree = emptyEdge;
  for await (const rows of pages(db, size)) tree = growEdge(tree, rows.map(checkLeafHash), sha256).edge;
  if (checkpoint === null || toHex(await rootOfEdge(tree, sha256)) !== checkpoint.root)
    throw new LedgerDamaged('the entries in the database do not have the root that was signed; no tile was written.');
  let written = 0;
  let edge = emptyEdge;
  for await (const rows of pages(db, size)) {
    const grown = growEdge(edge, rows.map(checkLeafHash), sha256);
    edge = grown.edge;
    const isLast = edge.size === size;
    const hashTiles = grown.tiles.filter(({ tile }) => tile.width === tileWidth);
    const tiles = [...toStored([...hashTiles, ...(isLast ? tailTiles(edge) : [])]), ...toBundles(rows)];
    await write(objects, tiles);
    written += tiles.length;
  }
  return written;
}
