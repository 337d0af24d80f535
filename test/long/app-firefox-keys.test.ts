// Journeys of the app in Firefox by keyboard alone: from the sign-in over upload, folder, rename, trash and check to a share.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, dialog, fillByKey, pressByKey, row, tabTo, tray } from '../support/firefox-app.ts';
import type { FirefoxPage } from '../support/firefox-page.ts';
import { laptop } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

const grid = { css: '[role=grid]' };

describe.skipIf(firefoxPath === undefined)(firefoxPath ? 'the app in Firefox by keyboard' : noFirefox, () => {
  let firefox: Firefox;
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-keys-'));
    app = await startApp({ env: laptop });
    firefox = await launchFirefox();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function signInByKeys(name: string): Promise<FirefoxPage> {
    const page = await firefox.newPage();
    await page.goTo(`${app.app.url}/app`);
    await fillByKey(page, { label: 'User name or e-mail address' }, name);
    await fillByKey(page, { label: 'Password' }, testPassword);
    await page.keys('Enter');
    await page.expectCount({ css: '.feed.live' }, 1);
    return page;
  }

  /** Through the list of all commands. */
  async function goByKeys(page: FirefoxPage, part: string): Promise<void> {
    await page.keys('Control+k');
    await page.find({ css: '[role=combobox]' });
    await page.type(part);
    await page.find({ css: '[role=option][aria-selected=true]', text: part });
    await page.keys('Enter');
    await expect.poll(() => page.evaluate('document.title')).toBe(`${part} – RecordProof`);
  }

  const listPaths = async (person: Person) =>
    (await person.call(listFiles, {})).records.map(({ path, fileName }) => `${path ?? ''}/${fileName}`).sort();

  test('a file is uploaded, viewed, checked and shared by keys; a press opens the dialog for files', async () => {
    const ada = await app.person('ada');
    const plan = join(folder, 'plan.txt');
    await writeFile(plan, 'what was agreed');
    const page = await signInByKeys('ada');
    await page.expectText('No files yet');
    await tabTo(page, button('Upload files'));
    await page.chooseInDialog(() => page.keys('Enter'), [plan]);
    await page.find(row('plan.txt'));
    await page.find({ css: tray, text: 'Done' });
    const isProven = async () => {
      app.clock.advance(60_000);
      await app.drain();
      return (await ada.call(listFiles, {})).records.map(({ proofStatus }) => proofStatus);
    };
    await expect.poll(isProven).toEqual(['ISSUED']);
    await tabTo(page, grid);
    await page.keys('v');
    await page.find({ css: 'dialog.viewer h2', text: 'plan.txt' });
    await page.expectText('what was agreed');
    await page.keys('Escape');
    await page.expectCount({ css: 'dialog.viewer' }, 0);
    expect(await page.isFocused(grid)).toBe(true);
    await page.keys('Enter');
    await page.find({ css: 'aside h2', text: 'plan.txt' });
    await pressByKey(page, { role: 'link', name: 'Check it here' });
    await page.expectText('Certificate of verification');
    await tabTo(page, button('Print or save as PDF'));

    await goByKeys(page, 'Files');
    await page.find(row('plan.txt'));
    await tabTo(page, grid);
    await page.keys('Space');
    await page.expectText('1 selected');
    await pressByKey(page, button('Share', '.chosen'));
    await fillByKey(page, { label: 'Password', within: dialog }, 'open sesame');
    await pressByKey(page, button('Create the link', dialog));
    await page.find({ css: `${dialog} input[readonly]` });
    await page.keys('Escape');
    await page.expectCount({ css: dialog }, 0);
    await goByKeys(page, 'Shares');
    await page.expectText('Active');
    await pressByKey(page, button('Cancel share: plan.txt'));
    await pressByKey(page, button('Cancel share', dialog));
    await page.expectText('Cancelled');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('a folder is created, files are renamed, moved, deleted and restored by keys', async () => {
    const kay = await app.person('kay');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await sendFile(kay, Buffer.from(name), name);
    const page = await signInByKeys('kay');
    await page.find(row('a.txt'));
    await pressByKey(page, button('New folder'));
    await fillByKey(page, { label: 'Name', within: dialog }, 'letters');
    await page.keys('Enter');
    await page.find({ role: 'link', name: 'letters, 0 files' });
    await page.expectCount({ css: dialog }, 0);
    await pressByKey(page, button('Name'));
    await page.find({ css: '[role=columnheader][aria-sort=ascending]', text: 'Name' });
    await tabTo(page, grid);
    await page.keys('Home', 'F2');
    await fillByKey(page, { label: 'Name', within: dialog }, 'first.txt');
    await page.keys('Enter');
    await page.find(row('first.txt'));
    await page.expectCount({ css: dialog }, 0);
    expect(await page.isFocused(grid)).toBe(true);
    await page.keys('Control+a');
    await page.expectText('3 selected');
    await page.keys('Delete');
    await pressByKey(page, button('Delete', dialog));
    await page.expectText('3 files moved to the trash.');
    await page.expectCount({ css: dialog }, 0);
    await pressByKey(page, button('Undo'));
    await page.find(row('first.txt'));
    expect(await listPaths(kay)).toEqual(['/b.txt', '/c.txt', '/first.txt']);
    await tabTo(page, grid);
    await page.keys('Home', 'Space');
    await page.expectText('1 selected');
    await page.keys('Delete');
    await pressByKey(page, button('Delete', dialog));
    await page.expectText('1 file moved to the trash.');
    await pressByKey(page, { role: 'link', name: 'Trash' });
    await pressByKey(page, { css: 'button[aria-label^="Restore: "]' });
    await expect.poll(async () => (await listPaths(kay)).length).toBe(3);
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});
