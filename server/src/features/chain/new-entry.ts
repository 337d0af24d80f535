// What is written to a chain, whichever it is: once for each kind and subject, so that an uncertain write is settled by
// asking.
import type { NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';

export type NewEntry = NewLedgerEntry;
export type NewFileRecord = Extract<NewEntry, { kind: 'FILE_RECORD' }>;
export type EntryKind = NewEntry['kind'];

/** What a contract takes. */
export type NewContractEntry = Extract<NewEntry, { kind: 'FILE_RECORD' | 'BATCH_ROOT' }>;
