// A folder of a gigabyte in the app, in a browser and in the desktop app: killed, or left, at 40 %, it is resumed,
// updated, proven, verified, and shared with a friend who has the other kind of app. MEBIBYTES makes the folder smaller
// or larger.
import { randomFillSync } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type File, searchFiles } from '@recordproof/shared/api/files.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { goTo, openAppPage, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { buildDesktop } from '../support/electron/bundles.ts';
import { type DesktopApp, startDesktopApp } from '../support/electron/desktop-app.ts';
import { befriend } from '../support/friends.ts';
import { type MeteredProxy, startMeteredProxy } from '../support/metered-proxy.ts';
import { exportProof, laptop } from '../support/real-proofs.ts';

const MiB = 1024 * 1024;
const mebibytes = Number(process.env.MEBIBYTES ?? 1024);
const large = [
  ['film.bin', 0.6],
  ['scan-1.bin', 0.2],
  ['scan-2.bin', 0.2],
] as const;
const notes = 100;
const renewed = 'scan-1.bin';
const patience = { timeout: 900_000, interval: 250 };

async function writeRandom(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w');
  const block = Buffer.alloc(4 * MiB);
  for (let left = bytes; left > 0; left -= block.length)
    await file.write(randomFillSync(block), 0, Math.min(left, block.length));
}

/** Returns their size in bytes. */
async function writeFolder(folder: string): Promise<number> {
  await mkdir(folder);
  let sum = 0;
  for (const [name, share] of large) {
    const bytes = Math.round(mebibytes * MiB * share);
    await writeRandom(join(folder, name), bytes);
    sum += bytes;
  }
  for (let at = 0; at < notes; at += 1) await writeFile(join(folder, `note-${at}.txt`), `note ${at} of ${folder}`);
  return sum;
}

type World = { readonly app: TestApp; readonly proxy: MeteredProxy; readonly folder: string; readonly bytes: number };
type Side = { readonly person: Person; readonly page: () => Promise<Page>; readonly stop: () => Promise<void> };

const findRenewed = async (person: Person): Promise<File | undefined> =>
  (await person.call(searchFiles, { query: { keyword: renewed } })).records[0];

/** The app has processed every answer up to then. */
async function untilNoted(proxy: MeteredProxy): Promise<void> {
  let before = -1;
  const isSame = () => {
    const same = proxy.answered === before;
    before = proxy.answered;
    return same;
  };
  await expect.poll(isSame, { timeout: patience.timeout, interval: 2000 }).toBe(true);
}

/** Killed, or left, after two fifths. What the server had answered was done, the rest was still in flight. */
async function uploadThroughAKill(world: World, { person, page, stop }: Side, takeUp: () => Promise<void>) {
  const { proxy, folder, bytes } = world;
  const before = { sent: proxy.sent, answered: proxy.answered };
  const held = proxy.holdAfter(0.4 * bytes);
  await (await page()).locator('input[webkitdirectory]').first().setInputFiles(folder);
  await held;
  await untilNoted(proxy);
  await stop();
  const done = proxy.answered - before.answered;
  const onItsWay = proxy.sent - before.sent - done;
  proxy.release();
  await takeUp();
  const stored = async () => (await person.call(searchFiles, { query: { size: 1 } })).total;
  await expect.poll(stored, patience).toBe(large.length + notes);
  const again = proxy.sent - before.sent - onItsWay - bytes;
  const mib = (many: number) => `${(many / MiB).toFixed(1)} MiB`;
  console.info(
    `${person.name}: of ${mib(done)} that were done ${mib(again)} were sent again, and ${mib(onItsWay)} lost.`,
  );
  expect(again).toBeLessThan(0.05 * done);
}

async function untilProven({ app }: World, person: Person): Promise<void> {
  const poll = async () => {
    app.clock.advance(60_000);
    await app.drain();
    return (await findRenewed(person))?.proofStatus;
  };
  await expect.poll(poll, patience).toBe('ISSUED');
}

/** Uploads a new version, proves it, and verifies it. */
async function renewAndVerify(world: World, { person, page: find }: Side): Promise<void> {
  const page = await find();
  const path = join(world.folder, '..', renewed);
  await writeFile(path, `the next version, of ${person.name}`);
  await goTo(page, 'Files');
  await page.getByLabel('Search files').fill(renewed);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByText(renewed).first().click();
  await page.getByLabel('Upload a new version').setInputFiles(path);
  await expect.poll(async () => (await findRenewed(person))?.version, patience).toBe(2);
  await untilProven(world, person);
  const proof = join(world.folder, '..', 'proof.zip');
  await writeFile(proof, await exportProof(person, (await findRenewed(person))?.id ?? ''));
  await goTo(page, 'Check a proof');
  await page.getByLabel('The file', { exact: true }).setInputFiles(path);
  await page.getByLabel('Its proof (.zip)').setInputFiles(proof);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('heading', { name: 'The proof holds.' }).waitFor();
  await page.getByText('VALID', { exact: true }).waitFor();
}

async function give(from: Side, to: Side): Promise<void> {
  const [page, friends] = [await from.page(), await to.page()];
  await goTo(page, 'Files');
  await page.getByLabel('Search files').fill(renewed);
  await page.getByLabel(`Select ${renewed}`).check();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('To a friend').click();
  await page.getByRole('combobox', { name: 'Friend' }).selectOption(to.person.name);
  const seen = friends.getByRole('link', { name: /^Shares.*1 new$/ }).waitFor();
  const begun = performance.now();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await seen;
  console.info(`${to.person.name} saw it after ${Math.round(performance.now() - begun)} ms.`);
}

/** Selects the files again, because the page has lost access to them. */
async function chooseAgain(page: Page, { folder, proxy }: World): Promise<void> {
  await page.goto(`${proxy.endpoint}/app`);
  await goTo(page, 'Transfers');
  await page.getByText('cannot read this file').first().waitFor();
  for (const [name] of large) {
    const button = page.getByLabel(`Choose the file: ${name}`);
    if ((await button.count()) > 0) await button.setInputFiles(join(folder, name));
  }
  const together = page.getByLabel(/^Choose the files: /);
  if ((await together.count()) > 0) await together.setInputFiles(folder);
}

async function openDesk(world: World, out: string, person: Person): Promise<{ desktop: DesktopApp; side: Side }> {
  const desktop = await startDesktopApp({
    out,
    folder: join(world.folder, '..', 'program'),
    files: join(world.folder, '..'),
  });
  const page = await desktop.page();
  await page.getByText('Another server or account').click();
  await page.getByLabel('Address of a server').fill(world.proxy.endpoint);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(world.proxy.endpoint).first().waitFor();
  await signIn(page, person.name);
  return { desktop, side: { person, page: () => desktop.page(), stop: () => desktop.end('kill') } };
}

test.skipIf(chromiumPath === undefined)(
  chromiumPath === undefined ? noChromium : 'an interrupted folder upload resumes, in a browser and in the desktop app',
  async () => {
    await using cleaning = new AsyncDisposableStack();
    const root = await mkdtemp(join(tmpdir(), 'recordproof-folder-'));
    cleaning.defer(() => rm(root, { recursive: true, force: true }));
    const proxy: MeteredProxy = cleaning.use(await startMeteredProxy(() => app.app.url));
    const app: TestApp = cleaning.use(await startApp({ env: { ...laptop, RECORDPROOF_PUBLIC_URL: proxy.endpoint } }));
    const folder = join(root, 'photos');
    const world: World = { app, proxy, folder, bytes: await writeFolder(folder) };
    const [ada, bob] = [await app.person('ada'), await app.person('bob')];
    await befriend(ada, bob);

    const browser = cleaning.use(await launchChromium());
    const { page } = await openAppPage(browser, proxy.endpoint);
    page.on('dialog', dialog => dialog.accept());
    await signIn(page, 'ada');
    const stop = async () => void (await page.goto('about:blank'));
    const inBrowser: Side = { person: ada, page: async () => page, stop };
    await uploadThroughAKill(world, inBrowser, () => chooseAgain(page, world));
    await renewAndVerify(world, inBrowser);

    await buildDesktop(join(root, 'out'));
    const { desktop, side: onDesk } = await openDesk(world, join(root, 'out'), bob);
    cleaning.use(desktop);
    await uploadThroughAKill(world, onDesk, () => desktop.start());
    await renewAndVerify(world, onDesk);

    await give(inBrowser, onDesk);
    await give(onDesk, inBrowser);
  },
);
