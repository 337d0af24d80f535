// Parallel hashing of a folder: order, links, files that change during the scan, abort.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type HashedFile, hashFolder } from './hash-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'hash-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}

const hashAll = async (folder: string): Promise<HashedFile[]> => (await Array.fromAsync(hashFolder(folder))).flat();
const digestOf = (bytes: Uint8Array | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

test('files of every size are returned with size and digest, in the order of their paths', async () => {
  const folder = newFolder('sizes');
  const mebibyte = 2 ** 20;
  const sizes = [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte];
  for (const [at, size] of sizes.entries()) writeFileSync(join(folder, String(at)), Buffer.alloc(size, 'abc'));
  expect(await hashAll(folder)).toEqual(
    sizes.map((size, at) => ({ kind: 'hashed', path: String(at), size, sha256: digestOf(Buffer.alloc(size, 'abc')) })),
  );
});

test('large files are distributed over the threads and stay in order', async () => {
  const folder = newFolder('large');
  const names = Array.from({ length: 7 }, (_, at) => `file ${at}`);
  for (const [at, name] of names.entries()) {
    writeFileSync(join(folder, name), '');
    truncateSync(join(folder, name), 33 * 2 ** 20 + at);
  }
  const hashed = await hashAll(folder);
  expect(hashed.map(({ path }) => path)).toEqual(names);
  expect(hashed.map(file => file.kind === 'hashed' && file.size - 33 * 2 ** 20)).toEqual(names.map((_, at) => at));
});

test('many files in many folders are each returned once', async () => {
  const folder = newFolder('many');
  const paths = Array.from({ length: 3000 }, (_, at) => `${String(at % 37).padStart(2, '0')}/${at}`);
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  const hashed = await hashAll(folder);
  expect(hashed.map(({ path }) => path)).toEqual([...paths].sort());
  for (const file of hashed) expect(file).toMatchObject({ kind: 'hashed', sha256: digestOf(file.path) });
});

test('links are not followed, and files that a list cannot contain are reported', async () => {
  const folder = newFolder('odd');
  writeFileSync(join(folder, 'e\u0301'), '');
  writeFileSync(join(folder, '\u00e9'), '');
  writeFileSync(join(folder, 'line\nfeed'), '');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/not UTF-8 `), Buffer.from([0xff])]), '');
  symlinkSync('/etc', join(folder, 'link to a folder'));
  symlinkSync('nowhere', join(folder, 'link to nothing'));
  const kinds = (await hashAll(folder)).map(file => [file.path, file.kind === 'unfit' ? file.fault : file.kind]);
  expect(kinds).toEqual([
    ['line\nfeed', 'holds control characters'],
    ['link to a folder', 'other'],
    ['link to nothing', 'other'],
    ['not UTF-8 \ufffd', 'is not UTF-8'],
    ['\u00e9', 'differs from another name only in its Unicode form'],
    ['\u00e9', 'hashed'],
  ]);
});

test('a file whose size differs from its content is reported as changed', async () => {
  // Files of the kernel say that they are empty.
  const files = await hashAll('/proc/sys/kernel/random');
  expect(files).toContainEqual({ kind: 'problem', path: 'uuid', problem: 'changed' });
});

test('a file replaced by a link or removed during the scan is reported', async () => {
  const folder = newFolder('moving');
  // More than are under way at once: the first ones come back while the last wait to be asked for.
  const names = Array.from({ length: 128 * 20 }, (_, at) => String(at).padStart(5, '0'));
  for (const name of names) writeFileSync(join(folder, name), name);
  const hashing = hashFolder(folder);
  const first = (await hashing.next()).value ?? [];
  renameSync(join(folder, '02558'), join(folder, 'elsewhere'));
  rmSync(join(folder, '02559'));
  symlinkSync('elsewhere', join(folder, '02559'));
  const rest = (await Array.fromAsync(hashing)).flat();
  expect([...first, ...rest]).toHaveLength(names.length);
  expect(rest.slice(-2)).toEqual([
    { kind: 'problem', path: '02558', problem: 'gone' },
    { kind: 'problem', path: '02559', problem: 'other' },
  ]);
});

test('an abort ends the scan with its reason, and so does leaving early', async () => {
  const folder = newFolder('aborted');
  writeFileSync(join(folder, 'a'), 'a');
  const reason = new Error('enough');
  const hashing = hashFolder(folder, { signal: AbortSignal.abort(reason) });
  await expect(hashing.next()).rejects.toBe(reason);
  for await (const some of hashFolder(join(root, 'many'))) {
    expect(some).toHaveLength(128);
    break;
  }
});
