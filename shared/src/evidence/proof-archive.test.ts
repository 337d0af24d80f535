// Strict reader and writer of proof archives: order of entries, truncation, limits, contradictions, proof ids.
import { expect, test } from 'vitest';
import { evidenceOf, issuerIdentity, issuerKey, proofOf, someContent } from '../../../test/support/proofs.ts';
import { writeZip, type ZipChanges } from '../../../test/support/zip.ts';
import { isSameBytes, parseUtf8 } from './digest.ts';
import { maxArchiveBytes, proofEntryNames, readProofArchive } from './proof-archive.ts';
import { buildProofEntries } from './proof-builder.ts';
import { toProofId } from './proof-entries.ts';
import { ArchiveError } from './stored-zip.ts';

const plan = { content: someContent(2500), chunkSize: 1000 };
const entries = await proofOf(plan);
const list = proofEntryNames.map(name => ({ name, data: entries[name] }));

function codeOf(archive: Uint8Array): string {
  try {
    readProofArchive(archive);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return error.code;
  }
}

test('the eight entries are read at their positions', () => {
  const read = readProofArchive(writeZip(list));
  for (const name of proofEntryNames) expect(isSameBytes(read[name], entries[name])).toBe(true);
});

test('an archive that starts inside a larger buffer is read as well', () => {
  const padded = new Uint8Array([9, 9, 9, ...writeZip(list)]);
  expect(parseUtf8(readProofArchive(padded.subarray(3))['file.hash'])).toMatch(/^sha256:/);
});

test('every truncation and every changed header byte is rejected', () => {
  const archive = writeZip(list);
  for (let length = 0; length < archive.length; length += 97)
    expect(codeOf(archive.slice(0, length))).not.toBe('accepted');
  for (let at = 0; at < 43; at++)
    expect(codeOf(archive.with(at, (archive[at] ?? 0) ^ 0xff)), `byte ${at}`).not.toBe('accepted');
  for (let at = archive.length - 22; at < archive.length; at++)
    expect(codeOf(archive.with(at, (archive[at] ?? 0) ^ 0xff)), `byte ${at}`).not.toBe('accepted');
});

const at = (wanted: number, fields: Record<string, number>) => (index: number) => (index === wanted ? fields : {});

test.each<[string, ZipChanges, string]>([
  ['leading bytes', { before: Uint8Array.of(0) }, 'ARCHIVE_ENTRY_HEADER'],
  ['trailing bytes', { after: Uint8Array.of(0) }, 'ARCHIVE_TRAILING_BYTES'],
  ['an archive comment', { comment: Uint8Array.of(65) }, 'ARCHIVE_END_RECORD'],
  ['a gap between entries', { gapAfter: i => new Uint8Array(i === 3 ? 1 : 0) }, 'ARCHIVE_ENTRY_HEADER'],
  ['a compressed entry', { local: at(2, { method: 8 }) }, 'ARCHIVE_ENTRY_HEADER'],
  [
    'a wrong checksum in both places',
    { local: at(1, { crc: 1 }), directory: at(1, { crc: 1 }) },
    'ARCHIVE_ENTRY_CHECKSUM',
  ],
  ['a symbolic link', { directory: at(1, { external: 0xa1ff0000 }) }, 'ARCHIVE_DIRECTORY'],
  ['another size in the directory', { directory: at(1, { size: 1 }) }, 'ARCHIVE_DIRECTORY'],
  ['two entries at one offset', { directory: at(1, { offset: 0 }) }, 'ARCHIVE_DIRECTORY'],
  ['a size beyond the archive', { local: at(7, { size: 99999, stored: 99999 }) }, 'ARCHIVE_TRUNCATED'],
  ['a size above the limit', { local: at(0, { stored: 2 ** 32 - 1 }) }, 'ARCHIVE_ENTRY_TOO_LARGE'],
])('%s is rejected', (_, changes, code) => {
  expect(codeOf(writeZip(list, changes))).toBe(code);
});

test('reordered, missing, duplicate and renamed entries are rejected', () => {
  const renamed = list.map(entry => (entry.name === 'file.hash' ? { ...entry, name: '../f.hash' } : entry));
  for (const bad of [[...list].reverse(), list.slice(0, 7), [...list, ...list.slice(0, 1)], renamed])
    expect(codeOf(writeZip(bad))).not.toBe('accepted');
});

test('an archive above the limit is rejected', () => {
  expect(codeOf(new Uint8Array(maxArchiveBytes + 1))).toBe('ARCHIVE_TOO_LARGE');
});

const signer = { ...issuerIdentity, publicKeyFingerprint: issuerKey.fingerprint, sign: issuerKey.sign };

test('the same evidence gives the same entries', async () => {
  const again = await buildProofEntries(evidenceOf(plan), signer);
  for (const name of proofEntryNames) expect(isSameBytes(again[name], entries[name])).toBe(true);
});

test('contradictory evidence is never signed', async () => {
  const evidence = evidenceOf(plan);
  const otherLeaf = { ...evidence, merkle: { ...evidence.merkle, leafIndex: 1 } };
  const withRoot = { ...evidence, chunkManifest: { ...evidence.chunkManifest, merkleRoot: evidence.contentHash } };
  const badTime = { ...evidence, issuedAt: '2026-02-30T00:00:00.000Z' };
  const badReceipt = { ...evidence, receipt: { ...evidence.receipt, batchNo: '../1' } };
  for (const bad of [otherLeaf, withRoot, badTime, badReceipt])
    await expect(buildProofEntries(bad, signer)).rejects.toThrow();
});

test('a proof id follows from the record and its chain record id, and is unique', () => {
  const record = { tenantId: '1', fileId: '42', fileVersion: 1, leafId: '1007', chainRecordId: 'ab'.repeat(32) };
  expect(toProofId(record)).toMatch(/^rp-proof-[0-9a-f]{64}$/);
  expect(toProofId({ ...record, tenantId: '2' })).not.toBe(toProofId(record));
  expect(toProofId({ ...record, chainRecordId: 'ba'.repeat(32) })).not.toBe(toProofId(record));
  expect(() => toProofId({ ...record, fileId: '4\n2' })).toThrow(RangeError);
});
