// Journeys of failures in the app: reloads, outages, ended sessions, and files that contain pages.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logout } from '@recordproof/shared/api/auth.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listReceivedShares } from '@recordproof/shared/api/friend-shares.ts';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, signIn } from '../support/app-page.ts';
import { countNoted, holdParts, pickFolderOf } from '../support/app-uploads.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { befriend } from '../support/friends.ts';
import { makePdf } from '../support/pdf.ts';
import { sendFile, storeTyped } from '../support/uploads.ts';

const sendPdf = (person: Person, bytes: Uint8Array, name: string) => storeTyped(person, bytes, name, 'application/pdf');

const MiB = 1024 * 1024;

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the app in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-app-'));
    app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('after a reload an upload requires its file, rejects another one, and sends only missing parts', async () => {
    const ada = await app.person('ada');
    const [path, other] = [join(folder, 'large.bin'), join(folder, 'other', 'large.bin')];
    const bytes = randomBytes(40 * MiB); // eight parts
    await writeFile(path, bytes);
    await mkdir(join(folder, 'other'));
    await writeFile(other, randomBytes(40 * MiB));
    const { page, complaints } = await openAppPage(browser, url);
    page.on('dialog', dialog => dialog.accept());
    await signIn(page, 'ada');
    const parts = await holdParts(page, 5);
    await page.getByLabel('Upload files').setInputFiles(path);
    await expect.poll(() => countNoted(page)).toBe(5);
    await page.reload();
    await goTo(page, 'Transfers');
    await page.getByText('cannot read this file').waitFor();
    await expectFit(page, 'needs-file');
    await parts.release();
    const again = page.locator('input[aria-label="Choose the file: large.bin"]');
    await again.setInputFiles(other);
    await page.getByText('This is not the file of this upload').waitFor();
    await again.setInputFiles(path);
    await page.getByText('Done', { exact: true }).waitFor();
    expect(parts.passed()).toBe(8);
    const { records } = await ada.call(listFiles, {});
    expect(records).toMatchObject([{ fileName: 'large.bin', fileSize: bytes.length }]);
    expect(await page.evaluate(() => Object.keys(localStorage).filter(key => key.includes(':journal:')))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('two tabs opened at the same time each request session, person, files and events once', async () => {
    await app.person('tess');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'tess');
    app.clock.advance(60_000); // after an event of the last seconds, lists are loaded again when the stream begins
    // Counted in each document: the one before a reload may still send some while the reload begins.
    await page.context().addInitScript(() => {
      const [asked, own] = [[] as string[], globalThis.fetch];
      globalThis.fetch = (...request) => {
        asked.push(new Request(...request).url);
        return own(...request);
      };
      Reflect.set(globalThis, 'asked', asked);
    });
    const tabs = [page, await page.context().newPage()];
    await Promise.all(tabs.map(tab => tab.goto(`${url}/app`).then(() => tab.reload())));
    for (const tab of tabs) await tab.getByText('Live', { exact: true }).waitFor();
    for (const tab of tabs) {
      const urls = await tab.evaluate(() => Reflect.get(globalThis, 'asked') as string[]);
      const early = ['auth/browser-session', 'auth/me', 'files', 'files/folders', 'sse/connect'];
      const counted = early.map(path => [path, urls.filter(one => new URL(one).pathname === `/api/v1/${path}`).length]);
      expect(counted).toEqual(early.map(path => [path, 1]));
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('small files are sent in one request, and readable files resume by themselves after a reload', async () => {
    const ida = await app.person('ida');
    const { page, complaints } = await openAppPage(browser, url);
    page.on('dialog', dialog => dialog.accept());
    await signIn(page, 'ida');
    await pickFolderOf(page, { large: 40 * MiB, small: 30 });
    let sets = 0;
    const countSets = (route: Route) => {
      sets += 1;
      return sets === 1 ? undefined : route.continue();
    };
    await page.route('**/api/v1/files/upload/bulk', countSets);
    const parts = await holdParts(page, 5);
    await page.getByRole('button', { name: 'Upload a folder' }).click();
    await expect.poll(() => countNoted(page)).toBe(5);
    await expect.poll(() => sets).toBe(1);
    await goTo(page, 'Transfers');
    await page.getByText('30 files').waitFor();
    await parts.release();
    await page.reload();
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
    await expectFit(page, 'together');
    expect([parts.passed(), sets]).toEqual([8, 2]);
    const { records, total } = await ida.call(listFiles, { query: { size: 100 } });
    expect([total, new Set(records.map(({ fileName }) => fileName)).size]).toEqual([31, 31]);
    expect(new Set(records.map(({ path }) => path))).toEqual(new Set(['photos']));
    const max = await app.person('max');
    await befriend(ida, max);
    const cut = { name: 'film.bin', mimeType: 'application/octet-stream', buffer: randomBytes(1000) };
    await renew(page, cut);
    await untilProven(ida);
    await openPhoto(page, cut.name);
    await checkProof(page, cut, await saveProof(page));
    await page.getByRole('heading', { name: 'The proof holds.' }).waitFor();
    await page.getByRole('heading', { name: 'Certificate of verification' }).waitFor();
    await page.getByText('The issuer’s key came from the server that was queried').waitFor();
    await expectFit(page, 'valid');
    await sendTo(page, 'film.bin', 'max');
    expect((await max.call(listReceivedShares, {})).records).toMatchObject([{ fileCount: 1 }]);
    expect(complaints).toEqual([]);
  });

  type Bytes = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

  async function openPhotos(page: Page): Promise<void> {
    await goTo(page, 'Files');
    await page.getByRole('link', { name: 'photos, 31 files' }).click();
  }

  async function openPhoto(page: Page, name: string): Promise<void> {
    await openPhotos(page);
    await page.getByText(name).click();
  }

  async function openFile(page: Page, name: string): Promise<void> {
    await goTo(page, 'Files');
    await page.getByText(name).click();
  }

  async function renew(page: Page, bytes: Bytes): Promise<void> {
    await openPhoto(page, bytes.name);
    await page.getByLabel('Upload a new version').setInputFiles(bytes);
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(3);
  }

  async function untilProven(person: Person): Promise<void> {
    const waiting = async () => {
      app.clock.advance(60_000);
      await app.drain();
      const { records } = await person.call(listFiles, { query: { size: 100 } });
      return records.filter(({ proofStatus }) => proofStatus !== 'ISSUED').length;
    };
    await expect.poll(waiting).toBe(0);
  }

  /** Of the open file. */
  async function saveProof(page: Page): Promise<string> {
    await page.getByText('In force').waitFor();
    await page.getByRole('button', { name: 'Save the proof' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ]);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const proof = join(folder, download.suggestedFilename());
    await download.saveAs(proof);
    return proof;
  }

  async function checkProof(page: Page, original: Bytes, proof: string): Promise<void> {
    await goTo(page, 'Check a proof');
    await page.getByLabel('The file', { exact: true }).setInputFiles(original);
    await page.getByLabel('Its proof (.zip)').setInputFiles(proof);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
  }

  async function sendTo(page: Page, name: string, friend: string): Promise<void> {
    await openPhotos(page);
    await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Share' }).last().click(); // the first shares the folder
    await page.getByText('To a friend').click();
    await page.getByRole('combobox', { name: 'Friend' }).selectOption(friend);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(`${friend} has the files now.`).waitFor();
  }

  test('an upload is paused, resumed and cancelled', async () => {
    await app.person('pat');
    const path = join(folder, 'paused.bin');
    await writeFile(path, randomBytes(20 * MiB));
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'pat');
    const parts = await holdParts(page, 1);
    await page.getByLabel('Upload files').setInputFiles(path);
    await expect.poll(parts.passed).toBe(1);
    await goTo(page, 'Transfers');
    await page.getByRole('button', { name: 'Pause: paused.bin' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await expectFit(page, 'paused');
    await page.getByRole('button', { name: 'Resume: paused.bin' }).click();
    await page.getByRole('button', { name: 'Cancel: paused.bin' }).click();
    await page.getByRole('heading', { name: 'No transfers' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('files that claim to be pages and names with markup are shown as text', async () => {
    const eve = await app.person('eve');
    const name = '<img src=x onerror=document.title="run">.html';
    const script = '<script>document.title = "run"</script>';
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" onload='document.title="run"'/>`;
    await sendFile(eve, Buffer.from(script), name);
    await sendFile(eve, Buffer.from(picture), 'drawing.svg', { path: '<b>bold' });
    await sendFile(eve, Buffer.from('MZ'), 'photo\u202egpj.exe');
    await sendPdf(eve, Buffer.from(script), 'no.pdf');
    await sendPdf(eve, makePdf('What was agreed'), 'pages.pdf');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'eve');
    for (const shown of [name, 'drawing.svg']) {
      if (shown === 'drawing.svg') await page.getByRole('link', { name: '<b>bold, 1 file' }).click();
      await page.getByText(shown).first().click();
      await page.getByText('Version 1').waitFor();
      expect(await page.locator('.preview, iframe').count()).toBe(0);
      expect(await page.locator('main b, main img').count()).toBe(0);
    }
    await goTo(page, 'Files');
    await page.getByText('photo\ufffdgpj.exe').click();
    await page.getByRole('heading', { name: 'photo\ufffdgpj.exe' }).waitFor();
    await page.getByText('no.pdf').click();
    await page.getByText('has the type PDF, but it is not a PDF').waitFor();
    await page.getByText('pages.pdf').click();
    await page.locator('canvas[aria-label="Page 1 of pages.pdf"][aria-busy=false]').waitFor();
    await expectFit(page, 'pdf');
    expect(await page.locator('iframe').count(), 'its pages are pixels').toBe(0);
    expect(await page.title()).toBe('Files – RecordProof');
    expect(complaints).toEqual([]);
  });

  test('a proof is verified on the device alone, without requests, and stays INDETERMINATE', async () => {
    const una = await app.person('una');
    const contract = { name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('what was agreed') };
    await sendFile(una, contract.buffer, contract.name);
    await untilProven(una);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'una');
    await openFile(page, contract.name);
    const proof = await saveProof(page);
    await expectFit(page, 'proof');
    await goTo(page, 'Check a proof');
    await page.getByLabel(`Ask ${url}`).uncheck();
    let asked = 0;
    page.on('request', request => {
      if (request.url().includes('/public/')) asked += 1;
    });
    await checkProof(page, contract, proof);
    await page.getByText('No trusted key was given').first().waitFor();
    expect(asked).toBe(0);
    await page.getByRole('heading', { name: 'Verification report, not a certificate' }).waitFor();
    await expectFit(page, 'report');
    await page.emulateMedia({ media: 'print' });
    expect(
      await page
        .getByRole('navigation')
        .or(page.getByRole('button', { name: 'Print' }))
        .filter({ visible: true })
        .count(),
    ).toBe(0);
    if (process.env.SCREENSHOTS) await page.pdf({ path: join(process.env.SCREENSHOTS, 'certificate.pdf') });
    await page.emulateMedia({ media: 'screen' });
    await checkProof(page, { ...contract, buffer: Buffer.from('what was not agreed') }, proof);
    await page.getByRole('heading', { name: 'The proof does not hold.' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('an unreachable server is reported, and the app continues when it is back', async () => {
    await app.person('olga');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'olga');
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('No connection; trying again').waitFor();
    await goTo(page, 'Shares');
    await page.getByText('The server does not answer. Check your connection').waitFor();
    await expectFit(page, 'offline');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No shares yet' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('a session ended elsewhere ends in every window with a message', async () => {
    const tim = await app.person('tim');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'tim');
    const second = await page.context().newPage();
    await second.goto(`${url}/app`);
    await goTo(second, 'Account');
    await second.getByRole('button', { name: 'Sign out', exact: true }).click();
    await second.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, 'tim');
    await tim.call(logout, { body: { everywhere: true } });
    await page.getByText('Your session has ended').waitFor();
  });

  test('a window keeps its account when another window signs in to another one', async () => {
    const amy = await app.person('amy');
    await app.person('ben');
    const { page } = await openAppPage(browser, url);
    const beside = await page.context().newPage();
    await beside.goto(`${url}/app`);
    await signIn(page, 'amy');
    await signIn(beside, 'ben');
    await amy.call(logout, { body: { everywhere: true } });
    await page.getByText('Your session has ended').waitFor();
    await goTo(beside, 'Account');
    await beside.getByText('ben@example.org').waitFor();
  });

  test('an upload cancelled in one window ends in the window that sends it', async () => {
    await app.person('cat');
    const path = join(folder, 'twice.bin');
    await writeFile(path, randomBytes(20 * MiB));
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'cat');
    const parts = await holdParts(page, 1);
    const beside = await page.context().newPage();
    await beside.goto(`${url}/app`);
    await goTo(beside, 'Transfers');
    await beside.getByRole('heading', { name: 'No transfers' }).waitFor();
    await page.getByLabel('Upload files').setInputFiles(path);
    await expect.poll(parts.passed).toBe(1);
    await goTo(page, 'Transfers');
    await beside.getByText('In another window').waitFor();
    await page.context().setOffline(true);
    await page.getByText('Waiting for the server').waitFor();
    expect(await page.getByText('left', { exact: false }).count()).toBe(0);
    await page.context().setOffline(false);
    await beside.getByRole('button', { name: 'Cancel: twice.bin' }).click();
    await page.getByRole('heading', { name: 'No transfers' }).waitFor();
    await beside.getByRole('heading', { name: 'No transfers' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
