// The streaming ZIP writer: ZIP64 sizes, short members, and deferred opening of members.
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { testWith } from '../../../test/support/programs.ts';
import { planZip, type ZipMember } from './zip-stream.ts';

const member = (name: string, bytes: Uint8Array): ZipMember => ({
  name,
  size: bytes.length,
  modifiedAt: Date.UTC(2026, 10, 21, 12, 34, 56),
  open: async () => Readable.from([bytes]),
});

async function* repeated(block: Uint8Array, bytes: number) {
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length));
}

async function written(
  members: readonly ZipMember[],
  look: (path: string, planned: number | null) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-zip-'));
  try {
    const path = join(folder, 'all.zip');
    const { size, read } = planZip(members);
    await pipeline(Readable.from(read(), { objectMode: false }), createWriteStream(path));
    look(path, size);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const withUnpackers = testWith('python3', 'unzip', '7z');

/** It ends with another code than 0 also at a warning. */
const testWith7z = (path: string) => void execFileSync('7z', ['t', path], { stdio: 'pipe' });

/** What another program reads: name, length, date, and whether every checksum holds. */
const readInPython = (path: string): { bad: string | null; entries: [string, number, number[]][] } =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        'import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(json.dumps({"bad": z.testzip(), "entries": [[i.filename, i.file_size, i.date_time] for i in z.infolist()]}))',
        path,
      ],
      { maxBuffer: 1e8 },
    ).toString(),
  );

withUnpackers('an archive has exactly the planned size, and other programs read every byte', async () => {
  const members = [member('größer – 报告.txt', Buffer.from('hello')), member('empty', new Uint8Array())];
  await written(members, (path, planned) => {
    expect(statSync(path).size).toBe(planned);
    expect(readInPython(path)).toEqual({
      bad: null,
      entries: [
        ['größer – 报告.txt', 5, [2026, 11, 21, 12, 34, 56]],
        ['empty', 0, [2026, 11, 21, 12, 34, 56]],
      ],
    });
    expect(execFileSync('unzip', ['-p', path, 'gr*']).toString()).toBe('hello');
    expect(execFileSync('7z', ['x', '-so', path, 'größer*']).toString()).toBe('hello');
    testWith7z(path);
  });
});

async function checkMany(count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, at) => member(`file ${at}`, Buffer.from(`content ${at}`)));
  await written(members, (path, planned) => {
    expect(statSync(path).size).toBe(planned);
    const { bad, entries } = readInPython(path);
    expect([bad, entries.length, entries.at(-1)?.[0]]).toEqual([null, count, `file ${count - 1}`]);
    execFileSync('unzip', ['-tq', path]);
    testWith7z(path);
  });
}

withUnpackers('other programs read archives of 1000 members', () => checkMany(1000));

withUnpackers('other programs read archives of 70000 members', { tags: 'long', timeout: 120_000 }, () =>
  checkMany(70_000),
);

test('members beyond four gigabytes are announced with their real size', { tags: 'long' }, async () => {
  const block = Buffer.alloc(1 << 20, 7);
  const large = { ...member('large', block), size: 5 * 2 ** 30, open: async () => repeated(block, 5 * 2 ** 30) };
  const { size, read } = planZip([large, member('small', Buffer.from('behind'))]);
  let bytes = 0;
  const tail: Uint8Array[] = [];
  for await (const part of read()) {
    bytes += part.length;
    if (bytes > 5 * 2 ** 30 && tail.push(part) > 50) tail.shift();
  }
  expect(bytes).toBe(size);
  const end = Buffer.concat(tail);
  expect(end.indexOf(Buffer.from('PK\x06\x06', 'latin1'))).toBeGreaterThan(0);
  expect(end.readBigUInt64LE(end.indexOf(Buffer.from('PK\x06\x06', 'latin1')) + 32)).toBe(2n);
});

test('a member shorter than announced aborts the archive', async () => {
  const short = { ...member('short', Buffer.from('abc')), size: 4 };
  await expect(written([short], () => undefined)).rejects.toThrow('announced with 4 bytes, but 3 arrived');
});

test('a member is opened only when it is reached', async () => {
  const opened: string[] = [];
  const counted = (name: string) => ({
    ...member(name, Buffer.from(name)),
    open: async () => {
      opened.push(name);
      return Readable.from([Buffer.from(name)]);
    },
  });
  const zip = planZip([counted('a'), counted('b')]).read();
  await zip.next();
  expect(opened).toEqual([]);
  await zip.next();
  expect(opened).toEqual(['a']);
  await zip.return(undefined);
  expect(opened).toEqual(['a']);
});
