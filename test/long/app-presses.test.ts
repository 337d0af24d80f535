// Clicks per everyday task in the app, against Nextcloud 31.
// Each number is counted from the screen that is open when the task comes up, and compared with the number that the web
// interface of Nextcloud takes for the same result. A press is a click or a key that is not text. docs/performance.md lists
// both numbers.
import { readFileSync } from 'node:fs';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { openAppPage, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { befriend } from '../support/friends.ts';
import { laptop } from '../support/real-proofs.ts';
import { share } from '../support/shares.ts';
import { sendFile, sendMany } from '../support/uploads.ts';

/** Counts in the page itself, so that a press that the driver makes unseen counts, too. */
function countInPage(): void {
  const counter = globalThis as unknown as { presses: number };
  counter.presses = 0;
  const add = () => {
    counter.presses += 1;
  };
  addEventListener('pointerdown', add, true);
  const modifiers = ['Shift', 'Control', 'Alt', 'Meta'];
  addEventListener(
    'keydown',
    ({ key, ctrlKey }) => (ctrlKey || key.length > 1) && !modifiers.includes(key) && add(),
    true,
  );
}

const resetPresses = (page: Page) => page.evaluate(() => Reflect.set(globalThis, 'presses', 0));
const readPresses = (page: Page): Promise<number> => page.evaluate(() => Reflect.get(globalThis, 'presses'));

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'presses for everyday tasks' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp({ env: laptop });
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const row = (page: Page, name: string) => page.getByRole('row').getByTitle(name);

  async function storeVersions(person: Person): Promise<void> {
    const { fileId: targetFileId } = (await sendFile(person, Buffer.from('first text'), 'plan.txt')).data;
    await sendFile(person, Buffer.from('second text'), 'plan.txt', { targetFileId });
  }

  async function deleteOne(page: Page, name: string): Promise<void> {
    await row(page, name).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await inDialog(page, 'Delete').click();
    await page.getByText('1 file moved to the trash.').waitFor();
  }

  async function sendToFriend(page: Page, chooseWay = async () => {}): Promise<void> {
    await row(page, 'one.txt').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Share' }).click();
    await chooseWay();
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByRole('dialog').getByRole('status').waitFor();
  }

  type Task = {
    readonly name: string;
    /** Presses in Nextcloud, and which. */
    readonly others: readonly string[];
    readonly prepare: (person: Person, page: Page) => Promise<void>;
    readonly act: (page: Page, person: Person) => Promise<void>;
  };

  const oneFile = async (person: Person): Promise<void> => {
    await sendFile(person, Buffer.from('one'), 'one.txt');
  };

  const tasks: readonly Task[] = [
    {
      name: 'share a file with a password',
      others: ['Share', 'Create public link', 'Customize link', 'Set password', 'Update share'],
      prepare: oneFile,
      act: async (page, person) => {
        await page.getByLabel('Select one.txt').check();
        await button(page, 'Share').click();
        await page.getByRole('dialog').getByLabel('Password').fill('open sesame');
        await page.getByRole('dialog').locator('button[type=submit]').click();
        await expect.poll(async () => (await person.call(listShares, {})).records.length).toBe(1);
      },
    },
    {
      name: 'move 50 files into a folder',
      others: ['first box', 'Shift and last box', 'Actions', 'Move or copy', 'the folder', 'Move to'],
      prepare: async (person, page) => {
        const files = Array.from({ length: 50 }, (_, at) => ({ bytes: Buffer.from(`${at}`), name: `${at + 10}.txt` }));
        await sendMany(person, files);
        await sendFile(person, Buffer.from('there'), 'there.txt', { path: 'box' });
        await page.getByText('50 files', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'box, 1 file' }).waitFor();
      },
      act: async (page, person) => {
        await page.getByLabel('Select all').click();
        await page.getByText('50 selected').waitFor();
        await button(page, 'Move').click();
        await inDialog(page, 'box').click();
        await button(page, 'Move to box').click();
        const inBox = async () => (await person.call(listFiles, { query: { path: 'box' } })).total;
        await expect.poll(inBox).toBe(51);
      },
    },
    {
      name: 'restore a deleted file',
      others: ['Deleted files', 'Restore'],
      prepare: async (person, page) => {
        await oneFile(person);
        await row(page, 'one.txt').waitFor();
        await deleteOne(page, 'one.txt');
      },
      act: async (page, person) => {
        await page.getByRole('link', { name: 'Trash' }).click();
        await page.getByRole('button', { name: 'Restore: one.txt' }).click();
        await expect.poll(async () => (await person.call(listFiles, {})).total).toBe(1);
      },
    },
    {
      name: 'restore a deleted folder',
      others: ['Deleted files', 'Restore'],
      prepare: async (person, page) => {
        for (const name of ['a.txt', 'b.txt', 'c.txt'])
          await sendFile(person, Buffer.from(name), name, { path: 'box' });
        await page.getByRole('link', { name: 'box, 3 files' }).click();
        await button(page, 'Delete').click();
        await inDialog(page, 'Delete').click();
        await page.getByText('The files of the folder box were moved to the trash.').waitFor();
      },
      act: async (page, person) => {
        await page.getByRole('link', { name: 'Trash' }).click();
        await page.getByRole('button', { name: 'Restore all deleted together' }).click();
        await expect.poll(async () => (await person.call(listFiles, { query: { path: 'box' } })).total).toBe(3);
      },
    },
    {
      name: 'create a folder',
      others: ['New', 'New folder', 'Create'],
      prepare: async () => undefined,
      act: async page => {
        await button(page, 'New folder').click();
        await page.getByLabel('Name', { exact: true }).fill('letters');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'letters, 0 files' }).waitFor();
      },
    },
    {
      name: 'rename a file',
      others: ['menu of the row', 'Rename', 'Enter'],
      prepare: oneFile,
      act: async page => {
        await row(page, 'one.txt').click();
        await page.getByRole('complementary').getByRole('button', { name: 'Rename' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill('two.txt');
        await page.keyboard.press('Enter');
        await row(page, 'two.txt').waitFor();
      },
    },
    {
      name: 'compare a version with the newest',
      others: ['menu of the row', 'Details', 'Versions', 'menu of the version', 'Compare to current version'],
      prepare: storeVersions,
      act: async page => {
        await row(page, 'plan.txt').click();
        await page.getByRole('button', { name: 'Compare with the newest: Version 1' }).click();
        await page.getByRole('dialog').getByText('first text').waitFor();
        await page.getByRole('dialog').getByText('second text').waitFor();
      },
    },
    {
      name: 'restore a version',
      others: ['menu of the row', 'Details', 'Versions', 'menu of the version', 'Restore version'],
      prepare: storeVersions,
      act: async page => {
        await row(page, 'plan.txt').click();
        await page.getByRole('button', { name: 'Restore as newest: Version 1' }).click();
        await inDialog(page, 'Restore as newest').click();
        await page.getByText('Version 3').first().waitFor();
      },
    },
    {
      name: 'receive files from a person without an account',
      others: ['New', 'Create file request', 'Continue', 'Continue', 'Copy link'],
      prepare: async () => undefined,
      act: async page => {
        await button(page, 'Request files').click();
        await page.getByRole('dialog').getByLabel('Title').fill('Papers');
        await inDialog(page, 'Request files').click();
        await page.getByRole('dialog').locator('input[readonly]').waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
      },
    },
    {
      name: 'send another file to a friend',
      others: ['Share', 'the person', 'Save share'],
      prepare: async (person, page) => {
        await befriend(person, await app.person('friend-of-all'));
        await oneFile(person);
        await sendToFriend(page, () => page.getByRole('dialog').getByText('To a friend').click());
        for (const _ of ['dialog', 'panel']) await page.keyboard.press('Escape');
        await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
      },
      // The dialog begins with the way that was used last.
      act: page => sendToFriend(page),
    },
    {
      name: 'download three files as one ZIP',
      others: ['first box', 'second box', 'third box', 'Download'],
      prepare: async (person, page) => {
        for (const name of ['a.txt', 'b.txt', 'c.txt']) await sendFile(person, Buffer.from(name), name);
        await page.getByText('3 files', { exact: true }).waitFor();
      },
      act: async page => {
        await page.getByLabel('Select all').click();
        await page.getByText('3 selected').waitFor();
        const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download ZIP').click()]);
        expect(download.suggestedFilename()).toBe('Files.zip');
      },
    },
    {
      name: 'download and check a received file',
      others: ['Download'],
      prepare: async (person, page) => {
        const { fileHash } = (await sendFile(person, Buffer.from('shared'), 'shared.txt')).data;
        await app.drain();
        const { shareCode } = await share(person, fileHash);
        await page.goto(`${url}/s/${shareCode}`);
      },
      // Its bytes, signature and status are checked with the same press.
      act: async page => {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.locator('a[data-hash]').first().click(),
        ]);
        expect(download.suggestedFilename()).toBe('shared.txt');
        await page.locator('.checked .statement').nth(2).waitFor();
      },
    },
  ];

  const documented = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');

  test.each(tasks)('$name', async ({ name, others, prepare, act }) => {
    const username = name.replaceAll(' ', '-').slice(0, 20);
    const person = await app.person(username);
    const { page, complaints } = await openAppPage(browser, url);
    await page.context().addInitScript(countInPage);
    await page.reload();
    await signIn(page, username);
    await page.getByText('Live', { exact: true }).waitFor();
    await prepare(person, page);
    await resetPresses(page);
    await act(page, person);
    const presses = await readPresses(page);
    expect(presses).toBeGreaterThan(0);
    expect(presses, `not more than ${others.join(', ')}`).toBeLessThanOrEqual(others.length);
    expect(documented).toMatch(
      new RegExp(`^\\| ${name} +\\| ${presses} +\\| ${others.length}: ${others.join(', ')} +\\|$`, 'm'),
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
