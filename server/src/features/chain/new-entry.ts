// Entries for a chain of any kind: one per kind and subject, so an uncertain write is resolved by a query.
import type { NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';

export type NewEntry = NewLedgerEntry;
export type NewFileRecord = Extract<NewEntry, { kind: 'FILE_RECORD' }>;
export type EntryKind = NewEntry['kind'];

/** The entries that a contract accepts. */
export type NewContractEntry = Extract<NewEntry, { kind: 'FILE_RECORD' | 'BATCH_ROOT' }>;
