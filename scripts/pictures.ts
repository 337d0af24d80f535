// `node scripts/pictures.ts`: the pictures of docs/images, and the icon of the desktop app, from the real app in Chromium.
// What one sees is made here, and stored, shared and proven by a real server.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { createShare } from '@recordproof/shared/api/shares.ts';
import { icon } from '@recordproof/shared/look/icon.ts';
import type { Browser, Page } from 'playwright-core';
import { type Person, startApp, type TestApp } from '../test/support/app.ts';
import { goTo, openAppPage, signIn } from '../test/support/app-page.ts';
import { pattern } from '../test/support/bytes.ts';
import { launchChromium } from '../test/support/chromium.ts';
import { sendFile } from '../test/support/uploads.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs', 'images');
const themes = ['light', 'dark'] as const;

const stored = [
  ['Survey of the north wall.pdf', 812_430, 'Site/2026'],
  ['Photograph 014.jpg', 241_118, 'Site/2026'],
  ['Photograph 015.jpg', 198_402, 'Site/2026'],
  ['Minutes of 12 January.docx', 48_210, 'Meetings'],
  ['Minutes of 26 January.docx', 51_377, 'Meetings'],
  ['Offer, roof and gutters.pdf', 133_904, 'Offers'],
  ['Offer, windows.pdf', 97_215, 'Offers'],
  ['Contract with signatures.pdf', 402_655, undefined],
  ['Measurements.csv', 12_480, undefined],
] as const;

/** Everything has its proof. */
async function fill(app: TestApp, ada: Person): Promise<void> {
  for (const [index, [name, bytes, path]] of stored.entries())
    await sendFile(ada, await pattern(bytes, index + 1), name, path === undefined ? {} : { path });
  let pending: number = stored.length;
  while (pending > 0) {
    app.clock.advance(60_000);
    await app.drain();
    const { records } = await ada.call(listFiles, { query: { size: 50 } });
    pending = records.filter(({ proofStatus }) => proofStatus !== 'ISSUED').length;
  }
  const { records } = await ada.call(listFiles, { query: { size: 50 } });
  for (const { fileHash } of records.slice(0, 3))
    await ada.call(createShare, { body: { fileHash: [fileHash], expireMinutes: 10_080, shareType: 0 } });
}

async function take(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(images, `app-${name}-${colorScheme}.png`) });
  }
}

async function takeAll(browser: Browser, url: string): Promise<void> {
  const { page } = await openAppPage(browser, url, { viewport: { width: 1180, height: 720 } });
  await signIn(page, 'ada');
  await page.getByText('Measurements.csv').waitFor();
  await take(page, 'files');
  await page.getByText('Contract with signatures.pdf').click();
  await page.getByText('In force').waitFor();
  await take(page, 'proof');
  await goTo(page, 'Shares');
  await page.getByText('Active').first().waitFor();
  await take(page, 'shares');
}

async function drawIcon(browser: Browser): Promise<void> {
  const size = 512;
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${icon}`);
  await mkdir(join(root, 'desktop', 'build'), { recursive: true });
  await writeFile(join(root, 'desktop', 'build', 'icon.png'), await page.screenshot({ omitBackground: true }));
}

await mkdir(images, { recursive: true });
await using app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
const browser = await launchChromium();
try {
  await fill(app, await app.person('ada'));
  await takeAll(browser, app.app.url);
  await drawIcon(browser);
} finally {
  await browser.close();
}
