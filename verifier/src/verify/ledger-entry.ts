// The ledger entry of a batch, read with its inclusion proof under a signed checkpoint.
import {
  clockSkewMs,
  entryTransactionHash,
  parseLedgerEntry,
  recordedAtOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import type { IncludedEntries } from '@recordproof/shared/evidence/log-reader.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
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
  const entry = findBatchRoot(entries[at], receipt, entryTransactionHash);
  if (entry === undefined) return { kind: 'contradicted', ledgerSize };
  const { recordedAt } = entry;
  return { kind: 'recorded', recordedAt, ledgerSize, isInOrder: isInOrder(entries.map(recordedAtOf), at) };
}

function findBatchRoot(bytes: Uint8Array | undefined, receipt: Receipt, toTransaction: (bytes: Uint8Array) => string) {
  if (bytes === undefined) return undefined;
  const { batchTransactionHash = toTransaction(bytes), batchNo, batchChainRoot } = receipt;
  if (toTransaction(bytes) !== batchTransactionHash) return undefined;
  try {
    const entry = parseLedgerEntry(bytes);
    const isHers = entry.kind === 'BATCH_ROOT' && entry.batchNo === batchNo && entry.merkleRoot === batchChainRoot;
    return isHers ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Whether no earlier entry is dated later, and no later one earlier, within the clock tolerance. */
function isInOrder(times: readonly (number | undefined)[], at: number): boolean {
  const own = times[at];
  if (own === undefined) return false;
  return times.every((time, index) => time === undefined || (index < at ? time - own : own - time) <= clockSkewMs);
}
