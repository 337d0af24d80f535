// Recovery after a restore, when database and object store are from different times. Each holds what the other lost:
// bundles contain the entries, and tiles are computed from entries. Only data that matches a root signed by the ledger
// is accepted.

import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { isSameBytes, parseHex, parseUtf8, toHex } from '@recordproof/shared/evidence/digest.ts';
import { clockSkewMs, parseLedgerEntry, subjectOf } from '@recordproof/shared/evidence/ledger-entry.ts';
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
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { StartError } from '../../../platform/installation.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { identify } from './append-entries.ts';
import { checkLeafHash, checkpointPath, parseNoteText, readEdge, toNewestTiles } from './entry-tiles.ts';
import { growFromEntries, pages, readProvenEdge, rootAt } from './heal-tiles.ts';
import { emptyEdge, growEdge, rootOfEdge } from './ledger-edge.ts';
import { verifyEd25519 } from './ledger-key.ts';
import type { EntryRow } from './packed-entry.ts';
import { noteNewest } from './publish-checkpoint.ts';
import {
  type CheckpointRow,
  deleteEntries,
  findCheckpoint,
  findNewestCheckpoint,
  getLog,
  insertEntries,
  listEntries,
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

type Sources = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly key: NoteKey;
  readonly log?: LogPort;
  /** This database wrote what was published: a difference means that it lost commits, as in a failover. */
  readonly isWriter?: boolean;
};

/** Brings the older side up to date; throws StartError if the two hold different histories. */
export async function recoverLedger(sources: Sources, now: number): Promise<void> {
  const seen = await findSeenCheckpoint(sources);
  const { published_size: published } = await getLog(sources.db);
  if (seen === 'DAMAGED') await noteAnew(sources);
  if (seen === null || seen === 'DAMAGED' || seen.size <= published) return restoreIfMissing(sources, published);
  try {
    await recoverEntries(sources, seen, now);
  } catch (error) {
    // A server of the former database is publishing: tiles it replaced are gone.
    const next = error instanceof StartError ? await findSeenCheckpoint(sources) : null;
    if (next === null || next === 'DAMAGED' || next.size <= seen.size) throw error;
    await recoverLedger(sources, now);
  }
}

type Seen = { readonly size: number; readonly root: Uint8Array; readonly note: string };

/** The note next to the tiles; DAMAGED if it cannot be parsed or is not the stored one. */
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
  throw new StartError(
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

/** The note is damaged: only the bundles then show whether the tiles are newer than the database. */
async function noteAnew({ db, objects, log }: Sources): Promise<void> {
  const { size } = await getLog(db);
  for await (const { key } of objects.list(toObjectKey('tile/entries/'))) {
    const bundle = parseTilePath(fromObjectKey(key));
    if (bundle !== null && bundle.index * tileWidth + bundle.width > size) {
      throw new StartError(
        'the checkpoint beside the tiles is damaged, and the tiles are newer than the database; restore a newer backup of the database.',
      );
    }
  }
  const newest = await findNewestCheckpoint(db);
  if (newest === null) return;
  await noteNewest({ db, objects }, newest);
  log?.warn({ size: newest.size }, 'rebuilt the damaged checkpoint beside the tiles');
}

const otherHistory = (size: number): StartError =>
  new StartError(
    `the ledger has published ${size} entries, and the entries of this database are not among them; restore a newer backup of the database.`,
  );

/**
 * The database is from an older backup, or a standby that lagged at failover: the bundles hold the entries it lacks.
 * Entries that a standby recorded meanwhile, at positions already published with others, are moved after these.
 */
async function recoverEntries(sources: Sources, seen: Seen, now: number): Promise<void> {
  const { db, log, isWriter = false } = sources;
  const tree = new MerkleFrontier();
  const { size, published_size: published } = await getLog(db);
  for await (const rows of pages(db, published)) for (const row of rows) tree.append(checkLeafHash(row));
  const shown = await readShown(sources, published, seen.size);
  for (const { leaf_hash } of shown) tree.append(parseHex(leaf_hash));
  if (!isSameBytes(tree.root(), seen.root)) throw otherHistory(seen.size);
  const checkpoint: CheckpointRow = { size: seen.size, root: toHex(seen.root), note: seen.note, published_at: now };
  await db.transaction().execute(async tx => {
    const end = await lockEnd(tx);
    if (end.size !== size) throw otherHistory(seen.size);
    const own = await listEntries(tx, published, size);
    const other = own.findIndex(({ leaf_hash }, at) => leaf_hash !== shown[at]?.leaf_hash);
    const agreed = other < 0 ? own.length : other;
    if (agreed < own.length && !isWriter) throw otherHistory(seen.size);
    const moved = moveBehind(shown, own.slice(agreed), seen.size);
    if (moved.length > 0)
      log?.warn({ entries: moved.length }, 'renumbered unpublished ledger entries after published ones');
    await deleteEntries(tx, published + agreed);
    await insertInPages(tx, [...shown.slice(agreed), ...moved], end.recorded_until);
    await moveCheckpoint(tx, published, checkpoint);
  });
}

/** The published entries from a position on. */
async function readShown(sources: Sources, from: number, size: number): Promise<EntryRow[]> {
  const shown: EntryRow[] = [];
  for (let index = Math.floor(from / tileWidth); index * tileWidth < size; index++) {
    const first = index * tileWidth;
    for (const [offset, entry] of (await readBundle(sources, index, size)).entries())
      if (first + offset >= from) shown.push(toRow(entry, first + offset));
  }
  return shown;
}

/** Throws if they contradict published entries of the same subject, or were recorded before them. */
function moveBehind(shown: readonly EntryRow[], own: readonly EntryRow[], size: number): EntryRow[] {
  const names = new Set(shown.map(identify));
  const newest = Math.max(...shown.map(({ recorded_at }) => recorded_at));
  return own.map((row, nth) => {
    if (names.has(identify(row)) || row.recorded_at < newest - clockSkewMs) throw otherHistory(size);
    return { ...row, position: size + nth };
  });
}

async function insertInPages(tx: Tx, rows: readonly EntryRow[], recordedUntil: number): Promise<void> {
  let recorded_until = recordedUntil;
  for (let at = 0; at < rows.length; at += tileWidth) {
    const some = rows.slice(at, at + tileWidth);
    // The last one need not have the latest time: clocks of several servers differ by up to seconds.
    recorded_until = Math.max(recorded_until, ...some.map(({ recorded_at }) => recorded_at));
    await insertEntries(tx, some, { size: (some.at(-1)?.position ?? 0) + 1, recorded_until });
  }
}

async function readBundle({ objects }: Sources, index: number, size: number): Promise<Uint8Array[]> {
  const width = tileWidthAt(0, index, size);
  try {
    return parseEntryBundle(await readObject(objects, toBundlePath(index, width)), width);
  } catch (error) {
    if (isNotFound(error) || error instanceof RangeError) throw otherHistory(size);
    if (!isUnproven(error)) throw error;
    const path = toBundlePath(index, width);
    throw new StartError(
      `${path} contains entries that this database lacks, and is damaged; restore a newer backup of the database.`,
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
    leaf_hash: toHex(hashLeaf(bytes)),
    recorded_at: Date.parse(entry.recordedAt),
  };
}

/** Damage in older tiles is repaired on read, or by `ledger restore`. */
async function restoreIfMissing(sources: Sources, size: number): Promise<void> {
  try {
    await readEdge(sources, size).catch(async error => {
      if (isNotFound(error)) await restoreTiles(sources);
      else await readProvenEdge(sources, size);
    });
  } catch (error) {
    // Another server publishes meanwhile and deletes the tiles being checked.
    const hasMovedOn = (await getLog(sources.db)).published_size > size;
    if (!hasMovedOn && !(error instanceof LedgerDamaged)) throw error;
  }
}

/**
 * Writes every missing or damaged tile, after proving that the entries have the signed roots: the newest in the
 * database, and the one next to the tiles. Without the latter, damage cannot be distinguished from another history, and
 * existing tiles are kept.
 */
export async function repairTiles(sources: Sources): Promise<{ readonly tiles: number; readonly written: number }> {
  const { db } = sources;
  const seen = await findSeenCheckpoint(sources);
  if (seen === null) {
    const tiles = await restoreTiles(sources);
    return { tiles, written: 0 };
  }
  if (seen !== 'DAMAGED') await rejectOtherHistory(db, seen);
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

async function rejectOtherHistory(db: Db, seen: Seen): Promise<void> {
  if (seen.size > (await getLog(db)).published_size)
    throw new StartError('the tiles are newer than the database; start the server to import the missing entries.');
  if (!isSameBytes(await rootAt(db, seen.size), seen.root)) throw otherHistory(seen.size);
}

type WriteTiles = (objects: ObjectStore, tiles: readonly StoredTile[]) => Promise<void>;

/** Returns how many tiles it checked or wrote. */
export async function restoreTiles(
  { db, objects }: Pick<Sources, 'db' | 'objects'>,
  write: WriteTiles = writeTiles,
): Promise<number> {
  const { published_size: size } = await getLog(db);
  const checkpoint = await findCheckpoint(db, size);
  if (checkpoint === null || toHex(await rootOfEdge(await growFromEntries(db, size))) !== checkpoint.root)
    throw new LedgerDamaged(
      'the root computed from the entries in the database differs from the signed one; no tile was written.',
    );
  let written = 0;
  let edge = emptyEdge;
  for await (const rows of pages(db, size)) {
    const grown = growEdge(edge, rows.map(checkLeafHash));
    edge = grown.edge;
    const tiles = toNewestTiles(grown, rows, edge.size === size);
    await write(objects, tiles);
    written += tiles.length;
  }
  return written;
}
