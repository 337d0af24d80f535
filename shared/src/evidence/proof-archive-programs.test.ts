// Proof archives opened by our reader, unzip and Python; identical bytes on every write.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test, vi } from 'vitest';
import { testWith } from '../../../test/support/programs.ts';
import { proofOf, someContent } from '../../../test/support/proofs.ts';
import { proofEntryNames, readProofArchive, writeProofArchive } from './proof-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-'));
const path = join(folder, 'proof.zip');
const entries = await proofOf({ content: someContent(2500), chunkSize: 1000 });
const archive = writeProofArchive(entries);
writeFileSync(path, archive);
afterAll(() => rmSync(folder, { recursive: true }));

test('the strict reader returns exactly the written entries', () => {
  const read = readProofArchive(archive);
  for (const name of proofEntryNames) expect(Buffer.from(read[name]).equals(Buffer.from(entries[name]))).toBe(true);
});

test('writing twice returns identical bytes, also in another time zone', async () => {
  expect(Buffer.from(writeProofArchive(entries)).equals(Buffer.from(archive))).toBe(true);
  vi.stubEnv('TZ', 'Pacific/Kiritimati');
  expect(new Date(0).getHours()).not.toBe(new Date(0).getUTCHours());
  expect(Buffer.from(writeProofArchive(entries)).equals(Buffer.from(archive))).toBe(true);
});

testWith('unzip')('zipinfo of Debian reads the archive without warnings', () => {
  const listing = execFileSync('unzip', ['-Z', '-v', path], { encoding: 'utf8' });
  expect([...listing.matchAll(/^ {2}(\S+)$/gm)].map(match => match[1])).toEqual([...proofEntryNames]);
  expect(listing).not.toMatch(/warning|error/i);
  expect(listing.match(/compression method: +none \(stored\)/g)).toHaveLength(8);
  expect(listing.match(/Unix file attributes \(100644 octal\)/g)).toHaveLength(8);
  expect(execFileSync('unzip', ['-tq', path], { encoding: 'utf8' })).toContain('No errors detected');
});

testWith('python3')('zipfile of Python reads every entry as stored, with valid checksums', () => {
  const script =
    'import sys,zipfile,json\nz=zipfile.ZipFile(sys.argv[1])\n' +
    'assert z.testzip() is None\nprint(json.dumps([[i.filename,i.compress_type,i.flag_bits] for i in z.infolist()]))';
  const listing = JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }));
  expect(listing).toEqual(proofEntryNames.map(name => [name, 0, 0x800]));
});
