// A ledger as its address shows it, and entries for it, around the batch of the honest proof.
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { toBase64 } from '@recordproof/shared/evidence/digest.ts';
import { type LedgerEntry, ledgerEntryBytes, type NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import {
  newTiles,
  tileWidth,
  toBundlePath,
  toEntryBundle,
  toTilePath,
} from '@recordproof/shared/evidence/tlog-tiles.ts';
import { ledgerName, ledgerKey as logKey } from '../../support/proofs.ts';
import { type CannedLedger, plainProof, textOf, toEntries } from './case.ts';

export const entries = toEntries(plainProof);
export const receipt = JSON.parse(textOf(entries, 'blockchain-receipt.json'));
const [schema, batchNo, kind] = ['recordproof.ledger-entry.v1', 'MB-17', 'BATCH_ROOT'] as const;
const merkleRoot: string = receipt.batchChainRoot;

export const rootAt = (recordedAt: string, changes: object = {}): Uint8Array =>
  ledgerEntryBytes({ schema, kind, batchNo, merkleRoot, treeSize: 7, recordedAt, ...changes } as LedgerEntry);

export const recordAt = (number: number, recordedAt: string): Uint8Array => {
  const recordId = number.toString(16).padStart(64, '0');
  return ledgerEntryBytes({ schema, kind: 'FILE_RECORD', recordId, manifestHash: `sha256:${recordId}`, recordedAt });
};

export const minuteBefore = '2026-01-31T11:59:00.000Z';

export type Log = { entries: Uint8Array[]; files: CannedLedger };
export const bytesOf = (bytes: Uint8Array) => ({ status: 200, base64: toBase64(bytes) });

/** A log that holds the entry of the batch at `position` of `size`, and everything that its address shows. */
export async function logOf(
  own: Uint8Array,
  position: number,
  size: number,
  times = minuteBefore,
  others: Readonly<Record<number, Uint8Array>> = {},
): Promise<Log> {
  const all = Array.from({ length: size }, (_, at) => (at === position ? own : (others[at] ?? recordAt(at, times))));
  const leaves = all.map(entry => hashLeaf(entry));
  const signer = { name: ledgerName, publicKey: logKey.publicKey, sign: logKey.sign };
  const checkpoint = { origin: ledgerName, size, root: buildMerkleTree(leaves).root };
  const files: CannedLedger = { checkpoint: bytesOf(await signCheckpoint(checkpoint, [signer])) };
  for (const tile of newTiles(0, size)) {
    const span = tileWidth ** tile.level;
    const hashes = Array.from({ length: tile.width }, (_, at) => {
      const first = (tile.index * tileWidth + at) * span;
      return buildMerkleTree(leaves.slice(first, first + span)).root;
    });
    files[toTilePath(tile)] = bytesOf(Buffer.concat(hashes));
    if (tile.level > 0) continue;
    const first = tile.index * tileWidth;
    files[toBundlePath(tile.index, tile.width)] = bytesOf(toEntryBundle(all.slice(first, first + tile.width)));
  }
  return { entries: all, files };
}

export const entryAt = (recordedAt: string, entry: NewLedgerEntry): Uint8Array =>
  ledgerEntryBytes({ ...entry, schema, recordedAt });
