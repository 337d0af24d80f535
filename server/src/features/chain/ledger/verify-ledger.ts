// Verification of the whole ledger from its entries: every entry, hash, tile, and kept checkpoint. Reads database and
// object store, trusts neither, changes nothing.

import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { isSameBytes, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry, recordedAtOf, subjectOf, TimeOrder } from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { MerkleFrontier } from '@recordproof/shared/evidence/merkle-frontier.ts';
import type { NoteKey } from '@recordproof/shared/evidence/signed-note.ts';
import { tileWidth } from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { toNewestTiles } from './entry-tiles.ts';
import { emptyEdge, growEdge } from './ledger-edge.ts';
import { verifyEd25519 } from './ledger-key.ts';
import type { EntryRow } from './packed-entry.ts';
import { type CheckpointRow, findNewestCheckpoint, getLog, listCheckpoints, listEntries } from './queries.ts';
import { findSeenCheckpoint } from './recover-ledger.ts';
import { isNotFound, readObject, type StoredTile } from './tile-store.ts';

const entriesPerPage = 16 * tileWidth;
const checkpointsPerPage = 1000;
const mostProblems = 100;

export type LedgerReport = {
  readonly size: number;
  readonly publishedSize: number;
  readonly checkpoints: number;
  readonly tiles: number;
  /** Empty if everything agrees; otherwise the first hundred. */
  readonly problems: readonly string[];
  /** Entries dated before an earlier one: a clock was wrong, or a date is false. */
  readonly timeSteps: readonly string[];
};

type Sources = { readonly db: Db; readonly objects: ObjectStore; readonly key: NoteKey };

export async function verifyLedger(sources: Sources): Promise<LedgerReport> {
  return new LedgerCheck(sources).run();
}

class LedgerCheck {
  readonly #sources: Sources;
  readonly #problems: string[] = [];
  readonly #tree = new MerkleFrontier();
  #edge = emptyEdge;
  #seen: { readonly size: number; readonly root: Uint8Array } | null = null;
  #tiles = 0;
  #checkpoints = 0;
  readonly #times = new TimeOrder();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async run(): Promise<LedgerReport> {
    const { db } = this.#sources;
    await this.#readNote(); // before the database: both only grow
    // Published tiles only grow, so the state at the start can be compared while the log grows.
    const { size, published_size: publishedSize } = await getLog(db);
    if ((this.#seen?.size ?? 0) > size) this.#report('the checkpoint beside the tiles is newer than the database');
    const newest = await findNewestCheckpoint(db);
    if ((newest?.size ?? -1) < publishedSize) this.#report(`the checkpoint of size ${publishedSize} is missing`);
    this.#checkNote(0);
    await this.#checkCheckpoints(-1, 0);
    for (let start = 0; start < size; start += entriesPerPage) {
      const end = Math.min(size, start + entriesPerPage);
      await this.#checkPage(await listEntries(db, start, end), start, end, publishedSize);
    }
    const { length: problems } = this.#problems;
    if (problems > mostProblems) this.#problems.splice(mostProblems, problems, `and ${problems - mostProblems} more`);
    return {
      size,
      publishedSize,
      checkpoints: this.#checkpoints,
      tiles: this.#tiles,
      problems: this.#problems,
      timeSteps: this.#times.steps,
    };
  }

  async #checkPage(rows: readonly EntryRow[], start: number, end: number, publishedSize: number): Promise<void> {
    if (rows.length !== end - start) this.#report(`entries from ${start} to ${end} have gaps`);
    const leafHashes = rows.map((row, offset) => this.#checkEntry(row, start + offset));
    const checkpoints = await this.#listCheckpoints(start, end);
    for (const [offset, leafHash] of leafHashes.entries()) {
      this.#tree.append(leafHash);
      this.#checkNote(start + offset + 1);
      const checkpoint = checkpoints.get(start + offset + 1);
      if (checkpoint) await this.#checkCheckpoint(checkpoint);
    }
    const published = Math.max(0, Math.min(end, publishedSize) - start);
    if (published > 0) await this.#checkTiles(rows.slice(0, published), leafHashes.slice(0, published), publishedSize);
  }

  /** Reads the checkpoint next to the tiles; a missing or older one is no damage. */
  async #readNote(): Promise<void> {
    const seen = await findSeenCheckpoint(this.#sources).catch(() => 'DAMAGED' as const);
    if (seen === 'DAMAGED') return this.#report('the checkpoint beside the tiles is not signed by the ledger');
    this.#seen = seen;
  }

  #checkNote(size: number): void {
    if (this.#seen?.size !== size || isSameBytes(this.#tree.root(), this.#seen.root)) return;
    this.#report('the checkpoint beside the tiles does not have the root of the entries');
  }

  #checkEntry(row: EntryRow, position: number): Uint8Array {
    const bytes = toUtf8(row.entry);
    const leafHash = hashLeaf(bytes);
    if (row.position !== position) this.#report(`entry ${position} is missing`);
    this.#times.add(position, recordedAtOf(bytes));
    if (toHex(leafHash) !== row.leaf_hash) this.#report(`entry ${position} does not have its hash`);
    try {
      const entry = parseLedgerEntry(bytes);
      const subject = subjectOf(entry);
      if (entry.kind !== row.kind || subject !== row.subject)
        this.#report(`entry ${position} is filed under another name`);
    } catch {
      this.#report(`entry ${position} is no ledger entry`);
    }
    return leafHash;
  }

  async #checkCheckpoints(after: number, to: number): Promise<void> {
    for (const checkpoint of (await this.#listCheckpoints(after, to)).values()) await this.#checkCheckpoint(checkpoint);
  }

  /** Checkpoints with a size in (after, to]. */
  async #listCheckpoints(after: number, to: number): Promise<Map<number, CheckpointRow>> {
    const found = new Map<number, CheckpointRow>();
    for (let last = after; ; ) {
      const page = await listCheckpoints(this.#sources.db, last, checkpointsPerPage);
      for (const row of page) if (row.size <= to) found.set(row.size, row);
      last = page.at(-1)?.size ?? Number.POSITIVE_INFINITY;
      if (last >= to || page.length < checkpointsPerPage) return found;
    }
  }

  /** The tree has the size of the checkpoint: checking all against one tree proves them consistent. */
  async #checkCheckpoint(row: CheckpointRow): Promise<void> {
    this.#checkpoints += 1;
    const what = `the checkpoint of size ${row.size}`;
    const signed = await openCheckpoint(toUtf8(row.note), this.#sources.key, verifyEd25519).catch(() => null);
    if (signed === null) return this.#report(`${what} is not signed by the ledger`);
    if (signed.size !== row.size || toHex(signed.root) !== row.root) this.#report(`${what} says something else`);
    if (toHex(this.#tree.root()) !== toHex(signed.root)) this.#report(`${what} does not have the root of the entries`);
  }

  async #checkTiles(
    rows: readonly EntryRow[],
    leafHashes: readonly Uint8Array[],
    publishedSize: number,
  ): Promise<void> {
    const grown = growEdge(this.#edge, leafHashes);
    this.#edge = grown.edge;
    for (const tile of toNewestTiles(grown, rows, grown.edge.size === publishedSize)) await this.#checkTile(tile);
  }

  async #checkTile({ path, bytes }: StoredTile): Promise<void> {
    this.#tiles += 1;
    try {
      const stored = await readObject(this.#sources.objects, path);
      if (Buffer.compare(stored, bytes) !== 0) this.#report(`${path} does not hold what the entries say`);
    } catch (error) {
      if (isNotFound(error) && (await this.#hasMovedOn())) return;
      this.#report(isNotFound(error) ? `${path} is missing` : `${path} cannot be read`);
    }
  }

  /** A partial tile is deleted when the log outgrows it. */
  async #hasMovedOn(): Promise<boolean> {
    return (await getLog(this.#sources.db)).published_size > this.#edge.size;
  }

  #report(problem: string): void {
    this.#problems.push(problem);
  }
}
