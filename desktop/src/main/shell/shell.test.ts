// Parts of the Electron shell: content policy, request filter, links, window position, tray icon, encrypted storage.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { cancelChannel, requestChannel } from '../../ipc/wire.ts';
import { keyring, noKeyring, openTestProgram } from '../../testing.ts';
import { findLink, parseLink } from '../links.ts';
import { openPrivateJson } from '../private-json.ts';
import { openVault } from '../vault.ts';
import { answerAsset } from './app-protocol.ts';
import { isOwnPage } from './guards.ts';
import { serveChannels } from './serve-channels.ts';
import { drawTrayIcon } from './tray-icon.ts';
import { toBounds } from './window-state.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-shell-'));
  await mkdir(join(folder, 'renderer'));
  await writeFile(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'renderer', 'notes.txt'), 'not of the app');
  await writeFile(join(folder, 'secret.js'), 'secret');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const get = (url: string, method = 'GET') => answerAsset(join(folder, 'renderer'), { url, method });

test('the page of the app has a policy without foreign sources', async () => {
  const page = await get('app://recordproof/');
  expect(page.status).toBe(200);
  expect(await page.text()).toBe('<!doctype html>');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test.each([
  'app://recordproof/../secret.js',
  'app://recordproof/%2e%2e/secret.js',
  'app://recordproof/..%2fsecret.js',
  'app://recordproof/..%5csecret.js',
  'app://recordproof/%00index.html',
  'app://recordproof/%zz',
  'app://recordproof/notes.txt',
  'app://recordproof/gone.html',
  'app://elsewhere/index.html',
  'file:///etc/passwd',
])('%s returns 404', async url => {
  expect((await get(url)).status).toBe(404);
});

test('only GET is answered', async () => {
  expect((await get('app://recordproof/index.html', 'POST')).status).toBe(404);
});

test('requests are answered for the main frame of the app page only', async () => {
  expect(isOwnPage({ url: 'app://recordproof/index.html', parent: null })).toBe(true);
  expect(isOwnPage({ url: 'app://recordproof/index.html', parent: {} })).toBe(false);
  expect(isOwnPage({ url: 'app://recordproof.example.org/', parent: null })).toBe(false);
  expect(isOwnPage({ url: 'https://example.org/', parent: null })).toBe(false);
  expect(isOwnPage(null)).toBe(false);

  await using opened = await openTestProgram();
  const channels = new Map<string, (event: { senderFrame: object | null }, input: unknown) => Promise<unknown>>();
  serveChannels(
    { handle: (channel, handler) => void channels.set(channel, handler as never) },
    opened.program.handlers,
  );
  const request = channels.get(requestChannel);
  const frame = { url: 'app://recordproof/index.html', parent: null };
  const message = { call: '1', name: 'program.snapshot', input: undefined };
  expect(await request?.({ senderFrame: frame }, message)).toMatchObject({ ok: true });
  for (const channel of [requestChannel, cancelChannel]) {
    const answer = channels.get(channel)?.({ senderFrame: { ...frame, parent: {} } }, message);
    await expect(answer).rejects.toThrow('was not sent by a page of the app');
  }
  expect(channels.size).toBe(2);
  for (const name of ['session.client', 'session', 'program.constructor', '__proto__.toString', 'shell.run'])
    await expect(request?.({ senderFrame: frame }, { ...message, name })).rejects.toThrow('unknown request');
});

test.each([
  ['recordproof://share/abcDEF123456', { kind: 'share', code: 'abcDEF123456' }],
  ['recordproof://verify', { kind: 'verify' }],
  ['recordproof://verify/', { kind: 'verify' }],
  ['recordproof://share/short', undefined],
  ['recordproof://share/abcDEF123456/more', undefined],
  ['recordproof://share/abcDEF12345%2e', undefined],
  ['recordproof://eve:secret@share/abcDEF123456', undefined],
  ['recordproof://settings', undefined],
  ['https://share/abcDEF123456', undefined],
  ['nothing', undefined],
])('the link %s is parsed as expected', (text, link) => {
  expect(parseLink(text)).toEqual(link);
});

test('the link of a second start is found among its arguments', () => {
  expect(findLink(['/usr/bin/recordproof', '--flag', 'recordproof://verify'])).toEqual({ kind: 'verify' });
  expect(findLink(['/usr/bin/recordproof', 'recordproof://nothing'])).toBeUndefined();
});

test('the window opens at its last position, unless no screen shows that position', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 };
  const bounds = { x: 2000, y: 50, width: 900, height: 700 };
  const second = { ...screen, x: 1920 };
  expect(toBounds({ bounds, isMaximized: false }, [screen, second])).toEqual(bounds);
  expect(toBounds({ bounds, isMaximized: false }, [screen])).toEqual({ width: 1180, height: 780 });
  expect(toBounds({ bounds: null, isMaximized: false }, [screen])).toEqual({ width: 1180, height: 780 });
});

test('the tray icon fills with the progress', () => {
  const solid = (share: number | null) =>
    drawTrayIcon(32, share).filter((value, at) => at % 4 === 3 && value === 255).length;
  expect(drawTrayIcon(32, null)).toHaveLength(32 * 32 * 4);
  expect(solid(0.25)).toBeGreaterThan(solid(0));
  expect(solid(1)).toBeGreaterThan(solid(0.75));
  expect(solid(null)).toBe(solid(1));
});

test('a token is stored only with encryption of the system, and one of another keyring is ignored', async () => {
  const path = join(folder, 'logins.json');
  const kept = { token: 'eyJ', issuedAt: 1, expiresAt: 2 };
  const safe = await openVault(keyring, path);
  await safe.keep('one', kept);
  expect((await openVault(keyring, path)).find('one')).toEqual(kept);
  expect((await openVault({ ...keyring, decryptString: () => 'garbage' }, path)).find('one')).toBeUndefined();
  const unsafe = await openVault(noKeyring, path);
  expect(unsafe.canKeep).toBe(false);
  expect(unsafe.find('one')).toBeUndefined();
  await expect(unsafe.keep('two', kept)).rejects.toThrow('cannot encrypt the session');
  expect(await readFile(path, 'utf8')).not.toContain('two');
});

test('an unreadable file is renamed, and the last of many concurrent writes remains', async () => {
  const path = join(folder, 'own', 'settings.json');
  const options = { path, shape: z.object({ size: z.number() }), first: { size: 0 } };
  const file = await openPrivateJson(options);
  await Promise.all([1, 2, 3].map(size => file.set({ size })));
  expect((await openPrivateJson(options)).get()).toEqual({ size: 3 });
  await writeFile(path, '{"size":');
  expect((await openPrivateJson(options)).get()).toEqual({ size: 0 });
  expect((await readdir(join(folder, 'own'))).sort()).toEqual(['settings.json.unreadable']);
});
