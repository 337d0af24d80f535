// Main program of the app against a server: sessions, accounts, events, uploads and downloads across restarts.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logout } from '@recordproof/shared/api/auth.ts';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getFile, searchFiles } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { imageDownloadPrefix, type StoredImage } from '@recordproof/shared/api/images.ts';
import { grantHeader, openShare, saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { listShares, shareTypes } from '@recordproof/shared/api/shares.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { pattern } from '../../../test/support/bytes.ts';
import { findFreePort } from '../../../test/support/child-process.ts';
import { announceTo } from '../../../test/support/events.ts';
import { befriend, idOf } from '../../../test/support/friends.ts';
import * as pictures from '../../../test/support/pictures.ts';
import { share, storeFile } from '../../../test/support/shares.ts';
import { postForm } from '../../../test/support/uploads.ts';
import { keyring, noKeyring, openTestProgram, type TestProgram } from '../testing.ts';

let app: TestApp;
let ada: Person;
let folder: string;
let desktop: TestProgram;

beforeEach(async () => {
  app = await startApp({ env: { RECORDPROOF_PORT: String(await findFreePort()) } });
  ada = await app.person('ada');
  folder = await mkdtemp(join(tmpdir(), 'recordproof-desktop-'));
  desktop = await openTestProgram({ folder: join(folder, 'program') });
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const restart = async (options: Parameters<typeof openTestProgram>[0] = {}): Promise<void> => {
  await desktop[Symbol.asyncDispose]();
  desktop = await openTestProgram({ folder: desktop.folder, ...options });
};

async function signIn(stay = true): Promise<void> {
  await desktop.bridge.shell?.addServer(app.app.url);
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay });
}

/** Returns a function that starts it again, with the same data at the same address. */
async function stopServer(): Promise<() => Promise<void>> {
  const { folder: data, clock, config } = app;
  await app.app[Symbol.asyncDispose]();
  return async () => {
    app = await startApp({ folder: data, clock, env: { RECORDPROOF_PORT: String(config.http.port) } });
  };
}

const sessionKind = () => desktop.bridge.session.state.get().kind;
const untilSession = (kind: string) => expect.poll(sessionKind).toBe(kind);
const uploads = () => desktop.bridge.uploads.list.get();
const downloads = () => desktop.bridge.downloads.list.get();

async function makeFile(name: string, bytes: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, await pattern(bytes, 5));
  return path;
}

const choose = (path: string, into: string | null = null) => ({
  file: desktop.fileAt(path),
  folder: into,
  handle: null,
});

async function upload(path: string): Promise<string> {
  await desktop.bridge.uploads.add([choose(path)]);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('done');
  const state = uploads().at(-1)?.state;
  return (state?.kind === 'done' && state.fileHash) || '';
}

test('with "stay signed in" the next start is signed in, and the token is stored encrypted', async () => {
  await signIn();
  expect(desktop.bridge.session.state.get()).toMatchObject({ kind: 'signed-in', account: { username: 'ada' } });
  expect(desktop.bridge.session.serverUrl()).toBe(app.app.url);
  const logins = await readFile(join(desktop.folder, 'logins.json'), 'utf8');
  expect(keyring.decryptString(Buffer.from(Object.values(JSON.parse(logins) as object)[0], 'base64'))).toContain('ey');
  for (const name of await readdir(desktop.folder))
    if (name.endsWith('.json')) expect(await readFile(join(desktop.folder, name), 'utf8')).not.toMatch(/eyJ/);
  await restart();
  await untilSession('signed-in');
});

test('without "stay signed in" or a keyring the next start is signed out', async () => {
  await signIn(false);
  await restart();
  await untilSession('signed-out');
  await restart({ safeStorage: noKeyring });
  expect(desktop.bridge.shell?.canKeepTokens).toBe(false);
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: true });
  expect(sessionKind()).toBe('signed-in');
  await restart({ safeStorage: noKeyring });
  await untilSession('signed-out');
});

test('a wrong password is rejected with the error of the server', async () => {
  const wrong = signInWith('wrong password here');
  await expect(wrong).rejects.toBeInstanceOf(ApiError);
  await expect(wrong).rejects.toMatchObject({ kind: 'USER_LOGIN_ERROR' });
});
const signInWith = async (password: string) => {
  await desktop.bridge.shell?.addServer(app.app.url);
  await desktop.bridge.session.signIn({ username: 'ada', password, stay: false });
};

test('a session ended elsewhere ends at the next call, and is deleted', async () => {
  await signIn();
  await ada.call(logout, { body: { everywhere: true } });
  await expect(desktop.bridge.call(searchFiles, { query: { page: 1, size: 10 } })).rejects.toMatchObject({
    status: 401,
  });
  expect(desktop.bridge.session.state.get()).toEqual({ kind: 'signed-out', ended: true });
  await restart();
  await untilSession('signed-out');
});

test('a session waits while the server is unreachable, and is then restored', async () => {
  await signIn();
  const start = await stopServer();
  await restart();
  await untilSession('unreachable');
  await start();
  await desktop.bridge.session.restore();
  expect(sessionKind()).toBe('signed-in');
});

test('a mistyped and a changed password keep the session', async () => {
  await signIn();
  const mistyped = { oldPassword: 'not the password', newPassword: 'another long password 7' };
  const rejected = desktop.bridge.session.changePassword(mistyped);
  await expect(rejected).rejects.toMatchObject({ kind: 'USER_LOGIN_ERROR' });
  expect(sessionKind()).toBe('signed-in');
  await desktop.bridge.session.changePassword({ oldPassword: testPassword, newPassword: 'another long password 7' });
  await desktop.bridge.session.reload();
  await restart();
  await untilSession('signed-in');
});

test('an added server is checked first, and several accounts are kept separate', async () => {
  await expect(desktop.bridge.shell?.addServer('http://127.0.0.1:1')).rejects.toBeInstanceOf(TransportError);
  await expect(desktop.bridge.shell?.addServer('https://eve:secret@example.org')).rejects.toThrow('write the address');
  await signIn();
  await app.person('bob');
  await desktop.bridge.shell?.addServer(app.app.url);
  expect(sessionKind()).toBe('signed-out');
  await desktop.bridge.session.signIn({ username: 'bob', password: testPassword, stay: true });
  const servers = desktop.bridge.shell?.servers.get() ?? [];
  expect(servers.map(({ username }) => username)).toEqual([null, 'ada', 'bob']);
  await desktop.bridge.shell?.chooseServer(servers[1]?.id ?? '');
  expect(desktop.bridge.session.state.get()).toMatchObject({ kind: 'signed-in', account: { username: 'ada' } });
  await desktop.bridge.shell?.removeServer(servers[1]?.id ?? '');
  expect(desktop.bridge.shell?.servers.get()).toHaveLength(2);
});

test('events arrive while signed in, and some show a notification', async () => {
  const heard: ServerEvent[] = [];
  desktop.bridge.events.listen(event => void heard.push(event));
  await signIn();
  await expect.poll(() => desktop.bridge.events.state.get()).toBe('live');
  await announceTo(app, 'ada', 'Office closed');
  await app.drain();
  await expect.poll(() => heard.map(({ type }) => type)).toContain('announcement-published');
  expect(desktop.notices).toEqual([{ title: 'Announcement', body: 'Office closed' }]);
  await desktop.bridge.notices?.change({ silent: ['announcements'] });
  expect(desktop.bridge.notices?.settings.get()).toEqual({ isOn: true, silent: ['announcements'] });
  await announceTo(app, 'ada', 'Office open');
  await app.drain();
  const told = () => heard.filter(({ type }) => type === 'announcement-published').length;
  await expect.poll(told).toBe(2);
  expect(desktop.notices).toHaveLength(1);
  await desktop.bridge.session.signOut({ everywhere: false });
  expect(desktop.bridge.events.state.get()).toBe('off');
});

test('a file is uploaded, found, downloaded verified, and shown', async () => {
  await signIn();
  const path = await makeFile('plan.bin', 3 * 2 ** 20);
  const fileHash = await upload(path);
  const record = await desktop.bridge.call(getFile, { params: { hash: fileHash } });
  expect(record).toMatchObject({ fileName: 'plan.bin', fileSize: 3 * 2 ** 20 });
  desktop.saveTo = join(folder, 'back.bin');
  await desktop.bridge.downloads.start({ kind: 'file', fileHash, fileName: 'plan.bin', size: record.fileSize });
  await expect.poll(() => downloads().map(({ state, verified }) => [state.kind, verified])).toEqual([['done', true]]);
  expect((await readFile(desktop.saveTo)).equals(await readFile(path))).toBe(true);
  const shown = await desktop.bridge.downloads.read({ source: { kind: 'file', fileHash }, maxBytes: 2 ** 22 });
  expect(Buffer.from(shown).equals(await readFile(path))).toBe(true);
  const tooMuch = desktop.bridge.downloads.read({ source: { kind: 'file', fileHash }, maxBytes: 10 });
  await expect(tooMuch).rejects.toBeInstanceOf(TransferError);
  await desktop.bridge.uploads.clear();
  await desktop.bridge.downloads.clear();
  await expect.poll(() => [...uploads(), ...downloads()]).toEqual([]);
});

test('an image of a message is returned as an image type, and other paths are rejected', async () => {
  await signIn();
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(pictures.png)]), 'holiday.png');
  const { path } = (await postForm<StoredImage>(ada, '/api/v1/images/upload/image', form)).data;
  const { downloads } = desktop.bridge;
  const shown = await downloads.readPicture(path);
  expect([shown.type, shown.bytes.length > 0]).toEqual(['image/png', true]);
  const elsewhere = [`${imageDownloadPrefix}../../users/me`, '/api/v1/auth/me', `${path}?a`, imageDownloadPrefix];
  for (const other of elsewhere) await expect(downloads.readPicture(other)).rejects.toBeInstanceOf(TransferError);
  await expect(downloads.readPicture(`${imageDownloadPrefix}none.png`)).rejects.toMatchObject({ kind: 'NOT_FOUND' });
});

test('shared files are downloaded with their grant, which is not stored on disk', async () => {
  const bob = await app.person('bob');
  await befriend(ada, bob);
  await signIn();
  const { fileHash } = await storeFile(bob);
  const { shareCode: code } = await share(bob, fileHash, { shareType: shareTypes.PRIVATE, password: 'open sesame' });
  const body = { password: 'open sesame' };
  const { grant, files } = await desktop.bridge.call(openShare, { params: { code }, body });
  const wanted = { fileHash, fileName: 'report.pdf', size: files[0]?.fileSize ?? 0 };
  desktop.saveTo = join(folder, 'shared.pdf');
  await desktop.bridge.downloads.start({ kind: 'shared-file', code, grant, ...wanted });
  const given = { friendId: await idOf(ada), fileHashes: [fileHash] };
  const { id: shareId } = await bob.call(shareWithFriend, { body: given });
  desktop.saveTo = join(folder, 'given.pdf');
  await desktop.bridge.downloads.start({ kind: 'friend-file', shareId, ...wanted });
  const ended = () => downloads().map(({ state, verified }) => [state.kind, verified]);
  await expect.poll(ended).toEqual(Array(2).fill(['done', true]));
  const saved = await readFile(desktop.saveTo);
  expect(saved.equals(await readFile(join(folder, 'shared.pdf')))).toBe(true);
  for (const source of [
    { kind: 'shared-file', code, fileHash, grant } as const,
    { kind: 'friend-file', shareId, fileHash } as const,
  ]) {
    const viewed = await desktop.bridge.downloads.read({ source, maxBytes: 2 ** 20 });
    expect(saved.equals(viewed), source.kind).toBe(true);
  }
  const headers = { [grantHeader]: grant };
  await desktop.bridge.call(saveSharedFiles, { params: { code }, headers, body: {} });
  expect((await bob.call(listShares, {})).records).toMatchObject([{ accessCount: 1, saveCount: 1 }]);
  expect(await readFile(join(desktop.folder, 'transfers.json'), 'utf8')).not.toContain(grant);
});

test('transfers in progress at the end of the program resume at the next start', async () => {
  await signIn();
  const start = await stopServer();
  await desktop.bridge.uploads.add([choose(await makeFile('large.bin', 12 * 2 ** 20), 'plans/2026')]);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('running');
  await restart();
  await start();
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('done');
  expect(uploads().at(-1)).toMatchObject({ fileName: 'large.bin', folder: 'plans/2026' });
});

test('a transfer that waits for a login resumes with its own account only', async () => {
  await app.person('bob');
  await signIn(false);
  const start = await stopServer();
  await desktop.bridge.uploads.add([choose(await makeFile('diary.bin', 12 * 2 ** 20))]);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('running');
  await restart();
  await start();
  await desktop.bridge.session.restore();
  expect(uploads().map(({ state }) => state.kind)).toEqual(['waiting']);
  await desktop.bridge.session.signIn({ username: 'bob', password: testPassword, stay: false });
  await expect.poll(() => uploads()).toEqual([]);
  await upload(await makeFile('of-bob.txt', 1000));
  await desktop.bridge.session.signOut({ everywhere: false });
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: false });
  await expect
    .poll(() => uploads().map(({ fileName, state }) => [fileName, state.kind]))
    .toEqual([['diary.bin', 'done']]);
  const { records } = await ada.call(searchFiles, { query: { page: 1, size: 10 } });
  expect(records.map(({ fileName }) => fileName)).toEqual(['diary.bin']);
});

test('transfers that failed for lack of server or session resume; one with a changed file does not', async () => {
  await signIn();
  const start = await stopServer();
  const paths = await Promise.all(['a.bin', 'b.bin', 'c.bin'].map(name => makeFile(name, 3 * 2 ** 20)));
  await desktop.bridge.uploads.add(paths.map(path => choose(path)));
  await desktop[Symbol.asyncDispose]();
  const list = join(desktop.folder, 'transfers.json');
  const codes = ['unreachable', 'PERMISSION_TOKEN_INVALID', 'source-changed'];
  const kept: object[] = JSON.parse(await readFile(list, 'utf8'));
  const failed = kept.map((one, at) => ({ ...one, state: 'failed', reason: { code: codes[at], message: '' } }));
  await writeFile(list, JSON.stringify(failed));
  await start();
  desktop = await openTestProgram({ folder: desktop.folder });
  await expect.poll(() => uploads().map(({ state }) => state.kind)).toEqual(['done', 'done', 'failed']);
});

test('a session that ends during an upload requires a login, and the upload resumes', { tags: 'long' }, async () => {
  await signIn();
  const start = await stopServer();
  await desktop.bridge.uploads.add([choose(await makeFile('long.bin', 12 * 2 ** 20))]);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('running');
  await start();
  await ada.call(logout, { body: { everywhere: true } });
  await desktop.bridge.call(searchFiles, { query: { page: 1, size: 10 } }).catch(() => undefined);
  await untilSession('signed-out');
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: true });
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('done');
});

test('small files are sent in one set with their folders; a missing one fails alone', async () => {
  await signIn();
  const start = await stopServer();
  const paths = await Promise.all([1, 2, 3, 4].map(at => makeFile(`note-${at}.txt`, 1000 + at)));
  await desktop.bridge.uploads.add([
    ...paths.map((path, at) => choose(path, at < 2 ? 'notes/2026' : 'notes/2025')),
    choose(await makeFile('film.bin', 3 * 2 ** 20), 'notes'),
  ]);
  await expect.poll(uploads).toMatchObject([
    { files: 4, folder: 'notes', size: 4010 },
    { files: 1, fileName: 'film.bin' },
  ]);
  await desktop.bridge.uploads.pause(uploads()[0]?.id ?? '');
  await expect.poll(() => uploads()[0]?.state.kind).toBe('paused');
  await rm(paths[3] ?? '');
  await start();
  await desktop.bridge.uploads.resume(uploads()[0]?.id ?? '');
  await expect.poll(() => uploads().map(({ state }) => state.kind)).toEqual(['done', 'done', 'failed']);
  expect(uploads()).toMatchObject([{ files: 3, size: 3006 }, {}, { files: 1, fileName: 'note-4.txt' }]);
  const { records } = await ada.call(searchFiles, { query: { page: 1, size: 10, keyword: 'note-' } });
  expect(records.map(({ path, fileName }) => `${path}/${fileName}`).sort()).toEqual([
    'notes/2025/note-3.txt',
    'notes/2026/note-1.txt',
    'notes/2026/note-2.txt',
  ]);
});

test('a paused upload waits, a cancelled one leaves nothing behind, and a missing file fails', async () => {
  await signIn();
  const start = await stopServer();
  const path = await makeFile('paused.bin', 2 ** 20);
  await desktop.bridge.uploads.add([choose(path)]);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('running');
  const { id = '' } = uploads().at(-1) ?? {};
  await desktop.bridge.uploads.pause(id);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('paused');
  await restart();
  expect(uploads().at(-1)?.state.kind).toBe('paused');
  await start();
  await rm(path);
  await desktop.bridge.uploads.resume(id);
  await expect.poll(() => uploads().at(-1)?.state.kind).toBe('failed');
  await desktop.bridge.uploads.cancel(id);
  await expect.poll(() => uploads()).toEqual([]);
});

test('the window cannot call what the table does not list', async () => {
  await signIn();
  const { wire } = desktop;
  const rejected = (kind: string) => ({ ok: false, failure: expect.objectContaining({ kind }) });
  const request = (name: string, input: unknown) => wire.request({ call: 'c', name, input });
  const call = (endpoint: string, input: object) => request('program.callServer', { endpoint, input });
  expect(await call('connectEvents', {})).toMatchObject(rejected('broken'));
  expect(await call('__proto__', {})).toMatchObject(rejected('broken'));
  expect(await call('getFile', { params: { hash: '../../etc' } })).toMatchObject(rejected('broken'));
  expect(await request('uploads.add', { files: [{ path: 'relative', folder: null }] })).toMatchObject(
    rejected('transfer'),
  );
  expect(await request('downloads.start', { kind: 'file', fileHash: '/etc/passwd' })).toMatchObject(rejected('broken'));
  expect(await request('session.signIn', 'ada')).toMatchObject(rejected('broken'));
  const asked = await call('getFile', { params: { hash: '0'.repeat(64) }, headers: { 'x-evil': '1' } });
  expect(asked).toMatchObject({ ok: false, failure: { kind: 'api' } });
});
