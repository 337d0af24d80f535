// Evidence file of a ledger that contradicted itself, verifiable by third parties. It is stored with this machine's
// state of the ledger.
import { describeContradiction, type SignedCheckpoint } from '@recordproof/shared/evidence/log-contradiction.ts';
import type { ReadTile } from '@recordproof/shared/evidence/log-reader.ts';
import { writePrivate } from '../platform/private-file.ts';

type Contradiction = {
  readonly key: string;
  readonly pair: readonly [SignedCheckpoint, SignedCheckpoint];
  readonly readTile: ReadTile;
};

/** Writes `BASE.m-n.contradiction.json`; returns what the file proves by itself. */
export async function writeContradiction(base: string, { key, pair, readTile }: Contradiction) {
  const file = await describeContradiction(key, pair, readTile);
  const path = `${base}.${pair[0].checkpoint.size}-${pair[1].checkpoint.size}.contradiction.json`;
  await writePrivate(path, `${JSON.stringify(file, null, 2)}\n`);
  return { path, isProof: file.isProof };
}
