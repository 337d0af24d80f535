// Journeys of the app in Chromium at the width of a phone, by touch: folders, the trash, names that are taken, search,
// the check of an own file, and shares that are changed.
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { openAppPage, phone, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { laptop } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the app on a phone' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ env: laptop });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function open(username: string) {
    const opened = await openAppPage(browser, app.app.url, { viewport: phone, hasTouch: true, isMobile: true });
    await signIn(opened.page, username);
    return opened;
  }

  const listPaths = async (person: Person) =>
    (await person.call(listFiles, {})).records.map(({ path, fileName }) => `${path ?? ''}/${fileName}`).sort();

  const tap = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).tap();
  const tapIn = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).tap();
  const tapLink = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).tap();

  async function expectInWidth(page: Page, name: string): Promise<void> {
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(phone.width);
  }

  test('folders, the trash, a name that is taken and a search, by touch', async () => {
    const pia = await app.person('pia');
    for (const name of ['a.txt', 'b.txt']) await sendFile(pia, Buffer.from(name), name);
    const { page, complaints } = await open('pia');
    await page.getByTitle('b.txt').waitFor();
    await tap(page, 'New folder');
    await page.getByLabel('Name', { exact: true }).fill('letters');
    await expectInWidth(page, 'new folder');
    await tap(page, 'Create');
    await page.getByLabel('Select a.txt').tap();
    await tap(page, 'Move');
    await tapIn(page, 'letters');
    await expectInWidth(page, 'move');
    await tapIn(page, 'Move to letters');
    await tapLink(page, 'letters, 1 file');
    await page.getByTitle('a.txt').waitFor();
    await expectInWidth(page, 'folder');

    await tap(page, 'Delete');
    await tapIn(page, 'Delete');
    await page.getByText('The files of the folder letters were moved to the trash.').waitFor();
    await expectInWidth(page, 'undo');
    await tap(page, 'Undo');
    await page.getByRole('link', { name: 'letters, 1 file' }).waitFor();
    await page.getByTitle('b.txt').tap();
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).tap();
    await tapIn(page, 'Delete');
    await page.getByText('1 file moved to the trash.').waitFor();
    expect(await listPaths(pia)).toEqual(['letters/a.txt']);
    await tapLink(page, 'Trash');
    await page.getByText('can be restored until').waitFor();
    await expectInWidth(page, 'trash');
    await tap(page, 'Restore: b.txt');
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    await tapLink(page, 'All files');

    const buffer = Buffer.from('another');
    await page.getByLabel('Upload files').setInputFiles([{ name: 'b.txt', mimeType: 'text/plain', buffer }]);
    await page.getByRole('heading', { name: 'b.txt is there already' }).waitFor();
    await expectInWidth(page, 'name taken');
    await tapIn(page, 'Keep both');
    await page.getByTitle('b (2).txt').waitFor();
    await page.getByLabel('Search files').fill('(2)');
    await page.getByRole('row').getByTitle('b.txt').waitFor({ state: 'detached' });
    await tap(page, 'Filters');
    await page.getByLabel('Type').selectOption('Images');
    await page.getByText('No file matches these filters.').waitFor();
    await expectInWidth(page, 'filters');
    await tap(page, 'Clear filters');
    await page.getByTitle('b (2).txt').waitFor();
    expect(await listPaths(pia)).toEqual(['/b (2).txt', '/b.txt', 'letters/a.txt']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a file is checked, and a share is created, changed and ended, by touch', async () => {
    const vera = await app.person('vera');
    await sendFile(vera, Buffer.from('what was agreed'), 'contract.txt');
    await app.drain();
    const { page, complaints } = await open('vera');
    await page.getByTitle('contract.txt').tap();
    await tapLink(page, 'Check it here');
    await page.getByRole('heading', { name: 'Certificate of verification' }).waitFor();
    await page.getByText('VALID', { exact: true }).waitFor();
    await expectInWidth(page, 'certificate');
    const [certificate] = await Promise.all([page.waitForEvent('download'), tap(page, 'Save as a file')]);
    expect(certificate.suggestedFilename()).toBe('contract.txt.certificate.html');

    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Files' }).tap();
    await page.getByLabel('Select contract.txt').tap();
    await tap(page, 'Share');
    await page.getByRole('dialog').getByLabel('Password').fill('open sesame');
    await expectInWidth(page, 'share');
    await tapIn(page, 'Create the link');
    await page.getByRole('dialog').locator('input[readonly]').waitFor();
    await tapIn(page, 'Close');
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Shares' }).tap();
    await tap(page, 'Change: contract.txt');
    await page.getByRole('dialog').getByLabel('Maximum number of opens').fill('7');
    await expectInWidth(page, 'change');
    await page.getByRole('dialog').locator('button[type=submit]').tap();
    await page.getByText('opened 0 of 7 times').waitFor();
    expect((await vera.call(listShares, {})).records).toMatchObject([{ maxAccesses: 7, hasPassword: true }]);
    await tap(page, 'Cancel share: contract.txt');
    await tapIn(page, 'Cancel share');
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expectInWidth(page, 'shares');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
