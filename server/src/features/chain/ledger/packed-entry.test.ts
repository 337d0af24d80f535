// Packed ledger entries: short, the same text again, and read for ever.
import { digestOf, parseUtf8, sha256, toDigest, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  ledgerEntryBytes,
  ledgerEntryKinds,
  ledgerEntrySchema,
  type NewLedgerEntry,
  subjectOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { expect, test } from 'vitest';
import { toIso } from '../../../platform/clock.ts';
import { type EntryRow, packUndated, toEntryRow, toStoredEntry } from './packed-entry.ts';

const hashOf = (text: string) => toHex(sha256(toUtf8(text)));
const fileRecord = { kind: 'FILE_RECORD', recordId: hashOf('r'), manifestHash: `sha256:${hashOf('m')}` } as const;
const proofIdSha256 = toDigest(sha256(toUtf8('p')));
const time = Date.parse('2026-11-28T09:10:11.012Z');

function rowOf(entry: NewLedgerEntry): EntryRow {
  const bytes = ledgerEntryBytes({ ...entry, schema: ledgerEntrySchema, recordedAt: toIso(time) });
  const subject = subjectOf(entry);
  return { position: 7, kind: entry.kind, subject, entry: parseUtf8(bytes), leaf_hash: hashOf('l'), recorded_at: time };
}

/** The digest is of the stored bytes, which later releases have to read: it never changes. */
const kinds: readonly (readonly [NewLedgerEntry, mostBytes: number, digest: string])[] = [
  [fileRecord, 39, 'sha256:0778aa47a2cb5204b9df822e257555b69fde05d635da47c3b991b7def53dadf5'],
  [
    { kind: 'PROOF_ISSUED', manifestSha256: `sha256:${hashOf('m')}`, proofIdSha256 },
    40,
    'sha256:52b12b88d702d8d5657e0841f3e1d7cb147fcb07122228119730bd9b345e58fe',
  ],
  [
    { kind: 'PROOF_STATUS', proofIdSha256, status: 'REVOKED', statusVersion: 2 },
    45,
    'sha256:880b856cc0e5e2926780600668fc0441cff0b87225bf8e5fa1bcc2db29231131',
  ],
  [
    { kind: 'BATCH_ROOT', batchNo: 'MB-12', merkleRoot: hashOf('root'), treeSize: 500 },
    45,
    'sha256:1700f1d7a32a34016cf954b93344ae05382fdccf151f82a619cfb1665ffd9c77',
  ],
  [
    { kind: 'AUDIT_HEAD', tenantDigest: hashOf('t'), sequence: 12, headHash: hashOf('h') },
    75,
    'sha256:7ea1c5b449200a0e6bc261588c503897294f3af62b5e67465f4a38331fb82b3a',
  ],
  [
    { kind: 'RECEIPT_ISSUED', receiptSha256: `sha256:${hashOf('r')}` },
    75,
    'sha256:813e930677ef6d1e09e678caee242c8057281448b215414df133018864ee2d1a',
  ],
  [
    {
      ...{ kind: 'SIGNING_KEY', keyId: 'rp-6a7689109732c688', keyVersion: 1, state: 'IN_USE' },
      publicKeyFingerprint: `sha256:${hashOf('k')}`,
    },
    160,
    'sha256:ed5a8ce10514d0ced7bc7534007f1bf9eb50d88cff74aa4b5a11bd2310910916',
  ],
];

test.each(kinds)('$kind', (entry, mostBytes, digest) => {
  const row = rowOf(entry);
  const stored = toStoredEntry(row);
  expect(stored.packed.length).toBeLessThanOrEqual(mostBytes);
  expect(toEntryRow(stored)).toEqual(row);
  expect(digestOf(stored.packed)).toBe(digest);
});

test('every kind is covered', () => {
  expect(kinds.map(([{ kind }]) => kind).toSorted()).toEqual(ledgerEntryKinds.toSorted());
});

test('an entry that is dated later is read with the time of its row', () => {
  const row = rowOf(fileRecord);
  const [before = '', after = ''] = row.entry.split(toIso(time));
  const packed = packUndated({ subject: row.subject, recorded_at: 5 }, before, after);
  expect(packed).toEqual(toStoredEntry(row).packed);
  expect(toEntryRow({ ...toStoredEntry(row), packed })).toEqual(row);
});

test('entries of a damaged time or of other bytes are read as another text, and throw nothing', () => {
  const row = rowOf(fileRecord);
  const stored = toStoredEntry(row);
  for (const recorded_at of [time + 1, Number.MAX_SAFE_INTEGER])
    expect(toEntryRow({ ...stored, recorded_at }).entry).not.toBe(row.entry);
  for (const packed of [stored.packed.subarray(1), stored.packed.subarray(0, -1), Buffer.from([255])])
    expect(toEntryRow({ ...stored, packed }).entry).not.toBe(row.entry);
});
