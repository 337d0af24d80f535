// From committed entries to a signed checkpoint: tiles first, durable, then one compare-and-swap that moves the
// checkpoint forward. Any number of servers may do this at once: the tiles follow from the entries alone, and of racing
// servers one moves the checkpoint while the others look again.
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import type { NoteSigner } from '@recordproof/shared/evidence/signed-note.ts';
import {
  tileWidth,
  tileWidthAt,
  toBundlePath,
  toEntryBundle,
  toTilePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { emptyEdge, type GrownTile, growEdge, type LedgerEdge, partialTiles, rootOfEdge } from './ledger-edge.ts';
import { nodeSha256 } from './ledger-key.ts';
import {
  type CheckpointRow,
  type EntryRow,
  findCheckpoint,
  findNewestCheckpoint,
  getLog,
  listEntries,
  moveCheckpoint,
} from './queries.ts';
import { LedgerDamaged, readObject, removeTiles, type StoredTile, toObjectKey, writeTiles } from './tile-store.ts';

export type PublishPorts = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly signer: NoteSigner;
};

/** Bounds the memory of one step; a longer backlog takes several. */
const mostPerStep = 64 * tileWidth;
/** Where the newest checkpoint is noted beside the tiles, so that a database from an older backup is noticed. */
export const checkpointPath = 'checkpoint';

export async function toCheckpointRow(
  { signer, clock }: Pick<PublishPorts, 'signer' | 'clock'>,
  edge: LedgerEdge,
): Promise<CheckpointRow> {
  const root = await rootOfEdge(edge, nodeSha256);
  const note = await signCheckpoint({ origin: signer.name, size: edge.size, root }, [signer]);
  return { size: edge.size, root: toHex(root), note: parseUtf8(note), published_at: clock.now() };
}

export class CheckpointPublisher {
  readonly #ports: PublishPorts;
  #edge: LedgerEdge = emptyEdge;

  constructor(ports: PublishPorts) {
    this.#ports = ports;
  }

  /** Every entry that was committed before the call stands under a published checkpoint when it resolves. */
  async publish(): Promise<void> {
    const { size: wanted } = await getLog(this.#ports.db);
    for (;;) {
      const { size, published_size: published } = await getLog(this.#ports.db);
      if (published >= wanted) return;
      try {
        await this.#step(published, Math.min(size, published + mostPerStep));
      } catch (error) {
        // What belongs to a size that is no longer the newest is tidied up by whoever moved on.
        if ((await getLog(this.#ports.db)).published_size === published) throw error;
      }
    }
  }

  async #step(from: number, to: number): Promise<void> {
    const { db, objects } = this.#ports;
    const edge = this.#edge.size === from ? this.#edge : await readEdge(this.#ports, from);
    const firstInBundle = from - (from % tileWidth);
    const entries = await listEntries(db, firstInBundle, to);
    const leafHashes = entries.slice(from - firstInBundle).map(checkLeafHash);
    if (entries.length !== to - firstInBundle) throw new LedgerDamaged(`entries before ${to} are missing`);
    const grown = growEdge(edge, leafHashes, nodeSha256);
    await writeTiles(objects, [...toStored(grown.tiles), ...toBundles(entries)]);
    const checkpoint = await toCheckpointRow(this.#ports, grown.edge);
    const moved = await db.transaction().execute(tx => moveCheckpoint(tx, from, checkpoint));
    if (!moved) return;
    this.#edge = grown.edge;
    await tidyUp(this.#ports, from, checkpoint);
  }
}

/** What no reader needs any more; when it fails, some bytes stay and nothing is wrong. */
async function tidyUp(ports: PublishPorts, from: number, checkpoint: CheckpointRow): Promise<void> {
  const { objects } = ports;
  const outdated = partialTiles(from).filter(
    ({ level, index, width }) => tileWidthAt(level, index, checkpoint.size) !== width,
  );
  await noteNewest(ports, checkpoint).catch(() => {});
  await removeTiles(objects, outdated).catch(() => {});
}

/** Until the newest one stands there: what one server wrote late must not hide what another has published since. */
async function noteNewest({ db, objects }: PublishPorts, published: CheckpointRow): Promise<void> {
  for (let noted = published; ; ) {
    await objects.put(toObjectKey(checkpointPath), [toUtf8(noted.note)]);
    const newest = await findNewestCheckpoint(db);
    if (newest === null || newest.size <= noted.size) return;
    noted = newest;
  }
}

/** Throws on an entry that is not the one that was appended. */
export function checkLeafHash(row: EntryRow): Uint8Array {
  const leafHash = hashLeaf(toUtf8(row.entry), nodeSha256);
  if (toHex(leafHash) !== row.leaf_hash) throw new LedgerDamaged(`entry ${row.position} was altered in the database`);
  return leafHash;
}

export const toStored = (tiles: readonly GrownTile[]): StoredTile[] =>
  tiles.map(({ tile, bytes }) => ({ path: toTilePath(tile), bytes }));

/** Of consecutive entries, the first of which begins a bundle. */
export function toBundles(entries: readonly EntryRow[]): StoredTile[] {
  const bundles: StoredTile[] = [];
  for (let at = 0; at < entries.length; at += tileWidth) {
    const rows = entries.slice(at, at + tileWidth);
    const bytes = toEntryBundle(rows.map(row => toUtf8(row.entry)));
    bundles.push({ path: toBundlePath((rows[0]?.position ?? 0) / tileWidth, rows.length), bytes });
  }
  return bundles;
}

/** From the stored tiles; throws unless they carry the checkpoint that was signed for this size. */
export async function readEdge(
  { db, objects }: Pick<PublishPorts, 'db' | 'objects'>,
  size: number,
): Promise<LedgerEdge> {
  const checkpoint = await findCheckpoint(db, size);
  if (checkpoint === null) throw new LedgerDamaged(`the checkpoint of size ${size} is missing in the database`);
  const tails: Uint8Array[] = [];
  for (const tile of partialTiles(size)) tails[tile.level] = await readObject(objects, toTilePath(tile));
  const edge = { size, tails: Array.from(tails, tail => tail ?? new Uint8Array(0)) };
  if (toHex(await rootOfEdge(edge, nodeSha256)) !== checkpoint.root)
    throw new LedgerDamaged(`the tiles of size ${size} do not have the root that was signed`);
  return edge;
}
