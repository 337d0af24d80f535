// Journeys of the transfer tray: on every screen, by pointer and keyboard, announced to screen readers, in both
// languages and on a phone; and many files as one ZIP.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
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
    await page.getByLabel('用户名或电子邮件地址').fill('max');
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
    const saved = join(folder, 'chosen.zip');
    await download.saveAs(saved);
    const listed = execFileSync('python3', ['-m', 'zipfile', '-l', saved], { encoding: 'utf8' });
    const names = listed
      .split('\n')
      .slice(1, -1)
      .map(line => line.split(' ')[0]);
    expect(names).toEqual(['a/same.txt', 'b/same.txt', 'proofs/a/same.txt.proof.zip', 'proofs/b/same.txt.proof.zip']);
    await page.getByRole('region', { name: '传输' }).getByText('完成', { exact: true }).waitFor();
    await expectFit(page, 'tray-chinese');
    expect(complaints).toEqual([]);
  });
});
