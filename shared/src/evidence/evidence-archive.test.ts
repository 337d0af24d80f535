// Evidence archives: round trips with missing parts, canonical bytes, rejected forms.
import { expect, test } from 'vitest';
import { writeZip } from '../../../test/support/zip.ts';
import { concatBytes, toUtf8 } from './digest.ts';
import { isEvidenceArchive, readEvidenceArchive, writeEvidenceArchive } from './evidence-archive.ts';
import { ArchiveError } from './stored-zip.ts';

const archive = toUtf8('the archive');
const [tlogProof, stamp, ots] = ['proof', 'stamp', 'ots'].map(toUtf8);
const names = ['proof-archive.zip', 'proof.tlog-proof', 'proof.tsr', 'proof.ots'];

test('an archive is unpacked as packed, with any parts missing, and has canonical bytes', () => {
  for (let mask = 0; mask < 8; mask++) {
    const evidence = {
      archive,
      tlogProof: mask & 1 ? tlogProof : undefined,
      stamp: mask & 2 ? stamp : undefined,
      ots: mask & 4 ? ots : undefined,
    };
    const bytes = writeEvidenceArchive(evidence);
    expect(isEvidenceArchive(bytes)).toBe(true);
    expect(readEvidenceArchive(bytes)).toEqual(evidence);
    const entries = Object.values(evidence).flatMap((data, at) =>
      data === undefined ? [] : [{ name: names[at] ?? '', data }],
    );
    expect(bytes).toEqual(writeZip(entries));
  }
});

test('every other form is rejected', () => {
  const bytes = writeEvidenceArchive({ archive, tlogProof, stamp, ots });
  for (let length = 0; length < bytes.length; length++)
    expect(() => readEvidenceArchive(bytes.subarray(0, length))).toThrow(ArchiveError);
  expect(() => readEvidenceArchive(concatBytes(bytes, Uint8Array.of(0)))).toThrow(ArchiveError);
  for (const order of [
    ['proof.tsr'],
    ['proof-archive.zip', 'proof.ots', 'proof.tsr'],
    ['proof-archive.zip', 'proof.zip'],
    ['proof-archive.zip', 'x'],
  ])
    expect(() => readEvidenceArchive(writeZip(order.map(name => ({ name, data: archive }))))).toThrow(ArchiveError);
  expect(isEvidenceArchive(writeZip([{ name: 'manifest.json', data: archive }]))).toBe(false);
});
