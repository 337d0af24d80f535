// Versions of a file in the app: the list, downloads, restoring one as the newest, and two side by side, by pointer, by keys and
// at the width of a phone, in both languages, in Chromium.
import { readFile } from 'node:fs/promises';
import { listFiles, listVersions } from '@recordproof/shared/api/files.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, openAppPage, phone, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { drawPhoto } from '../support/media.ts';
import { sendFile } from '../support/uploads.ts';

const drafts = [
  'The first draft\nof the plan\n',
  'The second draft\nof the plan, with a longer line than before\n',
  'Third\n',
];

async function storeVersions(person: Person, name: string, contents: readonly Buffer[]): Promise<void> {
  for (const bytes of contents) {
    const { status, message } = await sendFile(person, bytes, name, { onConflict: 'newVersion' });
    expect([status, message]).toEqual([200, 'success']);
  }
}

/** Newest first. */
async function listSizes(person: Person): Promise<number[]> {
  const [{ id } = { id: '' }] = (await person.call(listFiles, {})).records;
  return (await person.call(listVersions, { params: { id } })).map(({ fileSize }) => fileSize);
}

const versionLine = (page: Page, name: string): Locator => page.locator('.versions li', { hasText: name });

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'versions in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  /** By Tab alone, until the element has the focus. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    for (let presses = 0; presses < 80; presses += 1) {
      if (await target.evaluate(one => one === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${target}`);
  }

  const isWithoutScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

  const findSmall = (page: Page, within: string) =>
    page.locator(within).evaluateAll(buttons =>
      buttons.flatMap(button => {
        const { width, height } = button.getBoundingClientRect();
        return width > 0 && (width < 43.5 || height < 43.5)
          ? [`${button.textContent}: ${Math.round(width)} by ${Math.round(height)}`]
          : [];
      }),
    );

  test('versions show author, time, size and proof, and are downloaded, compared and restored by pointer', async () => {
    const ada = await app.person('ada');
    await storeVersions(
      ada,
      'plan.txt',
      drafts.map(draft => Buffer.from(draft)),
    );
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'ada');
    await page.getByText('plan.txt').click();
    const first = versionLine(page, 'Version 1');
    await first.waitFor();
    await expect.poll(() => page.locator('.versions li').count()).toBe(3);
    for (const said of [/ada/, /28 B/, /31 Jan 2026/, /None|Being created|Issued/])
      expect(await first.textContent()).toMatch(said);
    expect(await versionLine(page, 'Version 3').textContent()).toContain('newest');
    await expectFit(page, 'versions');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Version 1' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(drafts[0]);

    const compare = page.getByRole('button', { name: 'Compare with the newest: Version 1' });
    await compare.click();
    const dialog = page.getByRole('dialog', { name: 'Compare with the newest' });
    await dialog.getByRole('region', { name: 'Version 1' }).getByText('The first draft').waitFor();
    await dialog.getByRole('region', { name: 'Version 3' }).getByText('Third').waitFor();
    const boxes = await dialog.getByRole('region').evaluateAll(all => all.map(one => one.getBoundingClientRect().y));
    expect(new Set(boxes).size, 'side by side').toBe(1);
    await expectFit(page, 'versions-compare');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Restore as newest: Version 1' }).click();
    await page.getByRole('dialog').getByText('All older versions stay.').waitFor();
    await expectFit(page, 'versions-restore');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore as newest' }).click();
    await versionLine(page, 'Version 4').getByText('newest').waitFor();
    expect(await listSizes(ada)).toEqual([28, 6, 61, 28]);
    await page.locator('.panel .preview').getByText('The first draft').waitFor();
    expect(complaints).toEqual([]);
  });

  test('two images are compared and one is restored by keyboard alone, on a phone, in Chinese', async () => {
    const lin = await app.person('lin');
    const canvas = await browser.newPage();
    const images = [await drawPhoto(canvas, 300, 200), await drawPhoto(canvas, 200, 300)];
    await canvas.close();
    await storeVersions(lin, 'photo.jpg', images);
    const { page, complaints } = await openAppPage(browser, url, { locale: 'zh-CN', viewport: phone });
    await page.getByLabel('用户名或邮箱地址').fill('lin');
    await page.getByLabel('密码', { exact: true }).fill(testPassword);
    await page.keyboard.press('Enter');
    await page.getByText('photo.jpg').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await versionLine(page, '版本 1').waitFor();
    await page.locator('.versions').scrollIntoViewIfNeeded();
    expect(await isWithoutScroll(page)).toBe(true);
    expect(await findSmall(page, '.versions button')).toEqual([]);
    await expectFit(page, 'versions-zh');
    await page.setViewportSize(phone);

    const compare = page.getByRole('button', { name: '与最新版本对照: 版本 1' });
    await tabTo(page, compare);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: '与最新版本对照' });
    await expect.poll(() => dialog.locator('.side-by-side img').count()).toBe(2);
    await expect
      .poll(() => dialog.locator('img').evaluateAll(all => all.map(one => (one as HTMLImageElement).naturalWidth)))
      .toEqual([300, 200]);
    expect(await isWithoutScroll(page)).toBe(true);
    expect(await findSmall(page, 'dialog button')).toEqual([]);
    await expectFit(page, 'versions-compare-zh');
    await page.setViewportSize(phone);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await compare.evaluate(one => one === document.activeElement), 'the focus is back').toBe(true);

    await tabTo(page, page.getByRole('button', { name: '恢复为最新版本: 版本 1' }));
    await page.keyboard.press('Enter');
    const ask = page.getByRole('dialog');
    await ask.waitFor();
    await tabTo(page, ask.getByRole('button', { name: '恢复为最新版本' }));
    await page.keyboard.press('Enter');
    await versionLine(page, '版本 3').getByText('最新').waitFor();
    expect(await listSizes(lin)).toEqual([images[0]?.length, images[1]?.length, images[0]?.length]);
    const inPage = () => page.evaluate(() => document.activeElement !== document.body);
    expect(await inPage(), 'keys go on where they were').toBe(true);
    expect(complaints).toEqual([]);
  });
});
