// Uploads and downloads of folders, against a real server.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { type Home, openHome } from '../testing.ts';

vi.setConfig({ testTimeout: 240_000 });

let app: TestApp;
let home: Home;
let alice: Person;

beforeEach(async () => {
  app = await startApp();
  home = await openHome({ url: app.app.url });
  alice = await app.person('alice');
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const run = (...args: string[]) => home.runHere(args, { env: { RECORDPROOF_TOKEN: alice.token ?? '' } });
const pathOf = (...parts: string[]): string => join(home.path, ...parts);

async function fill(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(pathOf(path, '..'), { recursive: true });
    await writeFile(pathOf(path), text);
  }
}

async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(pathOf(folder), { withFileTypes: true, recursive: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter(one => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(pathOf(folder).length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

test('a folder is uploaded and downloaded as the same tree, and a subfolder as its part', async () => {
  const files = { 'photos/a.txt': 'a', 'photos/mai/b.txt': 'b', 'photos/mai/ü/b.txt': 'again b', 'other.txt': 'other' };
  await fill(files);
  expect((await run('upload', 'photos', 'other.txt')).code).toBe(0);
  expect((await run('download', '--folder', 'photos', '--output', 'back/')).code).toBe(0);
  const { 'other.txt': _, ...tree } = files;
  expect(await readTree('back')).toEqual(tree);
  expect((await run('download', '--folder', 'photos/mai', '--output', 'part/')).code).toBe(0);
  expect(Object.keys(await readTree('part')).sort()).toEqual(['photos/mai/b.txt', 'photos/mai/ü/b.txt']);
  expect(await run('download', '--folder', 'photo')).toMatchObject({ code: 1 });
});

test('--skip-existing skips stored files in the same folder, not in another one', async () => {
  await fill({ 'one/a.txt': 'same', 'two/a.txt': 'same' });
  expect((await run('upload', 'one', '--skip-existing')).stderr).toContain('1 uploaded');
  expect((await run('upload', 'one', '--skip-existing')).stderr).toContain('1 were there already');
  expect((await run('upload', 'two', '--skip-existing')).stderr).toContain('1 uploaded');
});

test('no path leads out of the target folder or to a hidden file', async () => {
  await sendFile(alice, Buffer.from('key'), 'authorized_keys', { path: 'x/.ssh/...' });
  expect((await run('download', '--folder', 'x', '--output', 'back/')).code).toBe(0);
  expect(await readTree('back')).toEqual({ 'x/_.ssh/_.../authorized_keys': 'key' });
});

test('a name shared by several files needs its folder, and lists show both', async () => {
  await fill({ 'one/a.txt': '1', 'one/deep/a.txt': '2', 'two/a.txt': '3', 'a.txt': '4' });
  expect((await run('upload', 'one', 'two', 'a.txt')).code).toBe(0);
  const unclear = await run('files', 'info', 'a.txt');
  expect(unclear).toMatchObject({ code: 64, stderr: expect.stringContaining('could be any of 4 files') });
  expect(unclear.stderr).toContain('one/deep/a.txt)');
  const info = async (name: string) => JSON.parse((await run('files', 'info', name, '--json')).stdout);
  const paths = {
    'one/a.txt': 'one',
    './one/deep/A.TXT': 'one/deep',
    '/two/a.txt': 'two',
    '/a.txt': null,
  };
  for (const [name, path] of Object.entries(paths))
    expect(await info(name), name).toMatchObject({ fileName: 'a.txt', path });
  expect((await run('files', 'info', 'one/deep/a.txt')).stdout).toMatch(
    /^folder +one\/deep$.*^size +1 byte \(1 B\)$/ms,
  );
  for (const name of [
    'three/a.txt',
    'one',
    'one/',
    '//one/a.txt',
    '/three.txt',
    '../one/a.txt',
    './',
    `one/${(await info('one/a.txt')).id}`,
  ])
    expect(await run('files', 'info', name), name).toMatchObject({ code: 1 });
  expect((await run('files', 'list')).stdout.match(/\S+$/gm)).toEqual(
    expect.arrayContaining(['one/a.txt', 'one/deep/a.txt', 'two/a.txt', 'a.txt']),
  );
});
