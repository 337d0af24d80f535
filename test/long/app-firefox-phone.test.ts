// Journeys of the app in Firefox at the width of a phone, by touch, in English and Chinese; and what Firefox does instead of
// an installation: the app opens without a network from its service worker.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listShares } from '@recordproof/shared/api/shares.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../support/app.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, dialog, expectInWidth, openApp, panel, phone, row, tray } from '../support/firefox-app.ts';
import { drawPhoto } from '../support/media.ts';
import { laptop } from '../support/real-proofs.ts';
import { findSmallTargets } from '../support/touch-targets.ts';
import { sendFile } from '../support/uploads.ts';

const screens = [
  ...['files', 'files?folder=box', 'files/trash', 'transfers', 'shares', 'shares/received', 'shares/requests', 'share'],
  ...['messages', 'friends', 'announcements', 'tickets', 'verify', 'account'],
];

describe.skipIf(firefoxPath === undefined)(firefoxPath ? 'the app in Firefox on a phone' : noFirefox, () => {
  let firefox: Firefox;
  let app: TestApp;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-phone-'));
    app = await startApp({ env: laptop });
    url = app.app.url;
    firefox = await launchFirefox();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('a photo is uploaded, viewed and shared by touch', async () => {
    const pia = await app.person('pia');
    const page = await openApp(firefox, url, 'pia', { viewport: phone });
    await page.expectText('No files yet');
    const photo = join(folder, 'photo.jpg');
    await writeFile(photo, await drawPhoto(page, 800, 600));
    await page.choose('input[aria-label="Upload files"]', [photo]);
    await page.find({ css: tray, text: 'Done' });
    await page.expectCount({ css: '.row .file-icon img' }, 1);
    await expectInWidth(page, 'tray');
    await page.tap(row('photo.jpg'));
    await page.find({ css: 'aside h2', text: 'photo.jpg' });
    await expectInWidth(page, 'panel');
    await page.tap(button('View', panel));
    await page.find({ css: 'dialog.viewer .stage img' });
    await expectInWidth(page, 'viewer');
    await page.tap({ css: 'dialog.viewer button[aria-label="Close"]' });
    await page.expectCount({ css: 'dialog.viewer' }, 0);
    await page.tap(button('Share', panel));
    await page.tap({ css: `${dialog} button[type=submit]` });
    await page.find({ css: `${dialog} input[readonly]` });
    await expectInWidth(page, 'link');
    const link = String(await page.evaluate(`document.querySelector('${dialog} input[readonly]').value`));
    expect((await pia.call(listShares, {})).total).toBe(1);
    expect(page.complaints).toEqual([]);
    await page.close();

    const visitor = await firefox.newPage({ viewport: phone });
    await visitor.goTo(link);
    const saved = await visitor.download(() => visitor.tap({ css: 'a[data-hash]' }));
    expect(saved.name).toBe('photo.jpg');
    await visitor.expectCount({ css: '.checked .statement' }, 3);
    await expectInWidth(visitor, 'share page');
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test('folders, the trash, a name that is taken, a search and a changed share, by touch', async () => {
    const tim = await app.person('tim');
    for (const name of ['a.txt', 'b.txt']) await sendFile(tim, Buffer.from(name), name);
    const page = await openApp(firefox, url, 'tim', { viewport: phone });
    const letters = { role: 'link', name: 'letters, 1 file' };
    await page.find(row('b.txt'));
    await page.tap(button('New folder'));
    await page.fill({ label: 'Name', within: dialog }, 'letters');
    await page.tap(button('Create', dialog));
    await page.tap({ label: 'Select a.txt' });
    await page.tap(button('Move', '.chosen'));
    await page.tap(button('letters', dialog));
    await expectInWidth(page, 'move');
    await page.tap(button('Move to letters', dialog));
    await page.tap(letters);
    await page.find(row('a.txt'));
    await page.tap(button('Delete'));
    await page.tap(button('Delete', dialog));
    await page.expectText('The files of the folder letters were moved to the trash.');
    await expectInWidth(page, 'undo');
    await page.tap(button('Undo'));
    await page.tap(letters);
    await page.find(row('a.txt'));
    await page.tap(button('Delete'));
    await page.tap(button('Delete', dialog));
    await page.tap({ role: 'link', name: 'Trash' });
    await page.expectText('can be restored until');
    await page.tap(button('Restore: a.txt'));
    await page.expectText('The trash is empty');
    await page.tap({ role: 'link', name: 'All files' });
    await page.find(letters);

    const path = join(folder, 'b.txt');
    await writeFile(path, 'another');
    await page.choose('input[aria-label="Upload files"]', [path]);
    await page.expectText('b.txt is there already');
    await expectInWidth(page, 'name taken');
    await page.tap(button('Keep both', dialog));
    await page.find(row('b (2).txt'));
    await page.fill({ label: 'Search files' }, '(2)');
    await page.expectCount(row('b.txt'), 0);
    await page.tap({ label: 'Select b (2).txt' });
    await page.tap(button('Share', '.chosen'));
    await page.tap(button('Create the link', dialog));
    await page.find({ css: `${dialog} input[readonly]` });
    await page.goTo(`${url}/app#/shares`);
    await page.tap(button('Change: b (2).txt'));
    await page.fill({ label: 'Maximum number of opens', within: dialog }, '7');
    await expectInWidth(page, 'change');
    await page.tap({ css: `${dialog} button[type=submit]` });
    await page.expectText('opened 0 of 7 times');
    await page.tap(button('Cancel share: b (2).txt'));
    await page.tap(button('Cancel share', dialog));
    await page.expectText('Cancelled');
    await expectInWidth(page, 'shares');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('on every screen the width is kept and touch targets have 44 pixels; the menu opens and leads on', async () => {
    const max = await app.person('max');
    await sendFile(max, Buffer.from('in a folder'), 'deep.txt', { path: 'box' });
    await sendFile(max, Buffer.from('at the top'), 'top.txt');
    const page = await openApp(firefox, url, 'max', { viewport: phone });
    await page.find(row('top.txt'));
    const small: Record<string, string[]> = {};
    for (const screen of screens) {
      await page.goTo(`${url}/app#/${screen}`);
      await page.find({ css: 'main h1, main h2' });
      await page.expectNoText('Loading …');
      await expectInWidth(page, screen);
      const found = await page.read<string[]>(`(${findSmallTargets})()`);
      if (found.length > 0) small[screen] = found;
    }
    expect(small).toEqual({});
    await page.tap({ css: 'nav.side button.parts' });
    await page.find({ css: 'nav.side button.parts[aria-expanded=true]' });
    await expectInWidth(page, 'menu');
    await page.tap({ css: '#other-parts a', text: 'Friends' });
    await expect.poll(() => page.evaluate('document.title')).toBe('Friends – RecordProof');
    await page.find({ css: 'nav.side button.parts[aria-expanded=false]' });
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('the app is shown in Chinese to a Chinese browser', async () => {
    const lin = await app.person('lin');
    const page = await firefox.newPage({ viewport: phone, locale: 'zh-CN' });
    await page.goTo(`${url}/app`);
    await page.fill({ label: '用户名或邮箱地址' }, 'lin');
    await page.fill({ label: '密码' }, testPassword);
    await page.tap(button('登录'));
    await page.expectText('还没有文件');
    await sendFile(lin, Buffer.from('约定'), '合同.txt');
    await page.tap(row('合同.txt'));
    await page.find({ css: 'aside h2', text: '合同.txt' });
    await page.expectText('版本 1');
    await expectInWidth(page, 'panel in Chinese');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('Firefox offers no installation, but the app opens while the server is stopped', async () => {
    await using server = new AsyncDisposableStack();
    const own = server.use(await startApp());
    await own.person('olga');
    const page = await openApp(firefox, own.app.url, 'olga', { viewport: phone });
    await page.expectText('No files yet');
    expect(await page.read(`['onbeforeinstallprompt' in window, 'showOpenFilePicker' in window]`)).toEqual([
      false,
      false,
    ]);
    expect(await page.evaluate(`document.querySelector('link[rel=manifest]') !== null`)).toBe(true);
    await page.read('navigator.serviceWorker.ready.then(() => true)');
    await page.reload();
    await page.expectCount({ css: '.feed.live' }, 1);
    await server.disposeAsync();
    await page.reload();
    await page.expectText('The server does not answer');
    await page.find(button('Try again'));
    await expectInWidth(page, 'without a server');
    await page.close();
  });
});
