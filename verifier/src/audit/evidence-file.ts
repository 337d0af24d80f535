// Evidence files of an audit, verifiable by anyone: two signed checkpoints that exclude each other, or ledger entries
// with their path to its signed checkpoint, each as a C2SP tlog-proof.
import { join } from 'node:path';
import { concatBytes, parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { describeContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import {
  LogContradiction,
  openNodes,
  type ReadTile,
  readIncludedEntries,
} from '@recordproof/shared/evidence/log-reader.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { hashRanges, inclusionRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import {
  foldTile,
  parseEntryBundle,
  parseTilePath,
  type TileAddress,
  tileWidth,
  toBundlePath,
  toTilePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import type { AuditFinding } from './audit-report.ts';
import type { AuditSource } from './audit-source.ts';
import type { OpenedCheckpoint } from './judge-checkpoints.ts';

type ForkContext = {
  readonly folder: string;
  readonly key: string;
  readonly newest: OpenedCheckpoint;
  readonly source: Pick<AuditSource, 'readTile' | 'readTileAnew' | 'readAnswer'>;
};

const mostShown = 20;
/** A ledger that stalls must not delay the report for long. */
const mostUnread = 3;

/** Two contradictory checkpoints of one key. */
export async function writeForkEvidence({ folder, key, newest, source }: ForkContext, other: OpenedCheckpoint) {
  const file = await describeContradiction(key, [other, newest], source.readTileAnew);
  const name = `ledger-${other.checkpoint.size}-${newest.checkpoint.size}-${shortRoot(newest)}.contradiction.json`;
  return writeFile(join(folder, name), file);
}

/** Contradictory entries. */
export async function writeEntryEvidence(
  { folder, key, newest, source }: ForkContext,
  findings: readonly AuditFinding[],
): Promise<string> {
  const shown = findings.filter(({ standing }) => standing === 'CONTRADICTED').slice(0, mostShown);
  const isCopy = source.readTile !== source.readTileAnew || source.readAnswer === undefined;
  const reads = new Set([isCopy ? computeTiles(source.readTile) : source.readTile, source.readTileAnew]);
  const described: unknown[] = [];
  let unread = 0;
  for (const { code, message, facts, positions } of shown) {
    const proofs: string[] = [];
    for (const position of positions) {
      if (unread === mostUnread) break;
      const proof = await proveWithAny(reads, newest, position).catch(omitUnread);
      if (proof === undefined) unread += 1;
      else proofs.push(parseUtf8(proof));
    }
    described.push({ code, message, facts, proofs });
  }
  const file = { schema: 'recordproof.audit-evidence.v1', key, checkpoint: newest.note, findings: described };
  const name = `ledger-${newest.checkpoint.size}-${shortRoot(newest)}.audit-evidence.json`;
  return writeFile(join(folder, name), file);
}

/** An entry that is no longer served is left out; withholding it must not suppress the report. */
function omitUnread(problem: unknown): undefined {
  if (!(problem instanceof LogUnavailable || problem instanceof LogContradiction)) throw problem;
}

const shortRoot = ({ checkpoint }: OpenedCheckpoint): string => toHex(checkpoint.root).slice(0, 12);

async function writeFile(path: string, content: unknown): Promise<string> {
  await writeDurably(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

async function proveEntry(readTile: ReadTile, { checkpoint, note }: OpenedCheckpoint, position: number) {
  const { first, entries } = await readIncludedEntries(readTile, checkpoint, position);
  const extra = entries[position - first];
  const nodes = openNodes(readTile, checkpoint.size);
  const path = await hashRanges(inclusionRanges(position, checkpoint.size), nodes);
  return writeTlogProof({ index: position, path, ...(extra === undefined ? {} : { extra }), checkpoint: toUtf8(note) });
}

async function proveWithAny(reads: Iterable<ReadTile>, newest: OpenedCheckpoint, position: number) {
  let reason: unknown;
  for (const readTile of reads) {
    try {
      return await proveEntry(readTile, newest, position);
    } catch (problem) {
      reason = problem;
    }
  }
  throw reason;
}

/** Computes the hash tiles: an audit copies every entry, but not every hash. */
function computeTiles(readTile: ReadTile): ReadTile {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const compute = async ({ level, index, width }: TileAddress): Promise<Uint8Array> => {
    if (level === 0) {
      const bundle = await readTile(toBundlePath(index, width));
      return concatBytes(...parseEntryBundle(bundle, width).map(entry => hashLeaf(entry)));
    }
    const hashes: Uint8Array[] = [];
    for (let at = index * tileWidth; at < index * tileWidth + width; at += 1)
      hashes.push(foldTile(await read(toTilePath({ level: level - 1, index: at, width: tileWidth })), 0, tileWidth));
    return concatBytes(...hashes);
  };
  const read: ReadTile = path => {
    const tile = parseTilePath(path);
    if (tile?.kind !== 'hashes') return readTile(path);
    const computed = tiles.get(path) ?? compute(tile);
    if (tile.level > 0) tiles.set(path, computed);
    return computed;
  };
  return read;
}
