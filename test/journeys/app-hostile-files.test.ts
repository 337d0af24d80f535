// Files that attack the app in a browser: through saved shares, or behind anonymous links.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { openAppPage, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { makeHostilePdf, makePdf, makeScannedPdf } from '../support/pdf.ts';
import { share } from '../support/shares.ts';
import { storeTyped } from '../support/uploads.ts';

const isPdfWorker = (address: string): boolean => address.includes('/pdf-worker');

const countDarkPixels = (canvas: Locator): Promise<number> =>
  canvas.evaluate(async element => {
    const copy = new OffscreenCanvas(300, 120);
    const context = copy.getContext('2d');
    context?.drawImage(element as HTMLCanvasElement, 0, 0, 300, 120);
    const { data = [] } = context?.getImageData(0, 0, 300, 120) ?? {};
    return Array.from(data).filter((value, at) => at % 4 === 0 && value < 100).length;
  });

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'hostile files in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function shareTyped(person: Person, text: string, type: string): Promise<string> {
    const fileHash = await storeTyped(person, Buffer.from(text), 'file.bin', type);
    const { shareCode } = await share(person, fileHash);
    return `/s/${shareCode}/files/${fileHash}`;
  }

  /** Whether a shared script ran in this page, and whether a shared style sheet applied to it. */
  async function attack(page: Page, script: string, styles: string) {
    // As text: the bundler of the tests replaces `import()`.
    const imported = await page.evaluate<boolean>(`import(${JSON.stringify(script)}).then(() => true, () => false)`);
    const seen = await page.evaluate(async href => {
      const link = document.createElement('link');
      const applied = new Promise<boolean>(resolve => {
        link.onload = () => resolve(true);
        link.onerror = () => resolve(false);
      });
      Object.assign(link, { rel: 'stylesheet', href });
      document.head.append(link);
      return { ran: 'hostileScriptRan' in globalThis, applied: await applied };
    }, styles);
    return { imported, ...seen };
  }

  const nothing = { imported: false, ran: false, applied: false };

  test('shared files never run as scripts or apply as style sheets in the app or on other pages', {
    tags: 'long',
  }, async () => {
    const eve = await app.person('eve');
    const script = await shareTyped(eve, 'globalThis.hostileScriptRan = true', 'text/javascript');
    const styles = await shareTyped(eve, 'body { display: none }', 'text/css');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'eve');
    expect(await attack(page, script, styles)).toEqual(nothing);
    for (const path of ['/', '/docs', '/setup', '/verify', script.replace(/\/files.*/, '')]) {
      await page.goto(url + path);
      expect(await attack(page, script, styles), path).toEqual(nothing);
    }
    // Tests the policy alone: another path of this origin answers with a script and a style sheet.
    await page.route(`${url}/planted.js`, route => route.fulfill({ contentType: 'text/javascript', body: '1' }));
    await page.route(`${url}/planted.css`, route => route.fulfill({ contentType: 'text/css', body: 'p {}' }));
    for (const path of ['/app', '/', '/docs', '/setup', '/verify', script.replace(/\/files.*/, '')]) {
      await page.goto(url + path);
      expect(await attack(page, '/planted.js', '/planted.css'), path).toEqual(nothing);
    }
  });

  test('a PDF with a password form and a page-wide link is only drawn, without forms or links', async () => {
    const eve = await app.person('edith');
    const pdf = makeHostilePdf('What was agreed', `${url}/docs?hijacked`);
    await storeTyped(eve, pdf, 'hostile.pdf', 'application/pdf');
    const { page, complaints } = await openAppPage(browser, url);
    const dialogs: string[] = [];
    page.on('dialog', dialog => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    await signIn(page, 'edith');
    await page.getByText('hostile.pdf').waitFor();
    expect(asked.filter(isPdfWorker), 'nothing of it is loaded before').toEqual([]);
    await page.getByText('hostile.pdf').click();
    await page.locator('.preview :is(canvas, iframe)').waitFor();
    await page.locator('.preview').click();
    const shown = page.locator('canvas[aria-label="Page 1 of hostile.pdf"][aria-busy=false]');
    await shown.waitFor();
    expect(await countDarkPixels(shown), 'its text is drawn').toBeGreaterThan(100);
    expect(dialogs).toEqual([]);
    expect(page.url()).toContain(`${url}/app`);
    expect(page.context().pages()).toHaveLength(1);
    expect(asked.filter(isPdfWorker)).toHaveLength(1);
    expect(asked.filter(one => one.includes('hijacked'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('scanned and oversized PDF pages are drawn, and a damaged PDF shows an error', { tags: 'long' }, async () => {
    const eve = await app.person('esther');
    const files: [name: string, bytes: Buffer][] = [
      ['scanned.pdf', makeScannedPdf()],
      ['broken.pdf', Buffer.from('%PDF-1.4\nand nothing more')],
      ['huge.pdf', makePdf('far', { page: '/MediaBox [0 0 1e9 1e9]' })],
    ];
    for (const [name, bytes] of files) await storeTyped(eve, bytes, name, 'application/pdf');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'esther');
    await page.getByText('scanned.pdf').click();
    const scanned = page.locator('canvas[aria-label="Page 1 of scanned.pdf"][aria-busy=false]');
    await scanned.waitFor();
    expect(await countDarkPixels(scanned)).toBe(300 * 120);
    await page.getByText('broken.pdf').click();
    await page.getByText('This PDF cannot be shown here').waitFor();
    await page.getByText('huge.pdf').click();
    await page.locator('canvas[aria-label="Page 1 of huge.pdf"][aria-busy=false]').waitFor();
    expect(complaints).toEqual([]);
  });

  test('shared files also do not run in a page of the origin without a policy', async () => {
    const eve = await app.person('eva');
    const script = await shareTyped(eve, 'globalThis.hostileScriptRan = true', 'text/javascript');
    const styles = await shareTyped(eve, 'body { display: none }', 'text/css');
    const page = await (await browser.newContext()).newPage();
    await page.route(`${url}/bare`, route => route.fulfill({ contentType: 'text/html', body: '<p>bare' }));
    await page.goto(`${url}/bare`);
    expect(await attack(page, script, styles)).toEqual(nothing);
  });
});
