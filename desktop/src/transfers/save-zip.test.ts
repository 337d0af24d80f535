// ZIPs that the desktop app saves: a folder, and chosen files, with their proofs. The window gets no token for it, and
// an interrupted one leaves nothing behind.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moveToTrash } from '@recordproof/shared/api/trash.ts';
import { draftPath } from '@recordproof/shared/node/file-sink.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { laptop } from '../../../test/support/real-proofs.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import type { DownloadRequest } from '../bridge/bridge.ts';
import { zipKeyOf } from '../bridge/download-request.ts';
import { openTestProgram, type TestProgram } from '../testing.ts';
import { type Running, undoJob } from './run-job.ts';

let app: TestApp;
let desktop: TestProgram;
let folder: string;
let ada: Person;
let hashes: string[];

beforeAll(async () => {
  app = await startApp({ env: laptop });
  desktop = await openTestProgram();
  ada = await app.person('ada');
  const put = async (path: string, name: string) =>
    (await sendFile(ada, Buffer.from(`${path}/${name}`), name, { path })).data.fileHash;
  hashes = [await put('case', 'a.txt'), await put('case/in', 'b.txt'), await put('other', 'c.txt')];
  await app.drain();
  await desktop.bridge.shell?.addServer(app.app.url);
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: false });
});
afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-zips-'));
});
afterEach(async () => {
  await desktop.bridge.downloads.clear();
  await rm(folder, { recursive: true, force: true });
});

type Zip = Extract<DownloadRequest, { kind: 'zip' }>;

/** Resolves to the state that it ends in. */
async function save(content: Zip['content']) {
  desktop.saveTo = join(folder, 'saved.zip');
  const { downloads } = desktop.bridge;
  await expect.poll(() => downloads.list.get()).toEqual([]); // a change of the list arrives a moment later
  await downloads.start({ kind: 'zip', content, fileName: 'saved.zip', size: 0 });
  const state = () => downloads.list.get()[0]?.state;
  await expect.poll(() => state()?.kind).toMatch(/done|failed/);
  return state();
}

const listMembers = () =>
  execFileSync('python3', ['-m', 'zipfile', '-l', join(folder, 'saved.zip')], { encoding: 'utf8' })
    .split('\n')
    .slice(1, -1)
    .map(line => line.split(' ')[0])
    .sort();

test('a folder is saved as a ZIP with its proofs, and its bytes are counted', async () => {
  expect(await save({ kind: 'folder', path: 'case' })).toMatchObject({ kind: 'done' });
  const { size } = await stat(join(folder, 'saved.zip'));
  expect(desktop.bridge.downloads.list.get()[0]?.progress).toMatchObject({ bytesMoved: size, totalBytes: size });
  expect(listMembers()).toEqual([
    'case/a.txt',
    'case/in/b.txt',
    'proofs/case/a.txt.proof.zip',
    'proofs/case/in/b.txt.proof.zip',
  ]);
});

test('selected files are saved as a ZIP; if one is missing, nothing is saved', async () => {
  const [a = '', , c = ''] = hashes;
  const content: Zip['content'] = { kind: 'files', fileHash: [a, c] };
  expect(await save(content)).toMatchObject({ kind: 'done' });
  expect(listMembers().slice(0, 2)).toEqual(['case/a.txt', 'other/c.txt']);
  await rm(join(folder, 'saved.zip'));
  await desktop.bridge.downloads.clear();
  await ada.call(moveToTrash, { body: { fileHash: [c] } });
  expect(await save(content)).toMatchObject({ kind: 'failed', reason: { code: 'FILE_NOT_EXIST' } });
  expect(await readdir(folder)).toEqual([]);
});

test('a cancelled ZIP leaves no draft behind, also if the program was killed while it arrived', async () => {
  const wanted: Zip = { kind: 'zip', content: { kind: 'folder', path: 'case' }, fileName: 'saved.zip', size: 0 };
  const target = join(folder, 'saved.zip');
  await writeFile(draftPath(target, zipKeyOf(wanted)), 'the beginning');
  await undoJob({} as Running, { kind: 'download', target, wanted });
  expect(await readdir(folder)).toEqual([]);
});
