// Bytes and subjects of ledger entries of every kind, and rejected spellings.
import { expect, test } from 'vitest';
import { toUtf8 } from './digest.ts';
import {
  type EntryOf,
  entryTransactionHash,
  type LedgerEntry,
  ledgerEntryBytes,
  parseLedgerEntry,
  subjectOf,
} from './ledger-entry.ts';

const recordedAt = '2026-01-31T12:00:00.000Z';
const schema = 'recordproof.ledger-entry.v1';
const batch: LedgerEntry = {
  schema,
  kind: 'BATCH_ROOT',
  batchNo: 'MB-1',
  merkleRoot: 'a'.repeat(64),
  treeSize: 2,
  recordedAt,
};
const record: LedgerEntry = {
  schema,
  kind: 'FILE_RECORD',
  recordId: 'b'.repeat(64),
  manifestHash: `sha256:${'c'.repeat(64)}`,
  recordedAt,
};

const issued: EntryOf<'PROOF_ISSUED'> = {
  schema,
  kind: 'PROOF_ISSUED',
  proofIdSha256: `sha256:${'d'.repeat(64)}`,
  manifestSha256: `sha256:${'e'.repeat(64)}`,
  recordedAt,
};

const status: LedgerEntry = {
  schema,
  kind: 'PROOF_STATUS',
  proofIdSha256: issued.proofIdSha256,
  status: 'REVOKED',
  statusVersion: 2,
  recordedAt,
};
const key: LedgerEntry = {
  schema,
  kind: 'SIGNING_KEY',
  keyId: 'rp-0123456789abcdef',
  keyVersion: 1,
  publicKeyFingerprint: `sha256:${'f'.repeat(64)}`,
  state: 'IN_USE',
  recordedAt,
};
const head: LedgerEntry = {
  schema,
  kind: 'AUDIT_HEAD',
  tenantDigest: 'a'.repeat(64),
  sequence: 7,
  headHash: 'b'.repeat(64),
  recordedAt,
};

test('entries of all kinds are read from their bytes, and have a subject', () => {
  const all = [batch, record, issued, status, key, head];
  expect(all.map(subjectOf)).toEqual([
    'MB-1',
    'b'.repeat(64),
    'e'.repeat(64),
    `${'d'.repeat(64)}/2`,
    'rp-0123456789abcdef/1/IN_USE',
    `${'a'.repeat(64)}/7`,
  ]);
  for (const entry of all) expect(parseLedgerEntry(ledgerEntryBytes(entry))).toEqual(entry);
  expect(entryTransactionHash(ledgerEntryBytes(batch))).toMatch(/^0x[0-9a-f]{64}$/);
});

test.each([
  ['an unknown field', { ...batch, tenantId: '1' }],
  ['an unknown kind', { ...batch, kind: 'FILE_NAME' }],
  ['fields of both kinds', { ...batch, recordId: 'b'.repeat(64) }],
  ['an impossible date', { ...record, recordedAt: '2026-02-30T12:00:00.000Z' }],
  ['a content hash beside the proof', { ...issued, contentHash: `sha256:${'e'.repeat(64)}` }],
  ['an empty tree', { ...batch, treeSize: 0 }],
  ['a first status', { ...status, statusVersion: 1 }],
  ['an unknown status', { ...status, status: 'LOST' }],
  ['the reason of a status', { ...status, reason: 'wrong file' }],
  ['an unknown state of a key', { ...key, state: 'PLANNED' }],
  ['a tenant in plain text', { ...head, tenantDigest: '1' }],
  ['a list', []],
])('an entry with %s is rejected', (_, entry) => {
  expect(() => parseLedgerEntry(toUtf8(JSON.stringify(entry, Object.keys(entry).sort())))).toThrow();
  expect(() => ledgerEntryBytes(entry as LedgerEntry)).toThrow();
});

test('an entry in another spelling is rejected', () => {
  expect(() => parseLedgerEntry(toUtf8(JSON.stringify(batch)))).toThrow('canonical');
});
