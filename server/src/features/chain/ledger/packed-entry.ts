// Packed form of ledger entries in the database: text that other columns hold, or that all entries of a kind share, is
// left out. Readers restore the exact text and compare it with its leaf hash.
import type { Selectable } from 'kysely';
import { toIso } from '../../../platform/clock.ts';
import { textPacking } from '../../../platform/db/packed-text.ts';
import type { Tables } from '../../../platform/db/tables.ts';

type StoredEntry = Selectable<Tables['ledger_entry']>;

export type EntryRow = Omit<StoredEntry, 'packed' | 'leaf_hash'> & {
  /** The canonical JSON of docs/spec/ledger.md section 2; empty if its packed bytes are damaged. */
  readonly entry: string;
  /** In hex. */
  readonly leaf_hash: string;
};

/** Part of the stored format: only ever extended at the end. */
const packing = textPacking([
  '","recordedAt":"',
  '","schema":"recordproof.ledger-entry.v1"}',
  '","schema":"recordproof.ledger-entry.v1","',
  '{"kind":"FILE_RECORD","manifestHash":"sha256:',
  '","recordId":"',
  '{"kind":"PROOF_ISSUED","manifestSha256":"sha256:',
  '","proofIdSha256":"sha256:',
  '{"kind":"PROOF_STATUS","proofIdSha256":"sha256:',
  'status":"REVOKED","statusVersion":',
  'status":"SUPERSEDED","statusVersion":',
  'status":"INVALID","statusVersion":',
  '{"batchNo":"',
  '","kind":"BATCH_ROOT","merkleRoot":"',
  'treeSize":',
  '{"headHash":"',
  '","kind":"AUDIT_HEAD","recordedAt":"',
  'sequence":',
  ',"tenantDigest":"',
  '"}',
  '}',
]);

type Subject = Pick<StoredEntry, 'subject' | 'recorded_at'>;

const knownOf = ({ subject, recorded_at: time }: Subject): string[] => [subject, dateOf(time)];

/** Empty for a damaged time. */
const dateOf = (time: number): string => (Number.isNaN(new Date(time).getTime()) ? '' : toIso(time));

export const packEntry = (row: Subject, entry: string): Buffer => packing.pack(entry, knownOf(row));

/** Of an entry whose date is set later: it is read with the time of its row. */
export function packUndated(row: Subject, before: string, after: string): Buffer {
  const [subject, date] = knownOf(row) as [string, string];
  return Buffer.concat([
    packing.pack(before, [subject]),
    packing.pack(date, ['', date]),
    packing.pack(after, [subject]),
  ]);
}

export const toEntryRow = ({ packed, leaf_hash, ...row }: StoredEntry): EntryRow => ({
  ...row,
  entry: packing.unpack(packed, knownOf(row)) ?? '',
  leaf_hash: leaf_hash.toString('hex'),
});

export const toStoredEntry = ({ entry, leaf_hash, ...row }: EntryRow): StoredEntry => ({
  ...row,
  packed: packEntry(row, entry),
  leaf_hash: Buffer.from(leaf_hash, 'hex'),
});
