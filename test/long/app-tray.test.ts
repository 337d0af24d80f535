// Journeys of the transfer tray: on every screen, by pointer and keyboard, announced to screen readers, in both
// languages and on a phone; and many files, or a folder, as one ZIP.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesBytesHeader } from '@recordproof/shared/api/folders.ts';
import type { Browser, Download, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn, wide } from '../support/app-page.ts';
import { gateParts } from '../support/app-uploads.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { laptop } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the transfer tray' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-tray-'));
    app = await startApp({ env: laptop });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function listMembers(download: Download): Promise<(string | undefined)[]> {
    const saved = join(folder, 'saved.zip');
    await download.saveAs(saved);
    const listed = execFileSync('python3', ['-m', 'zipfile', '-l', saved], { encoding: 'utf8' });
    const lines = listed.split('\n').slice(1, -1);
    return lines.map(line => line.split(' ')[0]);
  }

  test('an upload keeps the current screen; the tray shows progress, opens with T and links to the file', async () => {
    await app.person('ada');
    const large = join(folder, 'large.bin');
    await writeFile(large, randomBytes(20 * 2 ** 20)); // four parts
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, 'ada');
    const parts = await gateParts(page, 1);
    await page.getByLabel('Upload files').setInputFiles(large);
    await expect.poll(parts.stored).toBe(1);
    expect(await page.title()).toMatch(/^Files/);
    const tray = page.getByRole('region', { name: 'Transfers' });
    const toggle = tray.getByRole('button', { name: '0 of 1 files Transferring' });
    await expect.poll(() => page.locator('[aria-live=polite]').allInnerTexts()).toContain('Transferring 1 file');
    for (const screen of ['Shares', 'Friends', 'Account', 'Files']) {
      await goTo(page, screen);
      await toggle.waitFor();
    }
    await goTo(page, 'Transfers');
    await expect.poll(() => tray.count()).toBe(0);
    await goTo(page, 'Files');
    await page.context().setOffline(true);
    await tray.getByText('Waiting for the server').waitFor();
    await page.context().setOffline(false);
    await page.keyboard.press('t');
    await tray.getByRole('button', { name: 'Pause: large.bin' }).waitFor();
    await expectFit(page, 'tray-open');
    await page.keyboard.press('Escape');
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    expect(await toggle.evaluate(button => button === document.activeElement)).toBe(true);
    await page.setViewportSize(phone);
    await toggle.click();
    await tray.getByText('large.bin').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
    await toggle.click();
    await page.setViewportSize(wide);
    parts.open();
    await tray.getByText('Done', { exact: true }).waitFor();
    await expect.poll(() => page.locator('[aria-live=polite]').allInnerTexts()).toContain('All transfers are done');
    await goTo(page, 'Shares');
    await tray.getByRole('link', { name: 'Show the file' }).click();
    await page.getByRole('complementary').getByRole('heading', { name: 'large.bin' }).waitFor();
    await tray.getByRole('button', { name: 'Hide these transfers' }).click();
    await expect.poll(() => tray.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('an upload that completes before the tray is loaded is shown', async () => {
    await app.person('eve');
    const { page, complaints } = await openAppPage(browser, app.app.url);
    const held = Promise.withResolvers<void>();
    await page.route('**/app/assets/tray-*.js', async route => {
      await held.promise;
      await route.continue();
    });
    await signIn(page, 'eve');
    await page.getByLabel('Upload files').setInputFiles({ name: 'quick.txt', mimeType: '', buffer: Buffer.from('q') });
    await page.getByRole('row', { name: 'quick.txt' }).waitFor();
    held.resolve();
    await page.getByRole('region', { name: 'Transfers' }).getByText('Done', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('selected files of two folders are downloaded as one ZIP with their proofs, shown in the tray', async () => {
    const max = await app.person('max');
    await sendFile(max, Buffer.from('one'), 'same.txt', { path: 'a' });
    await sendFile(max, Buffer.from('two'), 'same.txt', { path: 'b' });
    await app.drain();
    const { page, complaints } = await openAppPage(browser, app.app.url, { locale: 'zh-CN' });
    await page.getByLabel('用户名或邮箱地址').fill('max');
    await page.getByLabel('密码', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByLabel('搜索文件').fill('same');
    await page.getByText('same.txt').first().waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '下载 ZIP' }).click(),
    ]);
    const proofs = ['proofs/a/same.txt.proof.zip', 'proofs/b/same.txt.proof.zip'];
    expect(await listMembers(download)).toEqual(['a/same.txt', 'b/same.txt', ...proofs]);
    await page.getByRole('region', { name: '传输' }).getByText('完成', { exact: true }).waitFor();
    await expectFit(page, 'tray-chinese');
    expect(complaints).toEqual([]);
  });

  const folderZips = '**/api/v1/files/folders/zip?**';

  /** A person with a folder of two files, one of them in a folder below, and that folder open in the app. */
  async function openFolder(name: string, large: Buffer) {
    const person = await app.person(name);
    await sendFile(person, large, 'plan.bin', { path: 'case' });
    await sendFile(person, Buffer.from('two'), 'note.txt', { path: 'case/in' });
    await app.drain();
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, name);
    await page.evaluate(() => Object.assign(location, { hash: '#/files?folder=case' }));
    const fetch = page.getByRole('button', { name: 'Download ZIP' });
    return { page, complaints, fetch, tray: page.getByRole('region', { name: 'Transfers' }) };
  }
  const members = ['case/plan.bin', 'case/in/note.txt'];
  const proven = [...members, ...members.map(name => `proofs/${name}.proof.zip`)];

  test('the ZIP of a folder shows its bytes in the tray, is cancelled there, and tried again after a failure', async () => {
    const large = randomBytes(4 * 2 ** 20);
    const { page, complaints, fetch, tray } = await openFolder('ivy', large);
    const line = await page.context().newCDPSession(page);
    const setRate = (downloadThroughput: number) =>
      line.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 0, uploadThroughput: -1 },
        downloadThroughput,
      });
    await setRate(200 * 1024);
    await fetch.click();
    await tray.getByRole('button', { name: '0 of 1 files Transferring' }).click();
    const bar = tray.getByRole('progressbar', { name: 'Progress of case.zip' });
    await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
    expect(await bar.getAttribute('max')).toBe(String(large.length + 'two'.length));
    await tray.getByText(/ \/ 4\.0 MiB/).waitFor();
    expect(await page.getByRole('button', { name: 'Share', exact: true }).isEnabled()).toBe(true);
    await expectFit(page, 'tray-folder');
    await tray.getByRole('button', { name: 'Cancel: case.zip' }).click();
    await expect.poll(() => tray.count()).toBe(0);
    await setRate(-1);
    await page.route(folderZips, route => route.abort('connectionreset'), { times: 1 });
    await fetch.click();
    await tray.getByRole('button', { name: '0 of 1 files 1 transfer has failed' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      tray.getByRole('button', { name: 'Try again: case.zip' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('case.zip');
    expect((await listMembers(download)).sort()).toEqual(proven.sort());
    await tray.getByRole('button', { name: '1 of 1 files Done' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a folder too large for the page is downloaded by the browser, and the tray says so', async () => {
    const { page, complaints, fetch, tray } = await openFolder('kim', Buffer.from('one'));
    // As the server answers for a folder of a TiB.
    const claimLarge = async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), [filesBytesHeader]: String(2 ** 40) } });
    };
    await page.route(folderZips, claimLarge, { times: 1 });
    const [download] = await Promise.all([page.waitForEvent('download'), fetch.click()]);
    expect(download.url()).toContain('/api/v1/files/folders/zip?');
    expect(download.suggestedFilename()).toBe('case.zip');
    expect((await listMembers(download)).sort()).toEqual(proven.sort());
    const text = 'Your browser downloads it: too large for this page.';
    await tray.getByText(text).first().waitFor();
    await expect.poll(() => page.locator('[aria-live=polite]').allInnerTexts()).toContain(text);
    expect(await tray.getByText('Done', { exact: true }).count()).toBe(0);
    await expectFit(page, 'tray-handed-over');
    expect(complaints).toEqual([]);
  });
});
