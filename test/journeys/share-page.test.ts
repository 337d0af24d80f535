// Journeys of the page of a share in a real browser: with and without script, by keyboard, on a phone and in dark mode,
// and in every state of a share.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { testWith } from '../support/programs.ts';
import { visitShare, wide } from '../support/share-visits.ts';
import { share } from '../support/shares.ts';
import { storeProxied } from '../support/uploads.ts';

const phone = { width: 320, height: 640 };
const password = 'correct horse';
const oddName = `<img src=x onerror=alert(1)> "quoted" & größer – 报告.pdf`;

if (chromiumPath === undefined) console.warn(`The page of a share is not looked at: ${noChromium}.`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let alice: Person;
  let bytes: Uint8Array;
  let files: string[];

  beforeAll(async () => {
    browser = await launchChromium();
    app = await startApp();
    alice = await app.person('alice');
    bytes = await pattern(3_000_000);
    const stored = [
      await storeProxied(alice, bytes, { name: 'report.pdf', chunkSize: 1_000_000 }),
      await storeProxied(alice, await pattern(2000, 2), { name: oddName }),
    ];
    files = stored.map(({ fileHash }) => fileHash);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const visit = (code: string, options: Parameters<typeof visitShare>[1], during: (page: Page) => Promise<void>) =>
    visitShare({ browser, url: app.app.url, code }, options, during);

  async function shoot(page: Page, name: string): Promise<void> {
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `share-${name}.png`) });
  }

  const readDownload = async (download: Download) => new Uint8Array(await readFile(await download.path()));
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
  const expectedStatus = (status: number) => new RegExp(`status of ${status}`);

  async function expectAccessibleStates(colorScheme: 'light' | 'dark', viewport: typeof wide): Promise<void> {
    const contextOptions = { colorScheme, viewport };
    const suffix = `${colorScheme}-${viewport.width}`;
    const open = await share(alice, files);
    await visit(open.shareCode, contextOptions, async page => {
      expect(await heading(page)).toBe('Shared files');
      await page.locator('summary').first().click();
      await expectAccessible(page);
      await shoot(page, `files-${suffix}`);
    });
    const locked = await share(alice, files, { password });
    await visit(locked.shareCode, { ...contextOptions, expected: expectedStatus(403) }, async page => {
      await expectAccessible(page);
      await page.getByLabel('Password').fill('wrong horse');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await expectAccessible(page);
      await shoot(page, `password-${suffix}`);
      expect(await page.content()).not.toContain('report.pdf');
    });
    const closed = await share(alice, files, { shareType: 1 });
    await visit(closed.shareCode, { ...contextOptions, expected: expectedStatus(403) }, async page => {
      expect(await heading(page)).toBe('This share is private');
      const hrefs = await page.locator('a.button').evaluateAll(links => links.map(link => link.getAttribute('href')));
      const code = closed.shareCode;
      expect(hrefs).toEqual([`/app#/share/${code}`, `recordproof://share/${code}`]);
      await expectAccessible(page);
      await shoot(page, `private-${suffix}`);
    });
    await alice.call(api.revokeShare, { params: { code: open.shareCode } });
    await visit(open.shareCode, { ...contextOptions, expected: expectedStatus(410) }, async page => {
      expect(await heading(page)).toBe('This share was cancelled');
      await expectAccessible(page);
      await shoot(page, `cancelled-${suffix}`);
    });
  }

  test('files, password form and ended shares are accessible', { tags: 'long' }, () =>
    expectAccessibleStates('light', wide),
  );

  test('files, password form and ended shares are accessible in dark on a phone', { tags: 'long' }, () =>
    expectAccessibleStates('dark', phone),
  );

  testWith('python3')(
    'all files are downloaded as one ZIP with their names and a content length, and each is counted',
    { tags: 'long' },
    async () => {
      const twin = await storeProxied(alice, await pattern(500, 9), { name: 'Report.pdf' });
      const { shareCode } = await share(alice, [...files, twin.fileHash], { maxAccesses: 1 });
      await visit(shareCode, {}, async page => {
        await page.getByText('From alice').waitFor();
        const link = page.getByRole('link', { name: /^Download all as one ZIP, 2\.9 MiB/ });
        const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
        expect(download.suggestedFilename()).toBe(`share-${shareCode}.zip`);
        const script = [
          'import hashlib, json, sys, zipfile',
          'z = zipfile.ZipFile(sys.argv[1])',
          'print(json.dumps([[n, hashlib.sha256(z.read(n)).hexdigest()] for n in z.namelist()]))',
        ].join('\n');
        const entries = JSON.parse(execFileSync('python3', ['-c', script, await download.path()]).toString());
        const digest = createHash('sha256').update(bytes).digest('hex');
        expect(entries[0]).toEqual(['report.pdf', digest]);
        expect(entries.map(([name]: [string]) => name)).toEqual(['report.pdf', oddName, 'Report (2).pdf']);
      });
      const { records } = await alice.call(logsApi.listShareLogs, { params: { code: shareCode } });
      expect(records.map(({ actionType }) => actionType).sort()).toEqual([1, 2, 2, 2]);
      const { shareCode: other } = await share(alice, files);
      const head = await app.anonymous.fetch(`/s/${other}/all.zip`, { method: 'HEAD' });
      const whole = await app.anonymous.fetch(`/s/${other}/all.zip`);
      expect(head.headers.get('content-length')).toBe(`${(await whole.arrayBuffer()).byteLength}`);
    },
  );

  test('the proof of a file and the page that verifies it are one click away', { tags: 'long' }, async () => {
    await using proving = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
    const bob = await proving.person('bob');
    const { fileHash } = await storeProxied(bob, bytes, { name: 'report.pdf' });
    const { shareCode } = await share(bob, fileHash);
    await proving.drain();
    const context = await browser.newContext({ viewport: wide, acceptDownloads: true });
    const page = await context.newPage();
    await page.goto(`${proving.app.url}/s/${shareCode}`);
    const link = page.getByRole('link', { name: 'Proof of report.pdf' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('report.pdf.proof.zip');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'page that checks them' }).click();
    await page.waitForURL(`${proving.app.url}/verify`);
    const file = (name: string, buffer: Uint8Array) => ({ name, mimeType: '', buffer: Buffer.from(buffer) });
    await page.locator('#original').setInputFiles(file('report.pdf', bytes));
    await page.locator('#proof').setInputFiles(file('report.zip', await readDownload(download)));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('#verdict').waitFor();
    expect(await page.locator('#result').textContent()).toContain('INDETERMINATE');
    await expectAccessible(page);
    await context.close();
  });

  test('a file without a proof is marked', async () => {
    const { shareCode } = await share(alice, files);
    await visit(shareCode, {}, async page => {
      expect(await page.getByText('no proof yet').count()).toBe(2);
      const response = await app.anonymous.fetch(`/s/${shareCode}/files/${files[0]}/proof`);
      expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('makes no proofs')]);
    });
  });

  test('a share is shown in Chinese to a Chinese browser', { tags: 'long' }, async () => {
    const { shareCode } = await share(alice, files);
    await visit(shareCode, { locale: 'zh-CN' }, async page => {
      expect(await heading(page)).toBe('分享的文件');
      await page.getByText('来自 alice').waitFor();
      await expectAccessible(page);
      await shoot(page, 'files-zh');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('a.button.plain').first().click(),
      ]);
      expect(download.suggestedFilename()).toBe('report.pdf');
      await page.getByText('report.pdf 已保存，SHA-256 正确。').waitFor();
    });
  });

  test.each([
    ['AAAAAAAAAAAA', 404, 'There is no such share'],
    ['../nowhere', 404, 'Page not found'],
    ['../api/v1/auth/me', 401, 'This address is for signed-in programs'],
  ])('the page for %s, which returns %i, is accessible', { tags: 'long' }, async (code, status, title) => {
    for (const viewport of [wide, phone])
      await visit(code, { viewport, colorScheme: 'dark', expected: expectedStatus(status) }, async page => {
        expect(await heading(page)).toBe(title);
        await expectAccessible(page);
        await shoot(page, `${status}-${viewport.width}`);
      });
  });

  test('names are shown as text, whatever they contain, and keep their letters when saved', async () => {
    const { shareCode } = await share(alice, files);
    await visit(shareCode, {}, async page => {
      expect(await page.locator('.file strong').allTextContents()).toEqual(['report.pdf', oddName]);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('a.button.plain').nth(1).click(),
      ]);
      expect(download.suggestedFilename()).toContain('größer – 报告.pdf');
    });
  });

  test('a name with a right-to-left override is shown without it', async () => {
    const turned = await storeProxied(alice, await pattern(100, 3), { name: 'photo\u202egpj.exe' });
    const { shareCode } = await share(alice, turned.fileHash);
    await visit(shareCode, {}, async page => {
      expect(await page.locator('.file strong').textContent()).toBe('photo\ufffdgpj.exe');
      expect(await page.content()).not.toContain('\u202e');
    });
  });

  test('by keyboard alone a file is downloaded with progress and verification, and the focus is kept', async () => {
    const { shareCode } = await share(alice, files, { maxAccesses: 1 });
    await visit(shareCode, {}, async page => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
      await page.getByRole('link', { name: 'Download report.pdf, 2.9 MiB' }).focus();
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      expect(download.suggestedFilename()).toBe('report.pdf');
      expect(Buffer.from(await readDownload(download)).equals(Buffer.from(bytes))).toBe(true);
      await page.getByText('report.pdf is saved, and its SHA-256 is right.').waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Download report/);
      await Promise.all([page.waitForEvent('download'), page.locator('a.button.plain').nth(1).click()]);
      await page.getByText('SHA-256 is right').waitFor();
    });
    const { records } = await alice.call(logsApi.listShareLogs, { params: { code: shareCode } });
    expect(records.map(({ actionType }) => actionType).sort()).toEqual([1, 2, 2]);
    await visit(shareCode, { expected: expectedStatus(410) }, async page => {
      expect(await heading(page)).toBe('This share has reached its limit');
    });
  });

  test('without script the links and the form work too', async () => {
    const { shareCode } = await share(alice, files, { password });
    await visit(shareCode, { javaScriptEnabled: false, expected: expectedStatus(403) }, async page => {
      await page.getByLabel('Password').fill('wrong horse');
      await page.getByRole('button', { name: 'Show the files' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('password is wrong');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Show the files' }).click();
      expect(page.url()).toBe(`${app.app.url}/s/${shareCode}`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /^Download report/ }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('report.pdf');
      expect(Buffer.from(await readDownload(download)).equals(Buffer.from(bytes))).toBe(true);
      const [cookie] = await page.context().cookies(page.url());
      expect(cookie).toMatchObject({ path: `/s/${shareCode}`, httpOnly: true, sameSite: 'Lax' });
    });
  });

  test.each([true, false])(
    'a rejected download is reported on the page, with script %s',
    { tags: 'long' },
    async javaScriptEnabled => {
      const told = (page: Page, text: string) => page.locator('main').getByText(text).waitFor();
      const link = (page: Page) => page.getByRole('link', { name: /^Download report/ });
      const locked = await share(alice, files, { password });
      const contextOptions = { javaScriptEnabled, expected: expectedStatus(410) };
      await visit(locked.shareCode, contextOptions, async page => {
        page.on('download', () => expect.unreachable('nothing is to be saved'));
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Show the files' }).click();
        await link(page).waitFor();
        await page.context().clearCookies();
        await link(page).click();
        await told(page, javaScriptEnabled ? 'has to be opened once more' : 'This share has a password');
      });
      const open = await share(alice, files);
      await visit(open.shareCode, contextOptions, async page => {
        await alice.call(api.revokeShare, { params: { code: open.shareCode } });
        await link(page).click();
        await told(page, javaScriptEnabled ? 'The share has ended' : 'This share was cancelled');
      });
    },
  );

  test('a download can be stopped, and reports an interruption or other content', { tags: 'long' }, async () => {
    const { shareCode } = await share(alice, files);
    await visit(shareCode, { expected: /ERR_|status of 410/ }, async page => {
      const link = page.getByRole('link', { name: /^Download report/ });
      const session = await page.context().newCDPSession(page);
      const limit = (downloadThroughput: number) =>
        session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput,
          uploadThroughput: -1,
        });
      await limit(30_000);
      await link.click();
      await page.getByRole('progressbar').waitFor();
      await shoot(page, 'progress');
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Cancel (the )?download/ }).click();
      await page.getByText('Download cancelled. Nothing was saved.').waitFor();
      await limit(-1);

      const address = `**/s/${shareCode}/files/**`;
      const wrong = Buffer.from(bytes);
      wrong[1_000_000] = (wrong[1_000_000] ?? 0) ^ 1;
      await page.route(address, route => route.fulfill({ status: 200, body: wrong }));
      await link.click();
      await page.getByText('differ from the shared file. Nothing was saved.').waitFor();
      await page.unroute(address);
      await page.route(address, route => route.fulfill({ status: 200, body: wrong.subarray(0, 2_000_000) }));
      await link.click();
      await page.getByText('The download was interrupted').waitFor();
      await page.unroute(address);
      await page.route(address, route => route.abort());
      await link.click();
      await page.getByText('The server did not answer').waitFor();
      await page.unroute(address);
      await alice.call(api.revokeShare, { params: { code: shareCode } });
      await link.click();
      await page.getByText('The share has ended').waitFor();
    });
  });

  test('a saved file is recognized among others without sending anything', { tags: 'long' }, async () => {
    const { shareCode } = await share(alice, files);
    await visit(shareCode, {}, async page => {
      const sent: string[] = [];
      page.on('request', request => request.method() !== 'GET' && sent.push(request.url()));
      const choice = page.getByLabel(/^Or choose a file/);
      const buffer = Buffer.from(bytes);
      await choice.setInputFiles({ name: 'mine.pdf', mimeType: '', buffer });
      await page.getByText('mine.pdf is the shared file report.pdf, byte by byte.').waitFor();
      await expectAccessible(page);
      await shoot(page, 'checked');
      buffer[7] = (buffer[7] ?? 0) ^ 1;
      await choice.setInputFiles({ name: 'mine.pdf', mimeType: '', buffer });
      await page.getByText('mine.pdf is none of the shared files.').waitFor();
      expect(sent).toEqual([]);
    });
  });

  test('a missing and an ended share return a page with their status', async () => {
    const { shareCode } = await share(alice, files, { expireMinutes: 1 });
    const page = async (path: string, init?: RequestInit) => {
      const response = await app.anonymous.fetch(path, { redirect: 'manual', ...init });
      return { response, text: await response.text() };
    };
    const shown = await page(`/s/${shareCode}`);
    expect(Object.fromEntries(shown.response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /default-src 'none'.*frame-ancestors 'none'.*form-action 'none'.*script-src 'sha256-[^']+';/,
      ),
    });
    expect(shown.response.headers.get('set-cookie')).toBeNull();
    app.clock.advance(61_000);
    for (const [path, status, words] of [
      [`/s/${shareCode}`, 410, 'This share has expired'],
      [`/s/${shareCode}/files/${files[0]}`, 410, 'This share has expired'],
      ['/s/AAAAAAAAAAAA', 404, 'There is no such share'],
      ['/s/%3Cscript%3E', 404, 'There is no such share'],
    ] as const) {
      const { response, text } = await page(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect(text).toContain(words);
      expect(text).not.toContain('<script>');
    }
  });

  test('a file link of a private or locked share redirects to the share page', async () => {
    for (const wish of [{ shareType: 1 as const }, { password }]) {
      const { shareCode } = await share(alice, files, wish);
      const path = `/s/${shareCode}/files/${files[0]}`;
      const response = await app.anonymous.fetch(path, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([303, `/s/${shareCode}`]);
    }
  });

  test('repeated wrong passwords on the page are rate limited', { tags: 'long' }, async () => {
    const { shareCode } = await share(alice, files, { password });
    const body = (word: string) => ({ method: 'POST', body: new URLSearchParams({ password: word }) });
    const path = `/s/${shareCode}`;
    for (let i = 0; i < 20; i += 1) await app.anonymous.fetch(path, body(`guess ${i}`));
    const response = await app.anonymous.fetch(path, body(password));
    expect([response.status, Number(response.headers.get('retry-after')) > 3000]).toEqual([429, true]);
    expect(await response.text()).toContain('Too many wrong attempts; try again in');
  });
});
