// Owns reading a log from its tiles alone (docs/spec/ledger.md sections 4 and 5): consistency between two checkpoints,
// and following it entry by entry. Nothing that was read is believed before it carries the root of a signed checkpoint.
import { isSameBytes, type Sha256, sha256 } from './digest.ts';
import { hashLeaf } from './merkle.ts';
import { MerkleFrontier } from './merkle-frontier.ts';
import {
  consistencyRanges,
  type GetNode,
  hashRange,
  hashRanges,
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

/** The bytes under `tile/…` of the log; rejects when they cannot be had. Bounds time and size. */
export type ReadTile = (path: string) => Promise<Uint8Array>;

/** The log contradicts a checkpoint that its own key signed: worth keeping as evidence. */
export class LogContradiction extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogContradiction';
  }
}

/** Looks nodes of a log of that size up in its tiles; a tile is read once. */
export function openNodes(readTile: ReadTile, size: number, hash: Sha256 = sha256): GetNode {
  const known = new Map<string, Promise<Uint8Array>>();
  return async node => {
    const { tile, first, count } = locateNode(node, size);
    const path = toTilePath(tile);
    let bytes = known.get(path);
    if (bytes === undefined) {
      bytes = readTile(path).then(read => checkedTile(read, path, tile.width));
      known.set(path, bytes);
    }
    return foldTile(await bytes, first, count, hash);
  };
}

function checkedTile(bytes: Uint8Array, path: string, width: number): Uint8Array {
  if (bytes.length !== width * 32) throw new LogContradiction(`${path} does not hold ${width} hashes`);
  return bytes;
}

/** Throws LogContradiction unless the tiles prove that the newer log only appended to the older one. */
export async function proveConsistency(
  readTile: ReadTile,
  older: SizedRoot,
  newer: SizedRoot,
  hash: Sha256 = sha256,
): Promise<void> {
  if (newer.size < older.size)
    throw new LogContradiction(`the log went back from ${older.size} to ${newer.size} entries`);
  const getNode = openNodes(readTile, newer.size, hash);
  const proof = await hashRanges(consistencyRanges(older.size, newer.size), getNode, hash);
  if (!isConsistent(older, newer, proof, hash))
    throw new LogContradiction(`the log of ${newer.size} entries does not continue the one of ${older.size}`);
  const root = await hashRange({ start: 0, end: newer.size }, getNode, hash);
  if (!isSameBytes(root, newer.root)) throw new LogContradiction('the tiles do not have the root of the checkpoint');
}

const bundlesAtOnce = 8;

/** Reads every entry of a log once and keeps what proves the next checkpoint. */
export class LogFollower {
  readonly #readTile: ReadTile;
  readonly #hash: Sha256;
  #frontier: MerkleFrontier;

  constructor(readTile: ReadTile, hash: Sha256 = sha256) {
    this.#readTile = readTile;
    this.#hash = hash;
    this.#frontier = new MerkleFrontier(hash);
  }

  get size(): number {
    return this.#frontier.size;
  }

  /**
   * Reads on to the checkpoint, which was verified before, and answers what was picked from the entries on the way: only
   * when all of them together carry its root. Throws LogContradiction, and stays where it was, when they do not.
   */
  async follow<T>(checkpoint: SizedRoot, pick: (entry: Uint8Array, position: number) => T | undefined): Promise<T[]> {
    if (checkpoint.size < this.size)
      throw new LogContradiction(`the log went back from ${this.size} to ${checkpoint.size} entries`);
    const frontier = this.#frontier.copy();
    const picked: T[] = [];
    while (frontier.size < checkpoint.size) {
      for (const entry of await this.#readFrom(frontier.size, checkpoint.size)) {
        const one = pick(entry, frontier.size);
        frontier.append(hashLeaf(entry, this.#hash));
        if (one !== undefined) picked.push(one);
      }
    }
    if (!isSameBytes(frontier.root(), checkpoint.root))
      throw new LogContradiction(`the entries of the log do not have the root of its checkpoint of ${checkpoint.size}`);
    this.#frontier = frontier;
    return picked;
  }

  /** The entries of the next bundles, some of which are on their way at once. */
  async #readFrom(position: number, size: number): Promise<Uint8Array[]> {
    const first = Math.floor(position / tileWidth);
    const last = Math.min(first + bundlesAtOnce, Math.ceil(size / tileWidth));
    const reads: Promise<Uint8Array[]>[] = [];
    for (let index = first; index < last; index++) reads.push(this.#readBundle(index, size));
    return (await Promise.all(reads)).flat().slice(position - first * tileWidth);
  }

  async #readBundle(index: number, size: number): Promise<Uint8Array[]> {
    const width = tileWidthAt(0, index, size);
    const bytes = await this.#readTile(toBundlePath(index, width));
    try {
      return parseEntryBundle(bytes, width);
    } catch {
      throw new LogContradiction(`${toBundlePath(index, width)} does not hold ${width} entries`);
    }
  }
}
