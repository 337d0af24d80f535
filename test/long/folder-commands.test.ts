// Journeys of folders, the trash and name conflicts on the command line, against a real server.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';

let app: TestApp;
let alice: Person;
let home: Home;

beforeAll(async () => {
  app = await startApp({ clock: { now: () => Date.now(), advance: () => undefined } });
  alice = await app.person('alice');
  home = await openHome({ url: app.app.url });
});
afterAll(async () => {
  await app.drain();
  await checkEverything(app);
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const run = (...args: string[]) => home.run(args, { env: { RECORDPROOF_TOKEN: alice.token ?? '' } });

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr], args.join(' ')).toEqual([0, expect.any(String)]);
  return stdout + stderr;
}

/** All newest versions, as path, name and version. */
async function list(): Promise<string[]> {
  const { records } = await alice.call(listFiles, { query: { size: 100 } });
  return records.map(({ path, fileName, version }) => `${path ?? ''}/${fileName} v${version}`).sort();
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(home.path, path, '..'), { recursive: true });
    await writeFile(join(home.path, path), text);
  }
}

test('a name conflict becomes the next version, a numbered name or is skipped, for one file and many', async () => {
  await write({ 'in/a.txt': 'a', 'in/b.txt': 'b' });
  const folder = join(home.path, 'in');
  expect(await done('upload', folder)).toContain('2 uploaded');
  await write({ 'in/a.txt': 'a, again' });
  expect(await done('upload', folder, '--on-conflict', 'skip')).toMatch(
    /0 uploaded \(0 B\), 2 skipped: their names are taken/,
  );
  expect(await list()).toEqual(['in/a.txt v1', 'in/b.txt v1']);
  await done('upload', folder, '--on-conflict', 'keep-both');
  expect(await list()).toEqual(['in/a (2).txt v1', 'in/a.txt v1', 'in/b (2).txt v1', 'in/b.txt v1']);
  await done('upload', folder, '--on-conflict', 'version', '--direct');
  expect(await list()).toEqual(['in/a (2).txt v1', 'in/a.txt v2', 'in/b (2).txt v1', 'in/b.txt v2']);
  const one = join(home.path, 'in', 'a.txt');
  await done('upload', one, '--on-conflict', 'skip');
  const { files } = JSON.parse((await run('upload', one, '--on-conflict', 'skip', '--json')).stdout);
  expect(files).toMatchObject([{ status: 'skipped', version: 1 }]);
  expect((await run('upload', one, '--on-conflict', 'other')).code).toBe(64);
});

test('folders are created, shown as a tree, renamed and moved with their contents, and deleted', async () => {
  await done('files', 'mkdir', 'work/2026/empty', 'old');
  await done('files', 'move', 'in/a.txt', 'in/b.txt', '--to', 'work/2026');
  await done('files', 'move', 'work/2026/b.txt', '--name', 'c.txt');
  const tree = await done('files', 'tree');
  for (const name of ['work', '2026', 'empty', 'old', 'in']) expect(tree).toContain(name);
  await done('files', 'move', '--folder', 'work/2026', '--to', 'old/2026');
  expect((await list()).filter(name => name.startsWith('old'))).toEqual(['old/2026/a.txt v2', 'old/2026/c.txt v2']);
  expect(await done('files', 'history', 'old/2026/c.txt')).toContain('in');
  await write({ 'in/c.txt': 'another' });
  await done('upload', join(home.path, 'in', 'c.txt'));
  const taken = await run('files', 'move', 'c.txt', '--to', 'nowhere/deep');
  expect(taken.code).not.toBe(0); // two files have this name: the command does not guess
  expect((await run('files', 'rmdir', 'old/2026')).code).not.toBe(0);
  await done('files', 'rmdir', 'old/2026/empty');
  await done('files', 'rmdir', 'old/2026', '--recursive', '--yes');
  expect((await list()).filter(name => name.startsWith('old'))).toEqual([]);
});

test('files, folders and standard input are uploaded to a folder', async () => {
  await write({ 'trip/rome/view.txt': 'view', 'note.txt': 'note' });
  await done('upload', join(home.path, 'trip'), join(home.path, 'note.txt'), '--to', '/photos/2026/');
  await done('upload', join(home.path, 'note.txt'), '--to', 'photos', '--direct', '--name', 'direct.txt');
  const piped = ['upload', '-', '--name', 'piped.txt', '--to', 'photos'];
  const { code } = await home.run(piped, { env: { RECORDPROOF_TOKEN: alice.token ?? '' }, input: 'from a pipe' });
  expect(code).toBe(0);
  expect((await list()).filter(name => name.startsWith('photos'))).toEqual([
    'photos/2026/note.txt v1',
    'photos/2026/trip/rome/view.txt v1',
    'photos/direct.txt v1',
    'photos/piped.txt v1',
  ]);
  expect((await run('upload', join(home.path, 'note.txt'), '--to', '../up')).code).not.toBe(0);
  expect((await run('upload', join(home.path, 'note.txt'), '--to', 'x', '--version-of', 'note.txt')).code).toBe(64);
});

test('a deleted folder is restored with its files, and no others', async () => {
  await done('files', 'rm', 'photos/piped.txt', '--yes');
  await done('files', 'rmdir', 'photos/2026', '--recursive', '--yes');
  expect(await done('files', 'trash', 'restore', '--folder', 'photos/2026')).toContain('2 restored');
  expect((await list()).filter(name => name.startsWith('photos'))).toEqual([
    'photos/2026/note.txt v1',
    'photos/2026/trip/rome/view.txt v1',
    'photos/direct.txt v1',
  ]);
  expect((await run('files', 'trash', 'restore', '--folder', 'photos/20')).stderr).toContain('nothing from photos/20');
  expect((await run('files', 'trash', 'restore')).code).toBe(64);
});

test('deleted files are listed, restored, and purged', async () => {
  expect(await done('files', 'trash', 'list')).toContain('c.txt');
  await done('files', 'trash', 'restore', 'a.txt');
  expect(await list()).toContain('old/2026/a.txt v2');
  const emptied = await done('files', 'trash', 'empty', '--yes');
  expect(emptied).toMatch(/\d+ deleted for good \(\d+ B\)/);
  expect((await run('files', 'trash', 'list', '--json')).stdout).not.toContain('c.txt');
});
