// Journeys of the page of a drop link in a real browser: filled in and sent from, on a phone and in dark mode,
// interrupted and resumed, and in every state of a link.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as api from '@recordproof/shared/api/drop-links.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { main } from '@recordproof/verifier/cli.ts';
import type { Browser, BrowserContext, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { createDrop } from '../support/drops.ts';
import { laptop } from '../support/real-proofs.ts';

const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

if (chromiumPath === undefined) console.warn(`The page of a drop link is not looked at: ${noChromium}.`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let alice: Person;
  let root: string;
  let aheadMs = 0;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'recordproof-drop-'));
    browser = await launchChromium();
    app = await startApp({ env: laptop, clock: { now: () => Date.now() + aheadMs, advance: () => undefined } });
    alice = await app.person('alice');
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });

  const open = async (context: BrowserContext, code: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${app.app.url}/d/${code}`);
    return page;
  };
  const shoot = async (page: Page, name: string) => {
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `drop-${name}.png`), fullPage: true });
  };
  async function expectUsable(page: Page): Promise<void> {
    await expectAccessible(page);
    const targets = await page.locator('main button:visible, main label.button:visible').all();
    for (const target of targets) expect((await target.boundingBox())?.height ?? 44).toBeGreaterThanOrEqual(44);
  }
  async function keep(download: Download, name: string): Promise<string> {
    const path = join(root, name);
    await writeFile(path, await readFile(await download.path()));
    return path;
  }
  async function fileOf(name: string, size: number, seed: number): Promise<string> {
    await mkdir(join(root, `${seed}`), { recursive: true });
    const path = join(root, `${seed}`, name);
    await writeFile(path, await pattern(size, seed));
    return path;
  }
  const row = (page: Page, name: string) => page.locator('#files li', { hasText: name });

  async function sendAndVerify(colorScheme: 'light' | 'dark', viewport: typeof wide, locale: string): Promise<void> {
    const link = await createDrop(alice, {
      title: 'Exam papers of class 3',
      message: 'One file per answer.\nThank you!',
      path: `In-${locale}`,
      password: 'open sesame',
      fields: [
        { label: 'Name', kind: 'NAME' },
        { label: 'Mail', kind: 'MAIL', required: false },
      ],
    });
    const context = await browser.newContext({ viewport, colorScheme, locale, acceptDownloads: true });
    const page = await open(context, link.code);
    await expectUsable(page);
    await shoot(page, `${locale}-form`);
    await page.locator('#enter button').click();
    expect(await page.locator('#problem').textContent()).toContain('Name');
    await page.getByLabel('Name').fill('Li Lei');
    await page.getByLabel('Mail').fill('no mail');
    await page.locator('#password').fill('wrong one');
    await page.locator('#enter button').click();
    expect(await page.locator('#problem').textContent()).toContain('Mail');
    await page.getByLabel('Mail').fill('');
    await page.locator('#enter button').click();
    await page.locator('#problem', { hasText: '9' }).waitFor();
    await page.locator('#password').fill('open sesame');
    await page.locator('#password').press('Enter');
    await page.locator('#choice').waitFor();
    expect(await page.locator('#photo').getAttribute('capture')).toBe('environment');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('choose');
    await shoot(page, `${locale}-choice`);
    const large = await fileOf('report.pdf', 5_000_000, 1);
    await page.locator('#choose').setInputFiles([large, await fileOf('empty.txt', 0, 2)]);
    await page
      .locator('#photo')
      .setInputFiles([await fileOf('a rather long name of a picture taken somewhere.jpg', 70_000, 3)]);
    await page.locator('#files .under-way button:nth-child(2)').nth(1).waitFor();
    await row(page, 'empty.txt').locator('.file span').waitFor();
    await expectUsable(page);
    await shoot(page, `${locale}-sent`);
    const [receipt] = await Promise.all([
      page.waitForEvent('download'),
      row(page, 'report.pdf').locator('button').first().click(),
    ]);
    expect(receipt.suggestedFilename()).toBe('report.pdf.receipt.json');
    const [key] = await Promise.all([page.waitForEvent('download'), page.locator('#key').click()]);
    let report = '';
    const code = await main(
      ['receipt', await keep(receipt, 'r.json'), '--file', large, '--trusted-key', await keep(key, 'k.json')],
      {
        stdin: (async function* () {})(),
        stdout: { write: (text: string) => (report += text) },
        stderr: { write: (text: string) => (report += text) },
      },
    );
    expect([code, report]).toEqual([0, expect.stringContaining('Li Lei')]);
    const { records } = await alice.call(listFiles, { query: { folder: `In-${locale}` } });
    expect(records.map(file => file.fileName).sort()).toEqual([
      'a rather long name of a picture taken somewhere.jpg',
      'report.pdf',
    ]);
    await page.reload();
    await row(page, 'report.pdf').locator('button').first().waitFor();
    await context.close();
  }

  test('a sender fills in the form, sends, and saves a receipt that verifies', () =>
    sendAndVerify('light', phone, 'en-GB'));

  test('a sender does so in dark on a wide screen, in Chinese', { tags: 'long' }, () =>
    sendAndVerify('dark', wide, 'zh-CN'),
  );

  test('an interrupted upload resumes after the page was closed, and folders keep their names', {
    tags: 'long',
  }, async () => {
    const link = await createDrop(alice, { path: 'Broken' });
    const context = await browser.newContext({ viewport: phone, acceptDownloads: true });
    const page = await open(context, link.code);
    let parts = 0;
    await page.route('**/parts/*', route => {
      parts += 1;
      return parts === 2
        ? route.abort()
        : parts > 2
          ? route.fulfill({ status: 409, json: { code: 409, message: 'x', data: null } })
          : route.continue();
    });
    const folder = join(root, 'album');
    await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(folder, 'sub', 'film.mp4'), await pattern(6_000_000, 4));
    await page.locator('#folder').setInputFiles(folder);
    await row(page, 'film.mp4').getByRole('button', { name: 'Try again' }).waitFor();
    await page.close();
    const again = await open(context, link.code);
    await row(again, 'album/sub/film.mp4').getByText('Choose this file again').waitFor();
    const sent: string[] = [];
    again.on(
      'request',
      request => void (request.method() === 'PUT' && sent.push(request.url().split('/').at(-1) ?? '')),
    );
    await again.locator('#folder').setInputFiles(folder);
    await row(again, 'film.mp4').getByRole('button', { name: 'Save the receipt' }).waitFor();
    expect(sent).toEqual(['1', '2']);
    const { records } = await alice.call(listFiles, { query: { folder: 'Broken/album/sub' } });
    expect(records.map(file => file.fileName)).toEqual(['film.mp4']);
    await context.close();
  });

  test('closed, expired, full and unknown links show their state', { tags: 'long' }, async () => {
    const context = await browser.newContext({ viewport: phone });
    const link = await createDrop(alice);
    await alice.call(api.updateDropLink, { params: { id: link.id }, body: { closed: true } });
    const page = await open(context, link.code);
    await page.getByText('This link was closed.').waitFor();
    await expectUsable(page);
    await shoot(page, 'closed');
    const small = await createDrop(alice, { maxFiles: 1, expireMinutes: 60 });
    const full = await open(context, small.code);
    await full.locator('#choose').setInputFiles([await fileOf('one.txt', 900, 5)]);
    await row(full, 'one.txt').getByRole('button', { name: 'Save the receipt' }).waitFor();
    const other = await open(await browser.newContext({ viewport: phone }), small.code);
    await other.getByText('This link has all the files it takes.').waitFor();
    await expectUsable(other);
    aheadMs = 61 * 60_000;
    await other.reload();
    await other.getByText('This link has expired.').waitFor();
    await expectUsable(other);
    await full.reload();
    await row(full, 'one.txt').getByRole('button', { name: 'Save the receipt' }).waitFor();
    const none = await open(context, 'x'.repeat(22));
    await none.getByRole('heading', { name: 'There is no such drop link' }).waitFor();
    await expectUsable(none);
    await context.close();
  });
});
