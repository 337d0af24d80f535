// What is written to a chain, whichever it is: once for each kind and subject, so that an uncertain write is settled by
// asking.
import type { LedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';

export type NewFileRecord = { readonly kind: 'FILE_RECORD'; readonly recordId: string; readonly manifestHash: string };
type NewBatchRoot = {
  readonly kind: 'BATCH_ROOT';
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly treeSize: number;
};
export type NewEntry = NewFileRecord | NewBatchRoot;
export type EntryKind = LedgerEntry['kind'];
