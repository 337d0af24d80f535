// The built desktop app below its interface: program, preload, IPC table and the process that transfers files, against
// a server of its own. Where Electron's binary is missing, its module has a stand-in whose windows are pages of
// Chromium.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { findFreePort } from '../support/child-process.ts';
import { chromiumPath } from '../support/chromium.ts';
import { buildDesktop, buildProbePage } from '../support/electron/bundles.ts';
import { type DesktopApp, startDesktopApp } from '../support/electron/desktop-app.ts';
import { announceTo } from '../support/events.ts';

const testInChromium = test.skipIf(chromiumPath === undefined);

let out: string;
let folder: string;
let app: TestApp;
let desktop: DesktopApp | undefined;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  out = await mkdtemp(join(tmpdir(), 'recordproof-desktop-out-'));
  await buildDesktop(out);
  await buildProbePage(out);
});
afterAll(() => rm(out, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-desktop-'));
  app = await startApp({ env: { RECORDPROOF_PORT: String(await findFreePort()) } });
  await app.person('ada');
});
afterEach(async () => {
  await desktop?.[Symbol.asyncDispose]();
  desktop = undefined;
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<DesktopApp> {
  desktop = await startDesktopApp({ out, folder: join(folder, 'program'), files: folder });
  return desktop;
}

/** The page, once its bridge is available. */
async function readyPage(of: DesktopApp): Promise<Page> {
  const page = await of.page();
  await expect.poll(() => page.title()).toBe('ready');
  return page;
}

async function signIn(page: Page): Promise<void> {
  await page.evaluate(
    async ([url, password]) => {
      await window.bridge.shell?.addServer(url ?? '');
      await window.bridge.session.signIn({ username: 'ada', password: password ?? '', stay: true });
    },
    [app.app.url, testPassword],
  );
}

const sessionOf = (page: Page) => page.evaluate(() => window.bridge.session.state.get().kind);
const uploadsOf = (page: Page) => page.evaluate(() => window.bridge.uploads.list.get().map(one => one.state.kind));
const downloadsOf = (page: Page) =>
  page.evaluate(() => window.bridge.downloads.list.get().map(one => [one.state.kind, one.verified]));

async function addUpload(page: Page, name: string, bytes: number): Promise<void> {
  await writeFile(join(folder, name), await pattern(bytes, 9));
  await page.setInputFiles('input', join(folder, name));
  await page.evaluate(async () => {
    const [file] = document.querySelector('input')?.files ?? [];
    if (file) await window.bridge.uploads.add([{ file, folder: null, handle: null }]);
  });
}

testInChromium('a file is uploaded and downloaded verified, through the real preload, table and process', async () => {
  const of = await open();
  const page = await readyPage(of);
  await signIn(page);
  await addUpload(page, 'plan.bin', 3 * 2 ** 20);
  await expect.poll(() => uploadsOf(page)).toEqual(['done']);
  expect(await page.evaluate(() => window.findFiles())).toEqual(['plan.bin']);
  const target = join(folder, 'back.bin');
  await of.order({ kind: 'save-to', path: target });
  await page.evaluate(async () => {
    const state = window.bridge.uploads.list.get()[0]?.state;
    const fileHash = state?.kind === 'done' ? (state.fileHash ?? '') : '';
    await window.bridge.downloads.start({ kind: 'file', fileHash, fileName: 'plan.bin', size: 3 * 2 ** 20 });
  });
  await expect.poll(() => downloadsOf(page)).toEqual([['done', true]]);
  expect((await readFile(target)).equals(await readFile(join(folder, 'plan.bin')))).toBe(true);
  // Bytes pass to the page as bytes.
  const shown = await page.evaluate(async () => {
    const state = window.bridge.uploads.list.get()[0]?.state;
    const fileHash = state?.kind === 'done' ? (state.fileHash ?? '') : '';
    return (await window.bridge.downloads.read({ source: { kind: 'file', fileHash }, maxBytes: 2 ** 23 })).length;
  });
  expect(shown).toBe(3 * 2 ** 20);
});

testInChromium('an upload survives its window, and resumes by itself after the program was killed', async () => {
  const of = await open();
  const page = await readyPage(of);
  await signIn(page);
  const { folder: data, clock, config } = app;
  await app.app[Symbol.asyncDispose]();
  await addUpload(page, 'large.bin', 12 * 2 ** 20);
  await expect.poll(() => uploadsOf(page)).toEqual(['running']);
  const [mover = 0] = of.noted.flatMap(one => (one.kind === 'process' ? [one.pid] : []));
  await page.close();
  expect(() => process.kill(mover, 0)).not.toThrow();
  await of.end('kill');
  app = await startApp({ folder: data, clock, env: { RECORDPROOF_PORT: String(config.http.port) } });
  await of.start();
  const again = await readyPage(of);
  await expect.poll(() => sessionOf(again)).toBe('signed-in');
  await expect.poll(() => uploadsOf(again)).toEqual(['done']);
});

testInChromium('events become notifications, links open the window, and quitting ends everything', async () => {
  const of = await open();
  const page = await readyPage(of);
  await signIn(page);
  await expect.poll(() => page.evaluate(() => window.bridge.events.state.get())).toBe('live');
  await announceTo(app, 'ada', '<b>Office</b> closed');
  await app.drain();
  const notice = { kind: 'notice', title: 'Announcement', body: '<b>Office</b> closed' };
  await expect.poll(() => of.noted).toContainEqual(notice);
  await of.order({ kind: 'second-start', words: ['recordproof', 'recordproof://share/abcDEF123456', '--flag'] });
  await expect.poll(() => page.evaluate(() => window.links)).toEqual([{ kind: 'share', code: 'abcDEF123456' }]);
  await page.evaluate(() => window.bridge.copyText('a code'));
  await page.evaluate(() => window.bridge.shell?.changeSettings({ startsWithSystem: true }));
  await expect.poll(() => of.noted).toContainEqual({ kind: 'clipboard', text: 'a code' });
  await expect.poll(() => of.noted).toContainEqual({ kind: 'login-item', openAtLogin: true });
  await of.end('quit');
  // Its stored files hold no readable token.
  const kept = join(folder, 'program', 'userData');
  for (const name of (await readdir(kept)).filter(one => one.endsWith('.json')))
    expect(await readFile(join(kept, name), 'utf8')).not.toContain('eyJ');
});

testInChromium('a page can neither navigate away, open windows, nor call what the table does not list', async () => {
  const of = await open();
  const page = await readyPage(of);
  await signIn(page);
  await expect.poll(() => of.noted).toContainEqual({ kind: 'permission', does: false });
  expect(of.noted.find(one => one.kind === 'window')).toMatchObject({
    preferences: { contextIsolation: true, sandbox: true, nodeIntegration: false, webviewTag: false },
  });
  await page.evaluate(() => {
    location.href = 'https://example.org/';
  });
  await expect
    .poll(() => of.noted)
    .toContainEqual({ kind: 'navigation', url: 'https://example.org/', isPrevented: true });
  await page.evaluate(() => void window.open('https://example.org/'));
  await expect.poll(() => of.noted).toContainEqual({ kind: 'popup', action: 'deny' });
  const reached = await page.evaluate(async url => {
    const failed = (work: () => unknown) =>
      Promise.resolve()
        .then(work)
        .then(
          () => 'reached',
          () => 'refused',
        );
    const node: { require?: unknown; process?: unknown } = Object(window);
    return {
      fetched: await failed(() => fetch(`${url}/api/v1/auth/me`)),
      markup: await failed(() => {
        document.body.innerHTML = '<img src="x" onerror="document.title = 1">';
      }),
      channel: await failed(() => window.recordproofWire.request({ call: '1', name: 'shell.run', input: 'ls' })),
      part: await failed(() => window.recordproofWire.request({ call: '2', name: 'session.state', input: undefined })),
      replaced: await failed(() => Object.defineProperty(window, 'recordproofWire', { value: 1 })),
      node: [typeof node.require, typeof node.process],
      wire: Object.keys(window.recordproofWire).sort(),
    };
  }, app.app.url);
  expect(reached).toEqual({
    fetched: 'refused',
    markup: 'refused',
    channel: 'refused',
    part: 'refused',
    replaced: 'refused',
    node: ['undefined', 'undefined'],
    wire: ['cancel', 'onPush', 'pathOf', 'request'],
  });
  expect(await page.evaluate(() => fetch('/../main/main.js').then(answer => answer.status))).toBe(404);
});
