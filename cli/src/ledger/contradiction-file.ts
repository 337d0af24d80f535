// The file that shows to anybody that a ledger contradicted itself: two checkpoints with its signature, and the hashes that
// prove that both cannot be true (docs/spec/ledger.md section 6).
import type { Checkpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { findContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import type { ReadTile } from '@recordproof/shared/evidence/log-reader.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import { writePrivate } from '../platform/private-file.ts';

export type SignedCheckpoint = { readonly checkpoint: Checkpoint; readonly note: string };
type Found = {
  readonly key: string;
  readonly pair: readonly [SignedCheckpoint, SignedCheckpoint];
  readonly readTile: ReadTile;
};

/** Writes `BASE.m-n.contradiction.json`; says what the file shows by itself. */
export async function writeContradiction(base: string, { key, pair, readTile }: Found) {
  const [older, newer] = [...pair].sort((a, b) => a.checkpoint.size - b.checkpoint.size) as [
    SignedCheckpoint,
    SignedCheckpoint,
  ];
  const roots = [older.checkpoint, newer.checkpoint] as const;
  // A log that went back, or withholds its tiles, shows no hashes: two signatures are what is left.
  const nodes = await findContradiction(readTile, roots, sha256).catch(() => undefined);
  const path = `${base}.${pair[0].checkpoint.size}-${pair[1].checkpoint.size}.contradiction.json`;
  const file = {
    schema: 'recordproof.ledger-contradiction.v1',
    key,
    older: older.note,
    newer: newer.note,
    isProof: nodes !== undefined,
    nodes: (nodes ?? []).map(({ level, index, hash }) => ({ level, index, hash: toHex(hash) })),
  };
  await writePrivate(path, `${JSON.stringify(file, null, 2)}\n`);
  return { path, isProof: nodes !== undefined };
}
