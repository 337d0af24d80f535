// Journeys of error states in the app: a component that throws, addresses that expire, a session that ends, a wrong
// clock, a suspended tab, a full disk. Each shows a message, nothing is lost, and nothing is sent twice.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logout } from '@recordproof/shared/api/auth.ts';
import { errorTable } from '@recordproof/shared/api/errors.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, signIn } from '../support/app-page.ts';
import { gateParts } from '../support/app-uploads.ts';
import { findFreePort } from '../support/child-process.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { sendFile } from '../support/uploads.ts';

const MiB = 1024 * 1024;
const hour = 3_600_000;
const hashWorker = '**/app/assets/hash-worker-*';
const tooBusy = { code: errorTable.SERVICE_UNAVAILABLE.code, message: 'no room', data: null };

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the app during failures' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let folder: string;
  let large: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-app-'));
    large = join(folder, 'large.bin');
    await writeFile(large, randomBytes(20 * MiB)); // four parts
    app = await startApp();
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  type Begun = {
    readonly person: Person;
    readonly page: Page;
    readonly parts: Awaited<ReturnType<typeof gateParts>>;
  };

  async function begin(name: string): Promise<Begun> {
    const person = await app.person(name);
    const { page } = await openAppPage(browser, url);
    await signIn(page, name);
    const parts = await gateParts(page, 1);
    await page.getByLabel('Upload files').setInputFiles(large);
    await expect.poll(parts.stored).toBe(1);
    return { person, page, parts };
  }

  /** Each part was stored once, and the file exists once. */
  async function expectWhole({ page, person, parts }: Begun): Promise<void> {
    await goTo(page, 'Transfers');
    await page.getByText('Done', { exact: true }).waitFor();
    await expect.poll(parts.stored).toBe(4);
    expect((await person.call(listFiles, {})).records).toMatchObject([{ fileName: 'large.bin' }]);
  }

  test('a failed part shows an error and is loaded again on request, and other parts keep working', async () => {
    const eve = await app.person('eve');
    await sendFile(eve, Buffer.from('small'), 'small.txt');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'eve');
    await page.route('**/app/assets/shares-screen-*', route => route.abort());
    await goTo(page, 'Shares');
    await page.getByText('The server does not answer').waitFor();
    await page.unroute('**/app/assets/shares-screen-*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No shares yet' }).waitFor();
    await page.evaluate(() => {
      const write = Number.prototype.toLocaleString;
      Number.prototype.toLocaleString = () => {
        throw new Error('no numbers for a while');
      };
      Object.assign(globalThis, { mend: () => Object.assign(Number.prototype, { toLocaleString: write }) });
    });
    await goTo(page, 'Files');
    await page.getByRole('heading', { name: 'This part of the app has failed' }).waitFor();
    await expectFit(page, 'broken');
    await goTo(page, 'Account');
    await page.getByText('eve@example.org').waitFor();
    await goTo(page, 'Files');
    await page.getByRole('heading', { name: 'This part of the app has failed' }).waitFor();
    await page.evaluate('mend()');
    await page.getByRole('button', { name: 'Show it again' }).click();
    await page.getByText('small.txt').waitFor();
  });

  test('an upload continues when its hash worker can no longer be loaded', async () => {
    const person = await app.person('hal');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'hal');
    await page.route(hashWorker, route => route.abort());
    const parts = await gateParts(page, 4);
    await page.getByLabel('Upload files').setInputFiles(large);
    await expectWhole({ page, person, parts });
  });

  test('a tab frozen longer than its addresses and token are valid resumes, and shows missed events', async () => {
    const { page, person, parts } = await begin('ann');
    const tab = await page.context().newCDPSession(page);
    await tab.send('Page.setWebLifecycleState', { state: 'frozen' });
    await sendFile(person, Buffer.from('meanwhile'), 'meanwhile.txt');
    app.clock.advance(25 * hour);
    await tab.send('Page.setWebLifecycleState', { state: 'active' });
    parts.open();
    await goTo(page, 'Files');
    await page.getByText('meanwhile.txt').waitFor();
    await goTo(page, 'Transfers');
    await page.getByText('Done', { exact: true }).waitFor();
    await expect.poll(parts.stored).toBe(4);
    expect(parts.refused()).toBeGreaterThan(0);
  });

  test('expired upload addresses are renewed, also in a browser with full storage', async () => {
    const begun = await begin('ivy');
    await begun.page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('it is full', 'QuotaExceededError');
      };
    });
    app.clock.advance(25 * hour);
    begun.parts.open();
    await begun.person.login('ivy', testPassword);
    await expectWhole(begun);
    expect(begun.parts.refused()).toBeGreaterThan(0);
  });

  test('a session that ends during an upload requires the password, and the upload continues', async () => {
    const begun = await begin('bea');
    const { page, person, parts } = begun;
    await person.call(logout, { body: { everywhere: true } });
    parts.open();
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, 'bea');
    await person.login('bea', 'correct horse battery');
    await expectWhole(begun);
  });

  test('a download interrupted by the end of a session resumes for its person only', async () => {
    const person = await app.person('eli');
    await app.person('flo');
    await sendFile(person, randomBytes(2 * MiB), 'report.bin');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'eli');
    let asked = 0;
    const hold = () => {
      asked += 1;
    };
    await page.route('**/api/v1/files/*/download', hold);
    await page.getByText('report.bin').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Download', exact: true }).click();
    await expect.poll(() => asked).toBeGreaterThan(0);
    await person.call(logout, { body: { everywhere: true } });
    await page.getByText('Your session has ended').waitFor();
    await page.unroute('**/api/v1/files/*/download', hold);
    await signIn(page, 'eli');
    await goTo(page, 'Transfers');
    await page.getByText('Verified').waitFor();
    await person.login('eli', 'correct horse battery');
    await person.call(logout, { body: { everywhere: true } });
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, 'flo');
    await goTo(page, 'Transfers');
    await page.getByRole('heading', { name: 'No transfers' }).waitFor();
  });

  test('an upload that failed on an unavailable server resumes when the server is back', async () => {
    const env = { RECORDPROOF_PORT: String(await findFreePort()) };
    let own = await startApp({ env });
    await using _own = { [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
    const fay = await own.person('fay');
    const { page } = await openAppPage(browser, own.app.url);
    await signIn(page, 'fay');
    await page.getByText('Live', { exact: true }).waitFor();
    const away = '**/api/v1/upload-sessions/**';
    await page.route(away, route => route.fulfill({ status: 503, headers: { 'retry-after': '3600' }, json: tooBusy }));
    await page.getByLabel('Upload files').setInputFiles(large);
    await goTo(page, 'Transfers');
    await page.getByText('The server is busy or out of space').waitFor();
    await page.unroute(away);
    const { folder: data, clock } = own;
    await own.app[Symbol.asyncDispose]();
    own = await startApp({ folder: data, clock, env });
    await page.getByText('Done', { exact: true }).waitFor();
    expect((await fay.call(listFiles, {})).records).toMatchObject([{ fileName: 'large.bin' }]);
  });

  test('parts of several files share a limited number of connections, so other requests are not delayed', async () => {
    await app.person('gil');
    const other = join(folder, 'other.bin');
    await writeFile(other, randomBytes(20 * MiB));
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'gil');
    const gate = Promise.withResolvers<void>();
    const isPart = (request: Request) => request.url().includes('/api/v1/objects?');
    let [underWay, most] = [0, 0];
    const end = (request: Request) => {
      if (isPart(request)) underWay -= 1;
    };
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    await page.route('**/api/v1/objects?**', async route => {
      underWay += 1;
      most = Math.max(most, underWay);
      await gate.promise;
      await route.continue();
    });
    await page.getByLabel('Upload files').setInputFiles([large, other]);
    await expect.poll(() => most).toBe(3);
    await goTo(page, 'Shares');
    await page.getByRole('heading', { name: 'No shares yet' }).waitFor();
    gate.resolve();
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
    expect(most).toBe(3);
  });

  test('a device with a clock that is wrong by a day signs in, uploads and downloads normally', async () => {
    const person = await app.person('cal');
    await sendFile(person, Buffer.from('of today'), 'today.txt');
    const context = await browser.newContext({ acceptDownloads: true });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const real = Date.now;
      Date.now = () => real() - 86_400_000;
    });
    await page.goto(`${url}/app`);
    await signIn(page, 'cal');
    await page.getByLabel('Upload files').setInputFiles(large);
    await page.getByText('Done', { exact: true }).waitFor();
    await goTo(page, 'Files');
    await page.getByText('today.txt').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Download', exact: true }).click();
    await goTo(page, 'Transfers');
    await page.getByText('Verified').waitFor();
    await page.reload();
    await goTo(page, 'Files');
    await page.getByText('large.bin').waitFor();
  });

  test('a download without enough disk space reports it, and completes once there is space', async () => {
    const person = await app.person('dan');
    await sendFile(person, randomBytes(2 * MiB), 'film.bin');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'dan');
    await page.route(hashWorker, route => route.abort()); // a full disk is simulated in the page only
    await page.evaluate(() => {
      const { arrayBuffer } = Blob.prototype;
      Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('it was not kept', 'NotReadableError'));
      Object.assign(globalThis, { makeRoom: () => Object.assign(Blob.prototype, { arrayBuffer }) });
    });
    await page.getByText('film.bin').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Download', exact: true }).click();
    await goTo(page, 'Transfers');
    await page.getByText('This device has no space left').waitFor();
    await expectFit(page, 'no-room');
    await page.evaluate('makeRoom()');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Try again: film.bin' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('film.bin');
    await page.getByText('Verified').waitFor();
  });
});
