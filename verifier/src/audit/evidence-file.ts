// Evidence files of an audit, verifiable by anyone: two signed checkpoints that exclude each other, or ledger entries
// with their path to its signed checkpoint, each as a C2SP tlog-proof.
import { join } from 'node:path';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { describeContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import {
  LogContradiction,
  openNodes,
  type ReadTile,
  readIncludedEntries,
} from '@recordproof/shared/evidence/log-reader.ts';
import { hashRanges, inclusionRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import type { AuditFinding } from './audit-report.ts';
import type { AuditSource } from './audit-source.ts';
import type { OpenedCheckpoint } from './judge-checkpoints.ts';

type ForkContext = {
  readonly folder: string;
  readonly key: string;
  readonly newest: OpenedCheckpoint;
  readonly source: Pick<AuditSource, 'readTile' | 'readTileAnew'>;
};

const mostShown = 20;

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
  const described: unknown[] = [];
  for (const { code, message, facts, positions } of shown) {
    const proofs: string[] = [];
    for (const position of positions) {
      const proof = await proveEntry(source.readTile, newest, position)
        .catch(() => proveEntry(source.readTileAnew, newest, position))
        .catch(omitUnread);
      if (proof !== undefined) proofs.push(parseUtf8(proof));
    }
    described.push({ code, message, facts, proofs });
  }
  const file = { schema: 'recordproof.audit-evidence.v1', key, checkpoint: newest.note, findings: described };
  const name = `ledger-${newest.checkpoint.size}-${shortRoot(newest)}.audit-evidence.json`;
  return writeFile(join(folder, name), file);
}

/** The ledger served the entry once; serving it no more must not hide what it showed. */
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
