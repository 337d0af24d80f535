// The screens, dialogs and public pages in Firefox have no axe violations: light and wide in English, dark and at the width of
// a phone in Chinese.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropPagePrefix } from '@recordproof/shared/api/drop-links.ts';
import { deleteFile, listFiles } from '@recordproof/shared/api/files.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { fileListTexts } from '@recordproof/shared/words/app-file-list.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { createDrop } from '../support/drops.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, dialog, panel, phone, row, tray } from '../support/firefox-app.ts';
import { expectAccessible } from '../support/firefox-axe.ts';
import type { FirefoxPage } from '../support/firefox-page.ts';
import { drawPhoto } from '../support/media.ts';
import { laptop } from '../support/real-proofs.ts';
import { share } from '../support/shares.ts';
import { sendFile, storeTyped } from '../support/uploads.ts';

const wide = { width: 1280, height: 800 };
const grid = { css: '[role=grid]' };
const submit = { css: `${dialog} button[type=submit]` };
const screens = [
  ...['files?folder=box', 'files/trash', 'transfers', 'shares', 'shares/received', 'shares/requests', 'share'],
  ...['messages', 'friends', 'announcements', 'tickets', 'verify', 'account'],
];

describe.skipIf(firefoxPath === undefined).each([
  { theme: 'light', locale: 'en-GB', language: 'en', viewport: wide },
  { theme: 'dark', locale: 'zh-CN', language: 'zh', viewport: phone },
] as const)(firefoxPath ? 'in Firefox, $theme, in $language' : noFirefox, ({ theme, locale, language, viewport }) => {
  const { file } = fileListTexts[language];
  let firefox: Firefox;
  let app: TestApp;
  let url: string;
  let ada: Person;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-axe-'));
    app = await startApp({ env: laptop });
    url = app.app.url;
    ada = await app.person('ada');
    firefox = await launchFirefox(theme);
    const painter = await firefox.newPage();
    await storeTyped(ada, await drawPhoto(painter, 800, 600), 'photo.jpg', 'image/jpeg');
    await painter.close();
    await sendFile(ada, Buffer.from('old'), 'old.txt');
    await ada.call(deleteFile, { params: { hash: await hashOf('old.txt') } });
    await sendFile(ada, Buffer.from('deep'), 'deep.txt', { path: 'box' });
    for (const draft of ['The first draft', 'The second draft'])
      await sendFile(ada, Buffer.from(draft), 'plan.txt', { onConflict: 'newVersion' });
    await app.drain();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (page: FirefoxPage, address: string) => page.goTo(`${url}${address}`);
  const expectFit = (page: FirefoxPage, name: string) => expectAccessible(page, `${name}-${theme}`);
  const newPage = () => firefox.newPage({ viewport, locale });
  const hashOf = async (keyword: string) =>
    (await ada.call(listFiles, { query: { keyword } })).records[0]?.fileHash ?? '';

  async function signIn(): Promise<FirefoxPage> {
    const page = await newPage();
    await open(page, '/app');
    expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(theme === 'dark');
    await page.find({ css: 'input[autocomplete~=username]' });
    await expectFit(page, 'sign-in');
    await page.fill({ css: 'input[autocomplete~=username]' }, 'ada');
    await page.fill({ css: 'input[type=password]' }, testPassword);
    await page.keys('Enter');
    await page.expectCount({ css: '.feed.live' }, 1);
    await page.find(row('plan.txt'));
    return page;
  }

  /** With the focus in the list, on its first file. */
  async function dialogByKey(page: FirefoxPage, key: string, content: string, name: string): Promise<void> {
    await page.evaluate(`document.querySelector('${grid.css}').focus()`);
    await page.keys('Home', key);
    await page.find({ css: content });
    await expectFit(page, name);
    await page.keys('Escape');
    await page.expectCount({ css: content }, 0);
  }

  test('the screens have no violations', async () => {
    const page = await signIn();
    for (const screen of screens) {
      await open(page, `/app#/${screen}`);
      await page.find({ css: 'main h1, main h2' });
      await page.expectCount({ css: 'main .quiet.small', text: 'Loading …' }, 0);
      await expectFit(page, screen.replaceAll(/[/?=]/g, '-'));
    }
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('the dialogs of files, panel, viewer, tray and certificate have no violations', async () => {
    const page = await signIn();
    await dialogByKey(page, 'v', 'dialog.viewer .stage > *', 'viewer');
    await dialogByKey(page, 'F2', dialog, 'rename');
    await dialogByKey(page, 'm', dialog, 'move');
    await dialogByKey(page, 'Delete', dialog, 'delete');
    for (const [name, label] of [
      ['new-folder', folderWords[language].create],
      ['request', dropLinkWords[language].create],
    ] as const) {
      await page.press(button(label));
      await page.find({ css: dialog });
      await expectFit(page, name);
      await page.keys('Escape');
      await page.expectCount({ css: dialog }, 0);
    }
    await page.evaluate(`document.querySelector('${grid.css}').focus()`);
    await page.keys('Home', 'Space');
    await page.find({ css: '.chosen' });
    await expectFit(page, 'selection');
    await page.press(button(file.share, '.chosen'));
    await page.find(submit);
    await expectFit(page, 'share');
    await page.press(submit);
    await page.find({ css: `${dialog} input[readonly]` });
    await expectFit(page, 'link');
    await page.keys('Escape');
    await page.expectCount({ css: dialog }, 0);

    await page.press(row('plan.txt'));
    await page.find({ css: '.versions li' });
    await expectFit(page, 'panel');
    await page.press({ role: 'button', name: `${file.compare}: ${file.versionIs(1)}`, within: panel });
    await page.find({ css: '.side-by-side', text: 'The first draft' });
    await expectFit(page, 'compare');
    await page.keys('Escape');
    await page.expectCount({ css: dialog }, 0);
    await page.press({ role: 'link', name: file.checkProof });
    await page.find({ css: '.verdict .chip', text: 'VALID' });
    await expectFit(page, 'certificate');

    await open(page, '/app#/files');
    const note = join(folder, 'note.txt');
    await writeFile(note, 'a note');
    await page.choose(`input[aria-label="${fileListTexts[language].list.upload}"]`, [note]);
    await page.find({ css: `${tray} .chip.good` });
    await expectFit(page, 'tray');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('the pages of a share and a drop link have no violations', async () => {
    const { shareCode } = await share(ada, await hashOf('photo.jpg'), { password: 'open sesame' });
    const page = await newPage();
    await open(page, `/s/${shareCode}`);
    await page.find({ css: 'input[type=password]' });
    await expectFit(page, 'share-password');
    await page.fill({ css: 'input[type=password]' }, 'open sesame');
    await page.keys('Enter');
    await page.find({ css: 'a[data-hash]' });
    await expectFit(page, 'share-files');
    await page.download(() => page.press({ css: 'a[data-hash]' }));
    await page.expectCount({ css: '.checked .statement' }, 3);
    await expectFit(page, 'share-verdict');

    const { code } = await createDrop(ada, { fields: [{ label: 'Name', kind: 'NAME' }] });
    await open(page, `${dropPagePrefix}${code}`);
    await page.find({ css: '#enter button' });
    await expectFit(page, 'drop-form');
    await page.fill({ label: 'Name' }, 'Li Lei');
    await page.press({ css: '#enter button' });
    await page.find({ css: '#choice' });
    const answer = join(folder, 'answer.txt');
    await writeFile(answer, 'the answers');
    await page.choose('#choose', [answer]);
    await page.find({ css: '#files li button' });
    await expectFit(page, 'drop-sent');
    await page.close();
  });
});
