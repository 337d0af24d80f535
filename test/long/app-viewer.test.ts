// Journeys of thumbnails and the viewer in Chromium: in the app, on the page of a share, and for shares in the app.
import { listFiles } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { mostThumbnails, putThumbnails, readThumbnails } from '@recordproof/shared/api/previews.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { befriend, idOf } from '../support/friends.ts';
import { drawPhoto, makeWav, recordFilm } from '../support/media.ts';
import { makeHostilePdf } from '../support/pdf.ts';
import * as pictures from '../support/pictures.ts';
import { share } from '../support/shares.ts';
import { storeTyped } from '../support/uploads.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "hijacked"</script></svg>';

/** Requests of a page whose address contains this text. */
function watchRequests(page: Page) {
  const seen: Request[] = [];
  page.on('request', request => seen.push(request));
  return (part: string) => seen.filter(request => request.url().includes(part));
}

const viewer = (page: Page) => page.locator('dialog.viewer');
const isHuge = (bytes: Buffer): Buffer => {
  const huge = Buffer.from(bytes);
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  return huge;
};

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'previews in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let photo: Buffer;
  let film: Buffer;

  beforeAll(async () => {
    app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
    url = app.app.url;
    browser = await launchChromium();
    const page = await browser.newPage();
    photo = await drawPhoto(page, 800, 600);
    film = await recordFilm(page);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  /** The last is the first in the list. */
  const contents = (): [name: string, type: string, bytes: Buffer][] => [
    ['huge.png', 'image/png', isHuge(pictures.png)],
    ['page.png', 'image/png', Buffer.from('<!doctype html><script>document.title = "hijacked"</script>')],
    ['drawing.svg', 'image/svg+xml', Buffer.from(svg)],
    ['data.bin', 'application/octet-stream', Buffer.from([1, 2, 3])],
    ['film.webm', 'video/webm', film],
    ['sound.wav', 'audio/wav', makeWav(5)],
    ['notes.txt', 'text/plain', Buffer.from('<b>What was agreed</b>\n')],
    ['contract.pdf', 'application/pdf', makeHostilePdf('What was agreed', `${url}/docs?hijacked`)],
  ];

  async function storeAll(person: Person): Promise<string[]> {
    const hashes: string[] = [];
    for (const [name, type, bytes] of contents()) hashes.push(await storeTyped(person, bytes, name, type));
    return hashes;
  }

  /** Steps through the files with the right arrow, from the contract on. */
  async function walk(page: Page): Promise<void> {
    const shown = viewer(page);
    const step = async (name: string) => {
      await page.keyboard.press('ArrowRight');
      await shown.getByRole('heading', { name }).waitFor();
    };
    await shown.getByRole('img', { name: /Page 1 of contract.pdf/ }).waitFor();
    await step('notes.txt');
    await shown.getByText('<b>What was agreed</b>').waitFor();
    await step('sound.wav');
    await page.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 4.9);
    await step('film.webm');
    await page.waitForFunction(() => document.querySelector('video')?.videoWidth === 160);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0);
    await step('data.bin');
    await shown.getByText('application/octet-stream cannot be shown here').waitFor();
    await step('drawing.svg');
    await shown.getByText('can contain scripts').waitFor();
    await step('page.png');
    await shown.getByText('has an image type, but it cannot be shown').waitFor();
    await step('huge.png');
    await shown.getByText('more than 50 million pixels').waitFor();
    expect(await page.title()).not.toContain('hijacked');
    expect(page.context().pages()).toHaveLength(1);
  }

  test('an upload creates a thumbnail, which list and panel show without loading the original', async () => {
    const vera = await app.person('vera');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'vera');
    const asked = watchRequests(page);
    await page.getByLabel('Upload files').setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
    await page.getByText('Done', { exact: true }).waitFor();
    const { records } = await vera.call(listFiles, {});
    const [{ fileHash } = { fileHash: '' }] = records;
    const read = () => vera.call(readThumbnails, { body: { fileHashes: [fileHash] } });
    await expect.poll(async () => (await read()).length).toBe(1);
    const [made] = await read();
    expect(made?.contentType).toBe('image/webp');
    await goTo(page, 'Files');
    await page.reload();
    await page.getByText('photo.jpg').waitFor();
    const icon = page.locator('.row .file-icon img');
    await icon.waitFor();
    expect(await icon.evaluate(one => (one as HTMLImageElement).naturalWidth)).toBe(256);
    await page.getByText('photo.jpg').click();
    await page.locator('.preview img').waitFor();
    await page.getByRole('heading', { name: 'Versions' }).waitFor();
    expect(asked('/download'), 'a thumbnail is enough').toEqual([]);
    await expectFit(page, 'panel-thumbnail');
    const view = page.getByRole('button', { name: 'View', exact: true });
    await view.click();
    const image = viewer(page).locator('.stage img');
    await image.waitFor();
    expect(await image.evaluate(one => (one as HTMLImageElement).naturalWidth)).toBe(800);
    expect(asked('/download'), 'the viewer shows the file itself').not.toEqual([]);
    const width = async () => (await image.boundingBox())?.width ?? 0;
    const fit = await width();
    await page.keyboard.press('+');
    expect(await width()).toBeCloseTo(fit * 1.5, -1);
    await expectFit(page, 'viewer-zoomed');
    await page.keyboard.press('-');
    expect(await width()).toBeCloseTo(fit, -1);
    await expectFit(page, 'viewer-image');
    await page.keyboard.press('Escape');
    await viewer(page).waitFor({ state: 'detached' });
    expect(await view.evaluate(one => one === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('the viewer opens every kind by keyboard, plays ranges, and explains unsupported files', async () => {
    const walter = await app.person('walter');
    await storeAll(walter);
    const { page, complaints } = await openAppPage(browser, url);
    const dialogs: string[] = [];
    page.on('dialog', dialog => void dialogs.push(dialog.message()));
    await signIn(page, 'walter');
    const asked = watchRequests(page);
    await page.getByRole('grid', { name: 'Files' }).focus();
    await page.getByText('contract.pdf').waitFor();
    await page.keyboard.press('v');
    await walk(page);
    const streams = asked('/api/v1/streams/');
    expect(streams.length).toBeGreaterThan(1);
    for (const request of streams) expect(request.headers().range).toMatch(/^bytes=/);
    expect((await streams[0]?.response())?.status()).toBe(206);
    await page.keyboard.press('ArrowRight');
    await viewer(page).getByText('8 of 8', { exact: true }).waitFor();
    await expectFit(page, 'viewer-why-not');
    await page.setViewportSize(phone);
    for (const name of ['page.png', 'drawing.svg', 'data.bin', 'film.webm']) {
      await viewer(page).getByRole('button', { name: 'Previous file' }).click();
      await viewer(page).getByRole('heading', { name }).waitFor();
    }
    await page.waitForFunction(() => document.querySelector('video')?.videoWidth === 160);
    await expectFit(page, 'viewer-video');
    await page.setViewportSize(phone);
    for (const button of await viewer(page).getByRole('button').all()) {
      const box = await button.boundingBox();
      if (box) expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await viewer(page).getByRole('button', { name: 'Close' }).click();
    await viewer(page).waitFor({ state: 'detached' });
    expect([dialogs, asked('hijacked'), complaints]).toEqual([[], [], []]);
  });

  test('uploads of a PDF and a video make their thumbnails, from the first page and a frame of the first second', async () => {
    const uma = await app.person('uma');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'uma');
    await page.getByLabel('Upload files').setInputFiles([
      { name: 'film.webm', mimeType: 'video/webm', buffer: film },
      { name: 'contract.pdf', mimeType: 'application/pdf', buffer: makeHostilePdf('Agreed', `${url}/docs?hijacked`) },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 nothing else') },
      { name: 'broken.webm', mimeType: 'video/webm', buffer: Buffer.from('no video') },
    ]);
    await expect.poll(() => page.locator('.row .file-icon img').count()).toBe(2);
    const { records } = await uma.call(listFiles, {});
    const fileHashes = records.map(({ fileHash }) => fileHash);
    const read = () => uma.call(readThumbnails, { body: { fileHashes } });
    await expect.poll(async () => (await read()).length).toBe(2);
    const widths = await page
      .locator('.row .file-icon img')
      .evaluateAll(all => all.map(one => (one as HTMLImageElement).naturalWidth));
    expect(widths.toSorted((a, b) => a - b)).toEqual([160, 256]);
    await page.getByText('film.webm').click();
    await page.locator('.preview img').waitFor();
    await expectFit(page, 'panel-video');
    expect(complaints).toEqual([]);
  });

  test('a PDF and a video without thumbnails get them when they are first viewed', async () => {
    const walt = await app.person('walt');
    const fileHashes: string[] = [];
    for (const [name, type, bytes] of contents())
      if (/film|contract/.test(name)) fileHashes.push(await storeTyped(walt, bytes, name, type));
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'walt');
    const read = () => walt.call(readThumbnails, { body: { fileHashes } });
    await page.getByText('contract.pdf').click();
    await expect.poll(async () => (await read()).length).toBe(1);
    await page.getByText('film.webm').click();
    await page.getByRole('complementary').getByRole('heading', { name: 'film.webm' }).waitFor();
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.waitForFunction(() => document.querySelector('video')?.videoWidth === 160);
    await page.keyboard.press(' ');
    await expect.poll(async () => (await read()).length).toBe(2);
  });

  test('an image without a thumbnail gets one when it is first viewed', async () => {
    const xenia = await app.person('xenia');
    const fileHash = await storeTyped(xenia, photo, 'old.jpg', 'image/jpeg');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'xenia');
    await page.getByText('old.jpg').click();
    await page.locator('.preview img').waitFor();
    const read = () => xenia.call(readThumbnails, { body: { fileHashes: [fileHash] } });
    await expect.poll(async () => (await read()).length).toBe(1);
  });

  test('a long list loads only visible thumbnails, in batches', async () => {
    const yuri = await app.person('yuri');
    const hashes: string[] = [];
    for (let count = 0; count < 200; count += 1)
      hashes.push(
        await storeTyped(yuri, Buffer.concat([pictures.png, Buffer.from(String(count))]), `${count}.png`, 'image/png'),
      );
    for (let at = 0; at < hashes.length; at += mostThumbnails) {
      const some = hashes.slice(at, at + mostThumbnails);
      const image = pictures.png.toString('base64');
      await yuri.call(putThumbnails, { body: { thumbnails: some.map(fileHash => ({ fileHash, image })) } });
    }
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'yuri');
    const asked = watchRequests(page);
    await goTo(page, 'Files');
    const isDrawn = () =>
      page.waitForFunction(() => {
        const icons = [...document.querySelectorAll('.row .file-icon')];
        return icons.length > 10 && icons.every(icon => icon.querySelector('img'));
      });
    await isDrawn();
    expect(asked('/thumbnails/read').length).toBeLessThanOrEqual(2);
    await page.locator('.grid .viewport').evaluate(view => view.scrollTo(0, view.scrollHeight));
    await page.getByText('0.png', { exact: true }).waitFor();
    await isDrawn();
    expect(asked('/thumbnails/read').length, 'what was scrolled past was not read').toBeLessThanOrEqual(4);
    expect(asked('/download')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the share page shows thumbnails, and its viewer has the same keys', async () => {
    const zoe = await app.person('zoe');
    const first = await storeTyped(zoe, photo, 'photo.jpg', 'image/jpeg');
    const image = pictures.webp.toString('base64');
    await zoe.call(putThumbnails, { body: { thumbnails: [{ fileHash: first, image }] } });
    const hashes = [first, ...(await storeAll(zoe)).reverse()];
    const { shareCode } = await share(zoe, hashes, { password: 'open sesame' });
    const page = await (await browser.newContext()).newPage();
    const asked = watchRequests(page);
    await page.goto(`${url}/s/${shareCode}`);
    expect((await page.request.get(`${url}/s/${shareCode}/files/${first}/thumbnail`)).status()).toBe(403);
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('button', { name: 'Show the files' }).click();
    const thumbnail = page.locator('.files img.thumbnail');
    await thumbnail.waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('.files img.thumbnail')?.naturalWidth === 6,
    );
    expect(await page.locator('.files svg.thumbnail').count()).toBe(8);
    await expectFit(page, 'share-thumbnails');
    await page.getByRole('button', { name: 'View photo.jpg' }).click();
    const shown = viewer(page).locator('.stage img');
    await shown.waitFor();
    expect(await shown.evaluate(one => (one as HTMLImageElement).naturalWidth)).toBe(800);
    await expectFit(page, 'share-viewer');
    await page.keyboard.press('ArrowRight');
    await walk(page);
    expect(asked('hijacked')).toEqual([]);
    await page.keyboard.press('Escape');
    await viewer(page).waitFor({ state: 'detached' });
  });

  test('shares of friends and links are viewed in the app with the same keys; viewing opens a share once', async () => {
    const [amy, ben] = [await app.person('amy'), await app.person('ben')];
    await befriend(amy, ben);
    const hashes = (await storeAll(amy)).reverse();
    await amy.call(shareWithFriend, { body: { friendId: await idOf(ben), fileHashes: hashes } });
    const { shareCode } = await share(amy, hashes, { maxAccesses: 1 });
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'ben');
    await page.goto(`${url}/app#/share/${shareCode}`);
    const view = page.getByRole('button', { name: 'View contract.pdf' });
    await view.waitFor();
    await expectFit(page, 'open-share-view');
    await view.click();
    await walk(page);
    await page.keyboard.press('Escape');
    await viewer(page).waitFor({ state: 'detached' });
    expect(await view.evaluate(one => one === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Download: notes.txt' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    const { records } = await amy.call(listShares, {});
    expect(records[0]).toMatchObject({ accessCount: 1 });

    await page.goto(`${url}/app#/shares/received`);
    await page.getByRole('link', { name: 'amy' }).click();
    await page.getByRole('button', { name: 'View contract.pdf' }).focus();
    await page.keyboard.press('v');
    await walk(page);
    await page.setViewportSize(phone);
    await expectFit(page, 'friend-share-viewer');
    await page.keyboard.press('Escape');
    await viewer(page).waitFor({ state: 'detached' });
    await page.setViewportSize(phone);
    for (const button of await page.getByRole('button', { name: 'View ' }).all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await expectFit(page, 'friend-share-lines');
    expect(complaints).toEqual([]);
  });
});
