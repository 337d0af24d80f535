// Publication: from committed entries to a signed checkpoint. Durable tiles first, then one compare-and-swap that
// advances the checkpoint. Several servers may do this concurrently: tiles depend only on the entries, and of competing
// servers one advances the checkpoint while the others start again.

import { signCheckpoint, toCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { signCosignatureLine, type TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { addSignatureLines, type NoteSigner } from '@recordproof/shared/evidence/signed-note.ts';
import { tileWidth, tileWidthAt } from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { checkLeafHash, checkpointPath, toBundles, toStored } from './entry-tiles.ts';
import { readProvenEdge } from './heal-tiles.ts';
import { emptyEdge, growEdge, type LedgerEdge, partialTiles, rootOfEdge } from './ledger-edge.ts';
import { type CheckpointRow, findNewestCheckpoint, getLog, listEntries, moveCheckpoint } from './queries.ts';
import { LedgerDamaged, removeTiles, toObjectKey, writeTiles } from './tile-store.ts';

type PublishTools = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly signer: NoteSigner;
  /** An additional signature. */
  readonly postQuantum?: TypedNoteSigner | undefined;
  readonly log?: LogPort;
  /** Throws if another database has taken over. */
  readonly fence?: { assertCurrent(): Promise<void> } | undefined;
};

/** Limits the memory of one step; a longer backlog takes several. */
const mostPerStep = 64 * tileWidth;

export async function toCheckpointRow(
  { signer, postQuantum, clock }: Pick<PublishTools, 'signer' | 'postQuantum' | 'clock'>,
  edge: LedgerEdge,
): Promise<CheckpointRow> {
  const root = await rootOfEdge(edge);
  const checkpoint = { origin: signer.name, size: edge.size, root };
  let note = await signCheckpoint(checkpoint, [signer]);
  // The log makes no statement of time (time 0): only cosignatures of witnesses do.
  if (postQuantum !== undefined)
    note = addSignatureLines(note, await signCosignatureLine(toCheckpointText(checkpoint), postQuantum, 0));
  return { size: edge.size, root: toHex(root), note: parseUtf8(note), published_at: clock.now() };
}

export class CheckpointPublisher {
  readonly #tools: PublishTools;
  #edge: LedgerEdge = emptyEdge;

  constructor(tools: PublishTools) {
    this.#tools = tools;
  }

  /** Resolves when every entry committed before the call is covered by a published checkpoint. */
  async publish(): Promise<void> {
    const { size: target } = await getLog(this.#tools.db);
    for (;;) {
      const { size, published_size: published } = await getLog(this.#tools.db);
      if (published >= target) return;
      try {
        await this.#step(published, Math.min(size, published + mostPerStep));
      } catch (error) {
        // Tiles of an older size are deleted by the server that published the newer one.
        if ((await getLog(this.#tools.db)).published_size === published) throw error;
      }
    }
  }

  async #step(from: number, to: number): Promise<void> {
    const { db, objects, fence } = this.#tools;
    await fence?.assertCurrent();
    const edge = this.#edge.size === from ? this.#edge : await readProvenEdge(this.#tools, from);
    const firstInBundle = from - (from % tileWidth);
    const entries = await listEntries(db, firstInBundle, to);
    const leafHashes = entries.slice(from - firstInBundle).map(checkLeafHash);
    if (entries.length !== to - firstInBundle) throw new LedgerDamaged(`entries before ${to} are missing`);
    const grown = growEdge(edge, leafHashes);
    await writeTiles(objects, [...toStored(grown.tiles), ...toBundles(entries)]);
    const checkpoint = await toCheckpointRow(this.#tools, grown.edge);
    const moved = await db.transaction().execute(tx => moveCheckpoint(tx, from, checkpoint));
    if (!moved) return;
    this.#edge = grown.edge;
    await tidyUp(this.#tools, from, checkpoint);
  }
}

/** Deletes tiles that are no longer needed; a failure only leaves superfluous bytes. */
async function tidyUp(tools: PublishTools, from: number, checkpoint: CheckpointRow): Promise<void> {
  const { objects } = tools;
  const outdated = partialTiles(from).filter(
    ({ level, index, width }) => tileWidthAt(level, index, checkpoint.size) !== width,
  );
  await noteNewest(tools, checkpoint).catch(() => {});
  await removeTiles(objects, outdated).catch(() => {});
}

/** Repeats until the newest one is stored: a late write of one server must not hide a newer checkpoint of another. */
export async function noteNewest(
  { db, objects }: Pick<PublishTools, 'db' | 'objects'>,
  published: CheckpointRow,
): Promise<void> {
  for (let noted = published; ; ) {
    await objects.put(toObjectKey(checkpointPath), [toUtf8(noted.note)]);
    const newest = await findNewestCheckpoint(db);
    if (newest === null || newest.size <= noted.size) return;
    noted = newest;
  }
}
