// Journeys of the desktop app: its real interface in its window, on the stand-in for Electron (desktop-shell).
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { shareTypes } from '@recordproof/shared/api/shares.ts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, openAppPage, signIn } from '../support/app-page.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { buildDesktop } from '../support/electron/bundles.ts';
import { type DesktopApp, startDesktopApp } from '../support/electron/desktop-app.ts';
import { befriend } from '../support/friends.ts';
import { makeHostilePdf } from '../support/pdf.ts';
import { exportProof, laptop } from '../support/real-proofs.ts';
import { share, storeFile } from '../support/shares.ts';
import { sendFile, storeTyped } from '../support/uploads.ts';

const testInChromium = test.skipIf(chromiumPath === undefined);

let folder: string;
let app: TestApp;
let ada: Person;
let bob: Person;
let desktop: DesktopApp | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-desktop-'));
  if (chromiumPath !== undefined) await buildDesktop(join(folder, 'out'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  app = await startApp({ env: laptop });
  [ada, bob] = [await app.person('ada'), await app.person('bob')];
});
afterEach(async () => {
  await desktop?.[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** A profile in which the server has been entered before. */
async function keepServer(program: string): Promise<void> {
  const kept = join(program, 'userData');
  await mkdir(kept, { recursive: true });
  const entries = [{ id: 'one', url: app.app.url, username: null }];
  await writeFile(join(kept, 'servers.json'), JSON.stringify({ current: 'one', entries }));
}

testInChromium('a PDF is drawn in the window without active content', async () => {
  await storeTyped(ada, makeHostilePdf('What was agreed', `${app.app.url}/docs`), 'hostile.pdf', 'application/pdf');
  const program = join(folder, 'with-pdf');
  await keepServer(program);
  desktop = await startDesktopApp({ out: join(folder, 'out'), folder: program, files: folder });
  const page = await desktop.page();
  const broken: string[] = [];
  page.on('pageerror', error => broken.push(String(error)));
  page.on('console', message => void (message.type() === 'error' && broken.push(message.text())));
  page.on('dialog', dialog => void broken.push(dialog.message()));
  await page.getByLabel('User name').fill('ada');
  await page.getByLabel('Password').fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('hostile.pdf').click();
  const address = page.url();
  const drawn = page.locator('canvas[aria-label="Page 1 of hostile.pdf"][aria-busy=false]');
  await drawn.waitFor();
  await drawn.click();
  expect(page.url()).toBe(address);
  expect(broken).toEqual([]);
});

testInChromium('a person signs in, uploads a file, finds it, and is still signed in after a kill', async () => {
  const program = join(folder, 'program');
  await keepServer(program);
  desktop = await startDesktopApp({ out: join(folder, 'out'), folder: program, files: folder });
  const page = await desktop.page();
  const broken: string[] = [];
  page.on('pageerror', error => broken.push(String(error)));
  page.on('console', message => void (message.type() === 'error' && broken.push(message.text())));
  await page.getByLabel('User name').fill('ada');
  await page.getByLabel('Password').fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();

  await writeFile(join(folder, 'plan.bin'), await pattern(2 ** 20, 3));
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload files', exact: true }).first().click(),
  ]);
  await chooser.setFiles(join(folder, 'plan.bin'));
  await page.getByText('plan.bin').first().waitFor();
  await page.getByText('Done', { exact: true }).first().waitFor();
  expect(broken).toEqual([]);

  await desktop.end('kill');
  await desktop.start();
  const again = await desktop.page();
  await again.getByText('plan.bin').first().waitFor();
  await again.getByRole('link', { name: 'Files' }).first().click();
  await again.getByText('plan.bin').first().waitFor();
  await expectNews(again);
  await openLink(desktop, again);
  await checkProof(again);
  await settle(again, desktop);
  await changeServers(again);
  expect(broken).toEqual([]);
});

/** The settings of the program are changed by its user, and persist. */
async function settle(page: Page, { noted }: DesktopApp): Promise<void> {
  await page.getByRole('link', { name: 'Account' }).first().click();
  await page.getByLabel('Keep running in the tray when the window is closed').click();
  await page.getByLabel('Start with the system, without a window').click();
  await expect.poll(() => noted).toContainEqual({ kind: 'login-item', openAtLogin: true });
  await page.getByText('中文').click();
  await expect.poll(() => noted).toContainEqual({ kind: 'menu', labels: ['打开 RecordProof', '退出'] });
  await page.getByText('English').click();
  await page.getByText('recordproof-desktop/0.0.0').waitFor();
  await expectFit(page, 'desktop-account');
  const kept = await readFile(join(folder, 'program', 'userData', 'settings.json'), 'utf8');
  expect(JSON.parse(kept)).toMatchObject({ closesToTray: false, startsWithSystem: true, language: 'en' });
}

/** The same server once more is a second account; the first is still there. */
async function changeServers(page: Page): Promise<void> {
  await page.getByLabel('Address of a server').fill(app.app.url);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByText('Another server or account').click();
  await expectFit(page, 'desktop-door');
  await page.getByRole('button', { name: `Switch: ada ${app.app.url}` }).click();
  await page.getByRole('link', { name: 'Account' }).first().click();
  await page.getByRole('button', { name: `Remove:  ${app.app.url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Remove: / }).count()).toBe(0);
}

/** A friend sends from a browser, and the window shows it at once; and the other way round. */
async function expectNews(window: Page): Promise<void> {
  await befriend(ada, bob);
  await sendFile(bob, Buffer.from('of bob'), 'from-bob.txt');
  await using browser = await launchChromium();
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await signIn(page, 'bob');
  await sendTo(page, 'from-bob.txt', 'ada', window);
  await window.getByRole('link', { name: 'Shares' }).first().click();
  await window.getByRole('link', { name: 'From friends' }).click();
  await window.getByRole('link', { name: 'bob' }).click();
  await window.getByText('from-bob.txt').waitFor();
  await window.getByRole('link', { name: 'Files' }).first().click();
  await sendTo(window, 'plan.bin', 'bob', page);
  expect(complaints).toEqual([]);
}

async function sendTo(from: Page, file: string, friend: string, to: Page): Promise<void> {
  await Promise.all([from, to].map(page => page.getByText('Live', { exact: true }).waitFor()));
  await from.getByLabel(`Select ${file}`).check();
  await from.getByRole('button', { name: 'Share' }).click();
  await from.getByText('To a friend').click();
  await from.getByRole('combobox', { name: 'Friend' }).selectOption(friend);
  const seen = to.getByRole('link', { name: /^Shares.*1 new$/ }).waitFor();
  const begun = performance.now();
  await from.getByRole('button', { name: 'Send', exact: true }).click();
  await seen;
  console.info(`What was sent to ${friend} was seen after ${Math.round(performance.now() - begun)} ms.`);
  await from.getByText(`${friend} has the files now.`).waitFor();
  await from.keyboard.press('Escape');
}

/** Links from the operating system open in the window. */
async function openLink(of: DesktopApp, window: Page): Promise<void> {
  const { fileHash } = await storeFile(bob, 'linked.pdf');
  const { shareCode } = await share(bob, fileHash, { shareType: shareTypes.PRIVATE });
  await of.order({ kind: 'second-start', words: ['recordproof', `recordproof://share/${shareCode}`] });
  await window.getByRole('heading', { name: 'Shared with you' }).waitFor();
  await window.getByText('linked.pdf').waitFor();
  await of.order({ kind: 'second-start', words: ['recordproof', 'recordproof://verify'] });
  await window.getByRole('heading', { name: 'Check a proof' }).waitFor();
}

/** The engine runs in the window, and its requests pass through the IPC table. */
async function checkProof(window: Page): Promise<void> {
  await app.drain();
  const { records } = await ada.call(listFiles, {});
  const plan = records.find(({ fileName }) => fileName === 'plan.bin');
  await writeFile(join(folder, 'plan.bin.proof.zip'), await exportProof(ada, plan?.id ?? ''));
  await window.getByLabel('The file', { exact: true }).setInputFiles(join(folder, 'plan.bin'));
  await window.getByLabel('Its proof (.zip)').setInputFiles(join(folder, 'plan.bin.proof.zip'));
  await window.getByRole('button', { name: 'Check', exact: true }).click();
  await window.getByRole('heading', { name: 'The proof holds.' }).waitFor();
}
