// Journeys of previews and transfers in Firefox: thumbnails made on upload, the viewer by keys, the tray on every screen,
// and an upload after a reload, where a browser without file handles needs the file again.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { readThumbnails } from '@recordproof/shared/api/previews.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, goToScreen, openApp, panel, row, tray } from '../support/firefox-app.ts';
import { drawPhoto, makeWav, recordFilm } from '../support/media.ts';
import { makeHostilePdf } from '../support/pdf.ts';
import { storeTyped } from '../support/uploads.ts';

describe.skipIf(firefoxPath === undefined)(firefoxPath ? 'previews and transfers in Firefox' : noFirefox, () => {
  let firefox: Firefox;
  let app: TestApp;
  let url: string;
  let folder: string;
  let photo: Buffer;
  let film: Buffer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-viewer-'));
    app = await startApp();
    url = app.app.url;
    firefox = await launchFirefox();
    const page = await firefox.newPage();
    await page.goTo(`${url}/docs`); // Media are recorded on pages with an address only.
    photo = await drawPhoto(page, 800, 600);
    film = await recordFilm(page);
    await page.close();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(name: string, bytes: Uint8Array): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  }

  test('uploads of an image, a PDF and a video make thumbnails in WebP, and the viewer shows the image', async () => {
    const vera = await app.person('vera');
    const page = await openApp(firefox, url, 'vera');
    await page.expectText('No files yet');
    await page.choose('input[aria-label="Upload files"]', [
      await write('photo.jpg', photo),
      await write('film.webm', film),
      await write('contract.pdf', makeHostilePdf('Agreed', `${url}/docs?hijacked`)),
      await write('broken.pdf', Buffer.from('%PDF-1.7 nothing else')),
    ]);
    await page.find(row('broken.pdf'));
    await page.expectCount({ css: '.row .file-icon img' }, 3);
    const fileHashes = (await vera.call(listFiles, {})).records.map(({ fileHash }) => fileHash);
    const read = async () => (await vera.call(readThumbnails, { body: { fileHashes } })).map(one => one.contentType);
    await expect.poll(read).toEqual(Array(3).fill('image/webp'));
    const widths = `[...document.querySelectorAll('.row .file-icon img')].map(one => one.naturalWidth)`;
    await expect.poll(async () => (await page.read<number[]>(widths)).toSorted()).toEqual([160, 256, 256]);
    await page.press(row('photo.jpg'));
    await page.find({ css: 'aside .preview img' });
    await page.press(button('View', panel));
    await page.find({ css: 'dialog.viewer .stage img' });
    const image = `document.querySelector('dialog.viewer .stage img')`;
    await expect.poll(() => page.evaluate(`${image}.naturalWidth`)).toBe(800);
    const width = async () => Number(await page.evaluate(`${image}.getBoundingClientRect().width`));
    const fit = await width();
    await page.type('+');
    await expect.poll(width).toBeCloseTo(fit * 1.5, -1);
    await page.keys('Escape');
    await page.expectCount({ css: 'dialog.viewer' }, 0);
    expect(await page.isFocused(button('View', panel))).toBe(true);
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('the viewer steps through text, sound, video and PDF by keys, and explains a file it cannot show', async () => {
    const walter = await app.person('walter');
    // The last is the first in the list.
    await storeTyped(walter, Buffer.from([1, 2, 3]), 'data.bin', 'application/octet-stream');
    await storeTyped(walter, film, 'film.webm', 'video/webm');
    await storeTyped(walter, makeWav(5), 'sound.wav', 'audio/wav');
    await storeTyped(walter, Buffer.from('<b>What was agreed</b>\n'), 'notes.txt', 'text/plain');
    await storeTyped(
      walter,
      makeHostilePdf('What was agreed', `${url}/docs?hijacked`),
      'contract.pdf',
      'application/pdf',
    );
    const page = await openApp(firefox, url, 'walter');
    await page.press(row('contract.pdf'));
    await page.find({ css: 'aside h2', text: 'contract.pdf' });
    await page.press(button('View', panel));
    await page.find({ css: 'dialog.viewer [aria-label^="Page 1 of contract.pdf"]' });
    const step = async (name: string) => {
      await page.keys('ArrowRight');
      await page.find({ css: 'dialog.viewer h2', text: name });
    };
    await step('notes.txt');
    await page.expectText('<b>What was agreed</b>');
    await step('sound.wav');
    await expect.poll(() => page.evaluate(`document.querySelector('audio')?.duration ?? 0`)).toBeGreaterThan(4.9);
    await step('film.webm');
    await expect.poll(() => page.evaluate(`document.querySelector('video')?.videoWidth`)).toBe(160);
    await page.keys('Space');
    await expect.poll(() => page.evaluate(`document.querySelector('video')?.currentTime ?? 0`)).toBeGreaterThan(0);
    await step('data.bin');
    await page.expectText('application/octet-stream cannot be shown here');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('the tray is on every screen; after a reload the upload asks for its file, and links to the result', async () => {
    const tess = await app.person('tess');
    const large = await write('large.bin', randomBytes(20 * 2 ** 20)); // four parts
    const other = join(await mkdtemp(join(folder, 'other-')), 'large.bin');
    await writeFile(other, randomBytes(1000));
    const page = await openApp(firefox, url, 'tess');
    await page.expectText('No files yet');
    const parts = await page.hold('/api/v1/objects');
    await page.choose('input[aria-label="Upload files"]', [large]);
    await expect.poll(parts.held).toBeGreaterThan(0);
    const running = { css: `${tray} button`, text: 'Transferring' };
    await page.find(running);
    for (const title of ['Shares', 'Friends', 'Account', 'Files']) {
      await goToScreen(page, title.toLowerCase(), title);
      await page.find(running);
    }
    await page.keys('t');
    await page.find(button('Pause: large.bin'));
    await page.keys('Escape');
    await page.expectCount(button('Pause: large.bin'), 0);
    expect(await page.isFocused(running)).toBe(true);

    await page.reload();
    await parts.release();
    await page.expectCount({ css: '.feed.live' }, 1);
    await goToScreen(page, 'transfers', 'Transfers');
    await page.expectText('cannot read this file');
    await page.choose('input[aria-label="Choose the file: large.bin"]', [other]);
    await page.expectText('This is not the file of this upload');
    await page.choose('input[aria-label="Choose the file: large.bin"]', [large]);
    await page.expectText('Done');
    expect((await tess.call(listFiles, {})).records).toMatchObject([{ fileName: 'large.bin', fileSize: 20 * 2 ** 20 }]);
    await goToScreen(page, 'shares', 'Shares');
    await page.press({ css: `${tray} button[aria-expanded=false]` });
    await page.press({ css: `${tray} a`, text: 'Show the file' });
    await page.find({ css: 'aside h2', text: 'large.bin' });
    await page.press(button('Hide these transfers'));
    await page.expectCount({ css: tray }, 0);
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});
