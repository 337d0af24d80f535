// A log reader on tiles alone (docs/spec/ledger.md sections 4 and 5): consistency between two checkpoints, and
// following a log entry by entry. Data is trusted only when it matches the root of a signed checkpoint.
import { concatBytes, isSameBytes } from './digest.ts';
import { hashLeaf, isIncluded } from './merkle.ts';
import { MerkleFrontier } from './merkle-frontier.ts';
import {
  consistencyRanges,
  type GetNode,
  hashRange,
  hashRanges,
  inclusionRanges,
  isConsistent,
  type SizedRoot,
} from './merkle-ranges.ts';
import {
  foldTile,
  locateNode,
  parseEntryBundle,
  tileWidth,
  tileWidthAt,
  toBundlePath,
  toTilePath,
} from './tlog-tiles.ts';

/** The bytes of `tile/…` in the log; rejects if unavailable. Limits time and size. */
export type ReadTile = (path: string) => Promise<Uint8Array>;

/** The log contradicts a checkpoint signed by its own key, which should be kept as evidence. */
export class LogContradiction extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogContradiction';
  }
}

/** Finds nodes of a log of that size in its tiles; each tile is read once. */
export function openNodes(readTile: ReadTile, size: number, cache = new Map<string, Promise<Uint8Array>>()): GetNode {
  return async node => {
    const { tile, first, count } = locateNode(node, size);
    const path = toTilePath(tile);
    let bytes = cache.get(path);
    if (bytes === undefined) {
      bytes = readTile(path).then(read => checkedTile(read, path, tile.width));
      cache.set(path, bytes);
    }
    return foldTile(await bytes, first, count);
  };
}

function checkedTile(bytes: Uint8Array, path: string, width: number): Uint8Array {
  if (bytes.length !== width * 32) throw new LogContradiction(`${path} does not hold ${width} hashes`);
  return bytes;
}

/** Throws LogContradiction unless the tiles prove that the newer log extends the older one. */
export async function proveConsistency(readTile: ReadTile, older: SizedRoot, newer: SizedRoot): Promise<void> {
  if (newer.size < older.size)
    throw new LogContradiction(`the log went back from ${older.size} to ${newer.size} entries`);
  const getNode = openNodes(readTile, newer.size);
  const proof = await hashRanges(consistencyRanges(older.size, newer.size), getNode);
  if (!isConsistent(older, newer, proof))
    throw new LogContradiction(`the log of ${newer.size} entries is not an extension of the log of ${older.size}`);
  const root = await hashRange({ start: 0, end: newer.size }, getNode);
  if (!isSameBytes(root, newer.root))
    throw new LogContradiction(`the root computed from the tiles differs from that of the checkpoint of ${newer.size}`);
}

export type IncludedEntries = {
  /** Position of the first of them. */
  readonly first: number;
  readonly entries: readonly Uint8Array[];
};

/**
 * Reads the bundle of the entry at this position; throws LogContradiction unless every entry of the bundle is included
 * under the root of the already verified checkpoint.
 */
export async function readIncludedEntries(
  readTile: ReadTile,
  { size, root }: SizedRoot,
  position: number,
): Promise<IncludedEntries> {
  const index = Math.floor(position / tileWidth);
  const first = index * tileWidth;
  const width = tileWidthAt(0, index, size);
  const entries = await readBundle(readTile, index, width);
  const leafHashes = entries.map(entry => hashLeaf(entry));
  // The nodes below the tile are computed from the entries, so the path to the root proves all of them.
  const cache = new Map([[toTilePath({ level: 0, index, width }), Promise.resolve(concatBytes(...leafHashes))]]);
  const getNode = openNodes(readTile, size, cache);
  const path = await hashRanges(inclusionRanges(position, size), getNode);
  const leafHash = leafHashes[position - first];
  if (leafHash === undefined || !isIncluded(leafHash, position, size, path, root))
    throw new LogContradiction(`entry ${position} is not under the root of the checkpoint of ${size}`);
  return { first, entries };
}

async function readBundle(readTile: ReadTile, index: number, width: number): Promise<Uint8Array[]> {
  const bytes = await readTile(toBundlePath(index, width));
  try {
    return parseEntryBundle(bytes, width);
  } catch {
    throw new LogContradiction(`${toBundlePath(index, width)} does not hold ${width} entries`);
  }
}

const bundlesAtOnce = 8;

/** Reads every entry of a log once and keeps the state needed to verify the next checkpoint. */
export class LogFollower {
  readonly #readTile: ReadTile;
  #frontier: MerkleFrontier;

  constructor(readTile: ReadTile) {
    this.#readTile = readTile;
    this.#frontier = new MerkleFrontier();
  }

  /** Resumes after an already verified checkpoint. Throws LogContradiction unless the tiles have its root. */
  static async behind(readTile: ReadTile, { size, root }: SizedRoot): Promise<LogFollower> {
    const follower = new LogFollower(readTile);
    follower.#frontier = await MerkleFrontier.at(size, openNodes(readTile, size));
    if (isSameBytes(follower.#frontier.root(), root)) return follower;
    throw new LogContradiction(`the root computed from the tiles differs from that of the checkpoint of ${size}`);
  }

  get size(): number {
    return this.#frontier.size;
  }

  /**
   * Reads up to the already verified checkpoint, and returns what `pick` selected: only if all entries together give
   * its root. Otherwise throws LogContradiction, with the state unchanged.
   */
  async follow<T>(checkpoint: SizedRoot, pick: (entry: Uint8Array, position: number) => T | undefined): Promise<T[]> {
    if (checkpoint.size < this.size)
      throw new LogContradiction(`the log went back from ${this.size} to ${checkpoint.size} entries`);
    const frontier = this.#frontier.copy();
    const picked: T[] = [];
    while (frontier.size < checkpoint.size) {
      for (const entry of await this.#readFrom(frontier.size, checkpoint.size)) {
        const one = pick(entry, frontier.size);
        frontier.append(hashLeaf(entry));
        if (one !== undefined) picked.push(one);
      }
    }
    if (!isSameBytes(frontier.root(), checkpoint.root))
      throw new LogContradiction(
        `the root computed from the entries differs from that of the checkpoint of ${checkpoint.size}`,
      );
    this.#frontier = frontier;
    return picked;
  }

  /** The entries of the next bundles, some of which are fetched concurrently. */
  async #readFrom(position: number, size: number): Promise<Uint8Array[]> {
    const first = Math.floor(position / tileWidth);
    const last = Math.min(first + bundlesAtOnce, Math.ceil(size / tileWidth));
    const reads: Promise<Uint8Array[]>[] = [];
    for (let index = first; index < last; index++)
      reads.push(readBundle(this.#readTile, index, tileWidthAt(0, index, size)));
    return (await Promise.all(reads)).flat().slice(position - first * tileWidth);
  }
}
