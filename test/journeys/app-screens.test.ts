// Journeys of the app that the server serves, in a real browser: from an account to a proof, through visible labels and
// controls.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getFile, listFiles } from '@recordproof/shared/api/files.ts';
import { createShare } from '@recordproof/shared/api/shares.ts';
import { createTenant } from '@recordproof/shared/api/tenants.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, signIn } from '../support/app-page.ts';
import { dropOnto } from '../support/app-uploads.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import * as pictures from '../support/pictures.ts';
import { sendFile, sendMany } from '../support/uploads.ts';

if (chromiumPath === undefined) console.warn(`The app is not looked at: ${noChromium}.`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the app in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-app-'));
    app = await startApp();
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('an account is created with a mailed code, its session survives a reload, and ends on sign-out', {
    tags: 'long',
  }, async () => {
    const gina = await app.person('gina');
    const given = (await sendFile(gina, Buffer.from('for grace'), 'gift.txt')).data.fileHash;
    const body = { fileHash: [given], expireMinutes: 60, shareType: 1 as const };
    const { shareCode } = await gina.call(createShare, { body });
    const { page, complaints } = await openAppPage(browser, url);
    await page.goto(`${url}/app#/share/${shareCode}`);
    const toAccount = page.getByRole('link', { name: 'Create an account' });
    await toAccount.waitFor();
    await expectFit(page, 'sign-in');
    await toAccount.click();
    await page.getByLabel('E-mail address').fill('grace@example.org');
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.getByLabel('Code from the e-mail').waitFor();
    await page.getByLabel('Code from the e-mail').fill(await app.mailedCode('grace@example.org'));
    await page.getByLabel('User name').fill('grace');
    await page.getByLabel('New password').fill(testPassword);
    await expectFit(page, 'register');
    await page.getByRole('button', { name: 'Create the account' }).click();
    // The share that led here.
    await page.getByText('gift.txt').waitFor();
    await goTo(page, 'Files');
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
    await expectFit(page, 'files-empty');
    await page.reload();
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
    expect(
      await page.evaluate(() => [document.cookie, Object.keys(localStorage).filter(key => /token/.test(key))]),
    ).toEqual(['', []]);
    await goTo(page, 'Account');
    await page.getByText('grace@example.org').waitFor();
    await page.getByText(' of ').first().waitFor();
    await expectFit(page, 'account');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a person who joins a second tenant is told the name that signs in, and again after a failed sign-in', {
    tags: 'long',
  }, async () => {
    const root = await app.person('root', { isInstallationAdmin: true });
    const { invitation } = await root.call(createTenant, { body: { name: 'acme' } });
    const { page, complaints } = await openAppPage(browser, url);
    await page.goto(invitation?.link ?? '');
    await page.getByLabel('E-mail address').fill('eve@example.org');
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.getByLabel('Code from the e-mail').waitFor();
    await page.getByLabel('Code from the e-mail').fill(await app.mailedCode('eve@example.org'));
    await page.getByLabel('User name').fill('eve');
    await page.getByLabel('New password').fill(testPassword);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByText('Sign in as acme/eve').waitFor();
    await expectFit(page, 'joined');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await goTo(page, 'Account');
    await page.getByText('acme/eve').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('User name or e-mail address').fill('eve');
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.keyboard.press('Enter');
    await page.getByText('sign in as tenant/name').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a wrong password is reported beside the form, and a forgotten one is reset', { tags: 'long' }, async () => {
    await app.person('linus');
    const { page, complaints } = await openAppPage(browser, url);
    await page.getByLabel('User name or e-mail address').fill('linus');
    await page.getByLabel('Password', { exact: true }).fill('not the one');
    await page.keyboard.press('Enter');
    await page.getByText('User name or password is wrong.').waitFor();
    await page.getByRole('link', { name: 'Forgot the password?' }).click();
    await page.getByLabel('E-mail address', { exact: true }).fill('linus@example.org');
    await page.keyboard.press('Enter');
    await page.getByLabel('Code from the e-mail').waitFor();
    await page.getByLabel('Code from the e-mail').fill(await app.mailedCode('linus@example.org'));
    await page.getByLabel('New password').fill('a better horse battery');
    await expectFit(page, 'reset');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The new password is set').waitFor();
    await signIn(page, 'linus', 'a better horse battery');
    expect(complaints).toEqual([]);
  });

  test('a file is uploaded, found, previewed, downloaded with a watermark, versioned, shared and deleted', async () => {
    const ada = await app.person('ada');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'ada');
    const bytes = randomBytes(5 * 1024 * 1024);
    await page.getByLabel('Upload files').setInputFiles([
      { name: 'report.bin', mimeType: 'application/octet-stream', buffer: bytes },
      { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from(pictures.png) },
    ]);
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
    await expectFit(page, 'transfers');
    const { records } = await ada.call(listFiles, {});
    expect(records.map(({ fileName }) => fileName).sort()).toEqual(['picture.png', 'report.bin']);
    await goTo(page, 'Files');
    await page.getByText('picture.png').click();
    await page.getByRole('img', { name: 'picture.png' }).waitFor();
    await page.getByText('Version 1').waitFor();
    await expectFit(page, 'file');
    await page.keyboard.press('Escape');
    await downloadAndCompare(page, 'report.bin', bytes);
    await makeVersion(page, ada);
    await shareAndEnd(page);
    await goTo(page, 'Files');
    await page.getByText('report.bin').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 file moved to the trash.').waitFor();
    expect((await ada.call(listFiles, {})).records.map(({ fileName }) => fileName)).toEqual(['picture.png']);
    expect(complaints).toEqual([]);
  });

  test('files stored elsewhere appear at once, folders open their contents, and a search filters them', {
    tags: 'long',
  }, async () => {
    const mary = await app.person('mary');
    await sendFile(mary, Buffer.from('one'), 'one.txt', { path: '2026/letters' });
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'mary');
    await page.getByRole('link', { name: '2026, 1 file' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await sendFile(mary, Buffer.from('two'), 'two.txt', { path: '2026/notes' });
    await page.getByRole('link', { name: '2026, 2 files' }).click();
    await page.getByRole('link', { name: 'notes, 1 file' }).click();
    await page.getByText('two.txt').waitFor();
    await expectFit(page, 'folder');
    await page.getByRole('link', { name: 'All files' }).first().click();
    await page.getByRole('link', { name: '2026, 2 files' }).waitFor();
    await page.getByLabel('Search files').fill('one');
    await expect.poll(() => page.getByText('two.txt').count()).toBe(0);
    await page.getByText('one.txt').waitFor();
    await page.getByLabel('Search files').fill('nowhere');
    await page.getByText('No file has a name or a hash that matches “nowhere”.').waitFor();
    await page.getByLabel('Search files').fill('');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Type').selectOption('Images');
    await page.getByText('No file matches these filters.').waitFor();
    await page.getByLabel('Type').selectOption('Any');
    await page.getByLabel('Size').selectOption('at least 1 MiB');
    await page.reload();
    await page.getByText('No file matches these filters.').waitFor();
    await expectFit(page, 'filters');
    expect(complaints).toEqual([]);
  });

  test('folders are created, renamed and moved; files move by drag, keys and dialog, and leave the trash', {
    tags: 'long',
  }, async () => {
    const fritz = await app.person('fritz');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await sendFile(fritz, Buffer.from(name), name);
    await sendFile(fritz, Buffer.from('other'), 'a.txt', { path: 'box' });
    const paths = async () =>
      (await fritz.call(listFiles, { query: { sort: 'fileName,asc' } })).records
        .map(({ path, fileName }) => `${path ?? ''}/${fileName}`)
        .sort();
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'fritz');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('letters');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const letters = page.getByRole('link', { name: 'letters, 0 files' });
    await letters.waitFor();
    await page.getByRole('row').getByTitle('c.txt').dragTo(letters);
    await page.getByRole('link', { name: 'letters, 1 file' }).waitFor();
    const grid = page.getByRole('grid', { name: 'Files' });
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await grid.focus();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByLabel('Name').fill('first.txt');
    await page.keyboard.press('Enter');
    await page.getByTitle('first.txt').waitFor();
    await page.getByLabel('Select b.txt').check();
    await page.getByLabel('Select first.txt').check();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'letters' }).click();
    await expectFit(page, 'move');
    await page.getByRole('button', { name: 'Move to letters' }).click();
    await page.getByRole('link', { name: 'letters, 3 files' }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('post');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Folders here' }).getByRole('link', { name: 'post' }).waitFor();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'box' }).click();
    await page.getByRole('button', { name: 'Move to box' }).click();
    await expect.poll(paths).toEqual(['box/a.txt', 'box/post/b.txt', 'box/post/c.txt', 'box/post/first.txt']);
    await page.getByRole('link', { name: 'box, 4 files' }).click();
    await page.getByRole('link', { name: 'post, 3 files' }).click();
    await page.getByRole('row').getByTitle('b.txt').waitFor();
    await grid.focus();
    await page.keyboard.press('Control+a');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('3 files moved to the trash.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row').getByTitle('b.txt').waitFor();
    await expect.poll(paths).toHaveLength(4);
    const deleteFolder = async () => {
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('The files of the folder post were moved to the trash.').waitFor();
    };
    await deleteFolder();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'post, 3 files' }).click();
    await expect.poll(paths).toHaveLength(4);
    await deleteFolder();
    await expect.poll(paths).toEqual(['box/a.txt']);
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByText('can be restored until').first().waitFor();
    await expectFit(page, 'trash');
    await page.getByRole('button', { name: 'Restore: b.txt' }).click();
    await expect.poll(paths).toEqual(['box/a.txt', 'box/post/b.txt']);
    await page.getByRole('button', { name: 'Empty the trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Empty the trash' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a name conflict becomes a new version, a numbered name or is skipped, decided once for all', {
    tags: 'long',
  }, async () => {
    const nina = await app.person('nina');
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) await sendFile(nina, Buffer.from(`old ${name}`), name);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'nina');
    const files = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(name => {
      return { name, mimeType: 'text/plain', buffer: Buffer.from(`new ${name}`) };
    });
    await page.getByLabel('Upload files').setInputFiles(files);
    await page.getByRole('heading', { name: 'a.txt is there already' }).waitFor();
    await expectFit(page, 'name-taken');
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByRole('heading', { name: 'b.txt is there already' }).waitFor();
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByLabel('Do the same for 1 other file').check();
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
    const { records } = await nina.call(listFiles, { query: { sort: 'fileName,asc' } });
    expect(records.map(({ fileName, version }) => `${fileName} ${version}`)).toEqual([
      'a.txt 2',
      'b (2).txt 1',
      'b.txt 1',
      'c.txt 1',
      'd.txt 1',
    ]);
    expect(complaints).toEqual([]);
  });

  test('dropped files and folders are uploaded to their paths below the current folder', { tags: 'long' }, async () => {
    const dora = await app.person('dora');
    await sendFile(dora, Buffer.from('there'), 'there.txt', { path: '2026' });
    await mkdir(join(folder, 'trip', 'rome'), { recursive: true });
    await writeFile(join(folder, 'trip', 'plan.txt'), 'first here, then there');
    await writeFile(join(folder, 'trip', 'rome', 'forum.txt'), 'a picture');
    await writeFile(join(folder, 'alone.txt'), 'by itself');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'dora');
    await page.getByRole('link', { name: '2026, 1 file' }).click();
    await page.getByRole('navigation', { name: 'Folders here' }).getByRole('link', { name: '2026' }).waitFor();
    await dropOnto(page, [join(folder, 'trip'), join(folder, 'alone.txt')]);
    await goTo(page, 'Transfers');
    await page.getByText('3 files', { exact: true }).waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    const { records } = await dora.call(listFiles, {});
    expect(records.map(({ path, fileName }) => `${path}/${fileName}`).sort()).toEqual([
      '2026/alone.txt',
      '2026/there.txt',
      '2026/trip/plan.txt',
      '2026/trip/rome/forum.txt',
    ]);
    expect(complaints).toEqual([]);
  });

  test('files are focused, selected and opened by keyboard alone', { tags: 'long' }, async () => {
    const kay = await app.person('kay');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await sendFile(kay, Buffer.from(name), name);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'kay');
    const grid = page.getByRole('grid', { name: 'Files' });
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press(' ');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press(' ');
    await page.getByText('2 selected').waitFor();
    await expectFit(page, 'selection');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByRole('heading', { name: 'a.txt' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('the second click of a double click opens and selects no other file, and the list stays where it is', {
    tags: 'long',
  }, async () => {
    const dan = await app.person('dan');
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) await sendFile(dan, Buffer.from(name), name);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'dan');
    const panel = page.getByRole('complementary');
    const grid = page.getByRole('grid', { name: 'Files' });
    const top = async () => (await grid.boundingBox())?.y ?? 0;
    const doubleClick = async (name: string) => {
      const box = await page.getByRole('row').getByTitle(name).boundingBox();
      if (!box) throw new Error(`${name} is not shown`);
      await page.mouse.dblclick(box.x + 5, box.y + 5);
    };
    await page.getByRole('row').getByTitle('a.txt').waitFor();
    const before = await top();
    await doubleClick('a.txt');
    await panel.getByRole('heading', { name: 'a.txt' }).waitFor();
    expect(await top()).toBe(before);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });

    // Too narrow for the header in one line beside the panel: the list moves, and another row is under the pointer.
    await page.setViewportSize({ width: 1000, height: 800 });
    const there = await top();
    await doubleClick('a.txt');
    await panel.getByRole('heading', { name: 'a.txt' }).waitFor();
    await panel.getByText('Version 1').waitFor();
    expect(await top()).toBeGreaterThan(there + 20);
    expect(await panel.getByRole('heading', { level: 2 }).first().textContent()).toBe('a.txt');
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByLabel('Select b.txt').dblclick();
    await page.getByText('1 selected').waitFor();
    expect(await page.getByLabel('Select b.txt').isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('an address of a folder, file or screen that does not exist says so, and leads back to all files', {
    tags: 'long',
  }, async () => {
    const mia = await app.person('mia');
    const { data } = await sendFile(mia, Buffer.from('here'), 'here.txt', { path: 'box' });
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'mia');
    const toAll = page.getByRole('main').getByRole('link', { name: 'All files' });
    for (const [address, heading] of [
      ['files?folder=nope', 'There is no such folder'],
      ['files/99999', 'There is no such file'],
      ['nope', 'Page not found'],
    ] as const) {
      await page.goto(`${url}/app#/${address}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      for (const action of ['Rename', 'Delete', 'Seal'])
        expect(await page.getByRole('button', { name: action }).count(), `${address}: ${action}`).toBe(0);
      await expectFit(page, `missing-${address.replace(/\W/g, '-')}`);
      await toAll.click();
      await page.getByRole('link', { name: 'box, 1 file' }).waitFor();
    }
    await page.goto(`${url}/app#/files?file=${'0'.repeat(64)}`);
    await page.getByRole('complementary').getByRole('heading', { name: 'There is no such file' }).waitFor();
    await expectFit(page, 'missing-file');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    // A file that has moved is shown all the same; a folder that appears is.
    await page.goto(`${url}/app#/files?folder=nope&file=${data.fileHash}`);
    await page.getByRole('complementary').getByRole('heading', { name: 'here.txt' }).waitFor();
    await page.getByRole('heading', { name: 'There is no such folder' }).waitFor();
    await sendFile(mia, Buffer.from('new'), 'new.txt', { path: 'nope' });
    await page.getByRole('row').getByTitle('new.txt').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a range and all files are selected with their count; a search clears it and is in the address', {
    tags: 'long',
  }, async () => {
    const rana = await app.person('rana');
    const named = (at: number) => `${String(at).padStart(3, '0')} ${'minutes of a long meeting '.repeat(4)}.txt`;
    const all = Array.from({ length: 230 }, (_, at) => ({ bytes: Buffer.from(String(at)), name: named(at) }));
    for (const start of [0, 100, 200]) await sendMany(rana, all.slice(start, start + 100));
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'rana');
    const grid = page.getByRole('grid', { name: 'Files' });
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByLabel(`Select ${named(1)}`).check();
    await page.getByLabel(`Select ${named(4)}`).click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await grid.focus();
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('230 selected').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('A share holds at most 100 files, and 230 are selected.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Select all').click();
    await expect.poll(() => page.getByText('selected').count()).toBe(0);
    await page.getByLabel('Select all').click();
    await page.getByText('230 selected').waitFor();
    await page.getByLabel('Search files').fill('007');
    await page.getByText('1 file', { exact: true }).waitFor();
    expect(await page.getByText('selected').count()).toBe(0);
    await page.getByLabel(`Select ${named(7)}`).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByTitle(named(7)).waitFor();
    await expectFit(page, 'delete-dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('row').getByTitle(named(7)).click();
    await page
      .getByRole('complementary')
      .getByRole('heading', { name: named(7).slice(0, 20) })
      .waitFor();
    await page.reload();
    await page
      .getByRole('complementary')
      .getByRole('heading', { name: named(7).slice(0, 20) })
      .waitFor();
    expect(await page.getByLabel('Search files').inputValue()).toBe('007');
    await page.goBack();
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await page.setViewportSize({ width: 820, height: 800 });
    const name = page.getByRole('row').getByTitle(named(7));
    const box = await name.boundingBox();
    expect(box?.width).toBeGreaterThan(250);
    expect(await name.locator('span').last().textContent()).toMatch(/\.txt$/);
    expect(complaints).toEqual([]);
  });

  test('the app is shown in Chinese, and in English when selected', { tags: 'long' }, async () => {
    await app.person('lin');
    const { page, complaints } = await openAppPage(browser, url, { locale: 'zh-CN' });
    await page.getByLabel('用户名或邮箱地址').fill('lin');
    await page.getByLabel('密码', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByRole('heading', { name: '还没有文件' }).waitFor();
    await page.getByRole('link', { name: '账户' }).click();
    await page.getByText('English').click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    const [listed] = await Promise.all([page.waitForRequest(/\/api\/v1\/files\?/), goTo(page, 'Files')]);
    expect((await listed.allHeaders())['accept-language'], 'the language of mails').toBe('en');
    expect(complaints).toEqual([]);
  });

  async function downloadAndCompare(page: import('playwright-core').Page, name: string, bytes: Buffer): Promise<void> {
    await page.getByText(name).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('complementary').getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const parts: Buffer[] = [];
    for await (const part of await download.createReadStream()) parts.push(part as Buffer);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    await goTo(page, 'Transfers');
    await page.getByText('Verified').waitFor();
    await expectFit(page, 'verified');
    await goTo(page, 'Files');
  }

  async function makeVersion(page: import('playwright-core').Page, ada: Person): Promise<void> {
    await page.getByText('report.bin').click();
    await page.getByLabel('Upload a new version').setInputFiles({
      name: 'report.bin',
      mimeType: 'application/octet-stream',
      buffer: randomBytes(1000),
    });
    await goTo(page, 'Transfers');
    await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBeGreaterThanOrEqual(4);
    const { records } = await ada.call(listFiles, { query: { sort: 'fileName,desc' } });
    expect(await ada.call(getFile, { params: { hash: records[0]?.fileHash ?? '' } })).toMatchObject({ version: 2 });
    await goTo(page, 'Files');
  }

  async function shareAndEnd(page: import('playwright-core').Page): Promise<void> {
    await page.getByLabel('Select report.bin').check();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('1 day').click();
    await expectFit(page, 'share-dialog');
    await page.getByRole('button', { name: 'Create the link' }).click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    const { status } = await fetch(link);
    expect(status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await goTo(page, 'Shares');
    await page.getByText('Active').waitFor();
    await page.getByRole('button', { name: 'Log: report.bin' }).click();
    await page.getByText('A visitor opened it').waitFor();
    await page.keyboard.press('Escape');
    await expectFit(page, 'shares');
    await page.getByRole('button', { name: 'Cancel share: report.bin' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel share' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    expect((await fetch(link)).status).toBe(410);
  }
});
