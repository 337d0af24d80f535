// Ledger entries of a proof, under a signed checkpoint: the entry of its batch, and the entries that the issuer names
// for its status. Inclusion proves that they exist; only an audit of all entries shows that there is no later one.
import {
  clockSkewMs,
  entryTransactionHash,
  findLedgerEntry,
  type LedgerEntry,
  recordedAtOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import type { IncludedEntries } from '@recordproof/shared/evidence/log-reader.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import type { LedgerEntryPositions } from './live-evidence.ts';
import type { SignedLog } from './signed-log.ts';

export type LedgerRecord =
  | {
      readonly kind: 'recorded';
      readonly recordedAt: string;
      /** Of the checkpoint that covers the entry. */
      readonly ledgerSize: number;
      /** False if a neighbouring entry states a time that contradicts its own. */
      readonly isInOrder: boolean;
    }
  /** The ledger signed by its key does not contain this batch at the position in the receipt. */
  | { readonly kind: 'contradicted'; readonly ledgerSize: number };

export async function findLedgerRecord(log: SignedLog, receipt: Receipt): Promise<LedgerRecord> {
  const { size } = log;
  if (receipt.blockNumber >= size) return { kind: 'contradicted', ledgerSize: size };
  return toRecord(await log.readBundle(receipt.blockNumber), receipt, size);
}

function toRecord({ first, entries }: IncludedEntries, receipt: Receipt, ledgerSize: number): LedgerRecord {
  const at = receipt.blockNumber - first;
  const entry = findBatchRoot(entries[at], receipt);
  if (entry === undefined) return { kind: 'contradicted', ledgerSize };
  const { recordedAt } = entry;
  return { kind: 'recorded', recordedAt, ledgerSize, isInOrder: isInOrder(entries.map(recordedAtOf), at) };
}

function findBatchRoot(bytes: Uint8Array | undefined, { batchTransactionHash, batchNo, batchChainRoot }: Receipt) {
  if (bytes === undefined) return undefined;
  if (batchTransactionHash !== undefined && batchTransactionHash !== entryTransactionHash(bytes)) return undefined;
  const entry = findLedgerEntry(bytes);
  const isOwn = entry?.kind === 'BATCH_ROOT' && entry.batchNo === batchNo && entry.merkleRoot === batchChainRoot;
  return isOwn ? entry : undefined;
}

/** Whether no earlier entry is dated later, and no later one earlier, within the clock tolerance. */
function isInOrder(times: readonly (number | undefined)[], at: number): boolean {
  const own = times[at];
  if (own === undefined) return false;
  return times.every((time, index) => time === undefined || (index < at ? time - own : own - time) <= clockSkewMs);
}

export type NamedEntry = {
  readonly position: number;
  /** Undefined for an entry of an unknown kind. */
  readonly entry: LedgerEntry | undefined;
};

type Named = NamedEntry | 'BEHIND_CHECKPOINT' | null;

/** The issue of a proof, its newest status, and the period of its key. */
export type ProofLife = {
  readonly ledgerSize: number;
  /** When the newest entry under the checkpoint was recorded: later events are not covered. */
  readonly recordedUntil: string | undefined;
} & { readonly [Name in keyof LedgerEntryPositions]: Named };

export async function readProofLife(log: SignedLog, positions: LedgerEntryPositions): Promise<ProofLife> {
  const read = async (position: number | null): Promise<Named> => {
    if (position === null) return null;
    if (position >= log.size) return 'BEHIND_CHECKPOINT';
    return { position, entry: findLedgerEntry(await readEntry(log, position)) };
  };
  const { issued, status, keyInUse, keyRetired } = positions;
  const last = log.size === 0 ? undefined : recordedAtOf(await readEntry(log, log.size - 1));
  return {
    ledgerSize: log.size,
    recordedUntil: last === undefined ? undefined : new Date(last).toISOString(),
    issued: await read(issued),
    status: await read(status),
    keyInUse: await read(keyInUse),
    keyRetired: await read(keyRetired),
  };
}

async function readEntry(log: SignedLog, position: number): Promise<Uint8Array> {
  const { first, entries } = await log.readBundle(position);
  return entries[position - first] ?? new Uint8Array(0);
}
