// What outsiders read of the ledger. Of each tile only its newest width is kept; a narrower one is its beginning, so
// every width that ever was can be served.
import {
  parseEntryBundle,
  parseTilePath,
  tileWidth,
  tileWidthAt,
  toBundlePath,
  toEntryBundle,
  toTilePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Ledger } from './ledger.ts';
import { findNewestCheckpoint, getLog } from './queries.ts';
import { isNotFound, readObject } from './tile-store.ts';

type Source = Pick<Ledger, 'db' | 'objects'>;

export async function readCheckpointNote({ db }: Source): Promise<string> {
  const checkpoint = await findNewestCheckpoint(db);
  if (checkpoint === null) throw new Error('an opened ledger has a checkpoint');
  return checkpoint.note;
}

/** Null for a path that is none, and for a tile that the published log does not have. */
export async function findTile(source: Source, path: string): Promise<Uint8Array | null> {
  const tile = parseTilePath(path);
  if (tile === null) return null;
  const stored = await readWidest(source, tile);
  if (stored === null || tile.width === stored.width) return stored?.bytes ?? null;
  if (tile.kind === 'hashes') return stored.bytes.subarray(0, tile.width * 32);
  return toEntryBundle(parseEntryBundle(stored.bytes, stored.width).slice(0, tile.width));
}

type Wanted = NonNullable<ReturnType<typeof parseTilePath>>;

async function readWidest({ db, objects }: Source, { kind, level, index, width }: Wanted) {
  for (let before = -1; ; ) {
    const { published_size: size } = await getLog(db);
    const widest = Math.min(tileWidth, tileWidthAt(level, index, size));
    if (widest < width) return null;
    try {
      const path = kind === 'entries' ? toBundlePath(index, widest) : toTilePath({ level, index, width: widest });
      return { width: widest, bytes: await readObject(objects, path) };
    } catch (error) {
      // The log grew in between and the narrower tile was tidied up.
      if (!isNotFound(error) || size === before) throw error;
      before = size;
    }
  }
}
