// Journeys of the app by keyboard alone, from the sign-in screen to the settings: no pointer is used, and the focus is
// always visible.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getFile, listFiles } from '@recordproof/shared/api/files.ts';
import { listReceivedShares } from '@recordproof/shared/api/friend-shares.ts';
import { acceptFriendRequest, listAllFriends, listReceivedRequests } from '@recordproof/shared/api/friends.ts';
import { listConversations } from '@recordproof/shared/api/messages.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { Keys } from '../support/app-keys.ts';
import { openAppPage } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { laptop } from '../support/real-proofs.ts';

const plan = (text: string) => ({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the app by keyboard' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-keys-'));
    app = await startApp({ env: laptop });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('every task from sign-in over upload, version, proof, share and message works by keyboard', async () => {
    const [ada, bob] = [await app.person('ada'), await app.person('bob')];
    const { page, complaints } = await openAppPage(browser, app.app.url);
    // The browser's dialog for file handles cannot be answered from here; the one for files can.
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'showOpenFilePicker'));
    await page.reload();
    const keys = new Keys(page);
    await signInByKeys(keys);
    await uploadByKeys(keys, ada);
    await proveByKeys(keys, ada);
    await shareByKeys(keys);
    await befriendByKeys(keys, bob);
    await talkByKeys(keys, bob);
    await settleByKeys(keys);
    expect(complaints).toEqual([]);
  });

  async function signInByKeys(keys: Keys): Promise<void> {
    const { page } = keys;
    await keys.fill(page.getByLabel('User name or e-mail address'), 'ada');
    await keys.fill(page.getByLabel('Password', { exact: true }), testPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  }

  const details = (page: Page) => page.getByRole('complementary');

  /** The focused row of the list. */
  async function openRow(keys: Keys, name: string): Promise<void> {
    const { page } = keys;
    await keys.tabTo(page.getByRole('grid', { name: 'Files' }));
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await details(page).getByRole('heading', { name }).waitFor();
  }

  async function uploadByKeys(keys: Keys, ada: Person): Promise<void> {
    const { page } = keys;
    await keys.choose(page.getByRole('button', { name: 'Upload files' }), plan('the first draft'));
    await page.getByText('Done', { exact: true }).waitFor();
    await keys.goTo('Transfers');
    await keys.press(page.getByRole('button', { name: 'Clear finished' }));
    await page.getByRole('heading', { name: 'No transfers' }).waitFor();
    await keys.expectKept();
    await keys.goTo('Files');
    await openRow(keys, 'plan.txt');
    await page.keyboard.press('Escape');
    await expect.poll(() => details(page).count()).toBe(0);
    // Back in the list, at the row of before.
    await page.keyboard.press('Enter');
    await details(page).getByRole('heading', { name: 'plan.txt' }).waitFor();
    await keys.choose(page.getByRole('button', { name: 'Upload a new version' }), plan('the second draft'));
    await page.getByText('Done', { exact: true }).waitFor();
    await details(page).getByText('the second draft').waitFor();
    await keys.expectKept();
    const { records } = await ada.call(listFiles, {});
    expect(await ada.call(getFile, { params: { hash: records[0]?.fileHash ?? '' } })).toMatchObject({ version: 2 });
  }

  async function proveByKeys(keys: Keys, ada: Person): Promise<void> {
    const { page } = keys;
    const waiting = async () => {
      app.clock.advance(60_000);
      await app.drain();
      return (await ada.call(listFiles, {})).records.filter(({ proofStatus }) => proofStatus !== 'ISSUED').length;
    };
    await expect.poll(waiting).toBe(0);
    await details(page).getByText('In force').waitFor();
    await keys.press(page.getByRole('button', { name: 'Save the proof' }));
    await keys.tabTo(page.getByRole('button', { name: 'Save', exact: true }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const proof = join(folder, 'plan.proof.zip');
    await download.saveAs(proof);
    await keys.goTo('Check a proof');
    await keys.choose(page.getByLabel('The file', { exact: true }), plan('the second draft'));
    const archive = { name: 'plan.proof.zip', mimeType: 'application/zip', buffer: await readFile(proof) };
    await keys.choose(page.getByLabel('Its proof (.zip)'), archive);
    await keys.press(page.getByRole('button', { name: 'Check', exact: true }));
    await page.getByRole('heading', { name: 'The proof holds.' }).waitFor();
    await keys.expectKept();
    await keys.tabTo(page.getByRole('button', { name: 'Print' }));
  }

  async function shareByKeys(keys: Keys): Promise<void> {
    const { page } = keys;
    await keys.goTo('Files');
    await keys.tabTo(page.getByRole('grid', { name: 'Files' }));
    await page.keyboard.press(' ');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Shift+Tab');
    await keys.press(page.getByRole('button', { name: 'Share' }));
    const dialog = page.getByRole('dialog');
    await keys.press(dialog.getByRole('button', { name: 'Create the link' }));
    await dialog.getByRole('textbox', { name: 'Link' }).waitFor();
    await keys.expectKept();
    await keys.press(dialog.getByRole('button', { name: 'Close' }));
    await keys.expectKept();
    await keys.goTo('Shares');
    await page.getByText('Active').waitFor();
    await keys.press(page.getByRole('button', { name: 'Cancel share: plan.txt' }));
    await keys.press(dialog.getByRole('button', { name: 'Cancel share' }));
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await keys.expectKept();
  }

  async function befriendByKeys(keys: Keys, bob: Person): Promise<void> {
    const { page } = keys;
    await keys.goTo('Friends');
    await keys.fill(page.getByLabel('Find people'), 'bob');
    await keys.press(page.getByRole('button', { name: 'Ask to be friends: bob' }));
    await page.getByText('Waiting for an answer').waitFor();
    await keys.expectKept();
    const { records } = await bob.call(listReceivedRequests, { query: {} });
    await bob.call(acceptFriendRequest, { params: { id: records[0]?.id ?? '' } });
    await keys.fill(page.getByLabel('Find people'), ' ');
    await keys.press(page.getByRole('button', { name: 'Send files: bob' }));
    const dialog = page.getByRole('dialog');
    await keys.press(dialog.getByRole('checkbox', { name: 'plan.txt' }), ' ');
    await keys.press(dialog.getByRole('button', { name: 'Send 1 file' }));
    await page.getByText('bob has the files now.').waitFor();
    expect((await bob.call(listReceivedShares, {})).records).toMatchObject([{ fileCount: 1 }]);
    await page.keyboard.press('Escape');
    await keys.expectKept();
  }

  async function talkByKeys(keys: Keys, bob: Person): Promise<void> {
    const { page } = keys;
    await keys.press(page.getByRole('link', { name: 'Message: bob' }));
    await keys.fill(page.getByLabel('Message to bob'), 'Have you seen it?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Have you seen it?').waitFor();
    await keys.fill(page.getByLabel('Message to bob'), 'There is a second version.');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('There is a second version.').waitFor();
    expect((await bob.call(listConversations, {})).records).toMatchObject([{ unreadCount: 2 }]);
    await keys.press(page.getByRole('button', { name: 'Delete' }));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await keys.expectKept();
    await keys.goTo('Friends');
    await keys.press(page.getByRole('button', { name: 'Remove friend: bob' }));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Remove friend' }));
    await page.getByRole('heading', { name: 'No friends yet' }).waitFor();
    await keys.expectKept();
    expect(await bob.call(listAllFriends)).toEqual([]);
  }

  async function settleByKeys(keys: Keys): Promise<void> {
    const { page } = keys;
    await keys.goTo('Account');
    await keys.fill(page.getByLabel('Display name'), 'Ada L.');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    await keys.tabTo(page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio').first());
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await keys.press(page.getByRole('button', { name: 'Sign out', exact: true }));
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await keys.expectKept();
  }
});
