// `npm run pictures`: the screenshots in docs/images and the icon of the desktop app, from the real app in Chromium
// with a real server. The content in them is created here.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { icon } from '@recordproof/shared/theme/icon.ts';
import type { Browser, Page } from 'playwright-core';
import { type Person, startApp, type TestApp } from '../test/support/app.ts';
import { goTo, openAppPage, signIn } from '../test/support/app-page.ts';
import { pattern } from '../test/support/bytes.ts';
import { launchChromium } from '../test/support/chromium.ts';
import { makePdf } from '../test/support/pdf.ts';
import { exportProof, laptop } from '../test/support/real-proofs.ts';
import { sendFile } from '../test/support/uploads.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs', 'images');
const themes = ['light', 'dark'] as const;
const viewport = { width: 1180, height: 900 };
const iconSize = 512;

const stored = [
  ['Survey of the north wall.pdf', 812_430, 'Site/2026'],
  ['Photograph 014.jpg', 241_118, undefined],
  ['Photograph 015.jpg', 198_402, undefined],
  ['Minutes of 12 January.docx', 48_210, 'Meetings'],
  ['Minutes of 26 January.docx', 51_377, undefined],
  ['Offer, roof and gutters.pdf', 133_904, 'Offers'],
  ['Offer, windows.pdf', 97_215, undefined],
  ['Contract with signatures.pdf', 402_655, undefined],
  ['Measurements.csv', 12_480, undefined],
] as const;
const proven = 'Contract with signatures.pdf';
const contract = makePdf('Contract, with two signatures');

const findAll = async (ada: Person) => (await ada.call(listFiles, { query: { size: 50 } })).records;

/** Stores the files and waits for their proofs. */
async function fill(app: TestApp, ada: Person): Promise<void> {
  for (const [index, [name, bytes, path]] of stored.entries()) {
    const content = name === proven ? contract : await pattern(bytes, index + 1);
    await sendFile(ada, content, name, path === undefined ? {} : { path });
    app.clock.advance(7 * 60_000);
  }
  while ((await findAll(ada)).some(({ proofStatus }) => proofStatus !== 'ISSUED')) {
    app.clock.advance(60_000);
    await app.drain();
  }
}

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(images, `app-${name}-${colorScheme}.png`) });
  }
}

async function takeFiles(page: Page): Promise<void> {
  await page.getByText(proven).click();
  await page.getByText('In force').waitFor();
  await page.getByText('Loading …').waitFor({ state: 'hidden' });
  await take(page, 'files');
  await page.keyboard.press('Escape');
}

async function takeShare(page: Page): Promise<void> {
  await page.getByLabel(`Select ${proven}`).check();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create the link' }).click();
  await page.locator('svg.qr').waitFor();
  await take(page, 'share');
  await page.keyboard.press('Escape');
}

async function takeProof(page: Page, ada: Person): Promise<void> {
  const { id = '' } = (await findAll(ada)).find(({ fileName }) => fileName === proven) ?? {};
  const asPdf = { name: proven, mimeType: 'application/pdf', buffer: contract };
  const archive = { name: `${proven}.proof.zip`, mimeType: 'application/zip', buffer: await exportProof(ada, id) };
  await goTo(page, 'Check a proof');
  await page.getByLabel('The file', { exact: true }).setInputFiles(asPdf);
  await page.getByLabel('Its proof (.zip)').setInputFiles(archive);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('heading', { name: 'The proof holds.' }).waitFor();
  await page.getByText('VALID', { exact: true }).evaluate(verdict => verdict.scrollIntoView({ block: 'center' }));
  await take(page, 'proof');
}

async function drawIcon(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: iconSize, height: iconSize } });
  const style = `body{margin:0}svg{display:block;width:${iconSize}px;height:${iconSize}px}`;
  await page.setContent(`<style>${style}</style>${icon}`);
  await mkdir(join(root, 'desktop', 'build'), { recursive: true });
  await writeFile(join(root, 'desktop', 'build', 'icon.png'), await page.screenshot({ omitBackground: true }));
}

await mkdir(images, { recursive: true });
await using app = await startApp({ env: laptop });
const browser = await launchChromium();
try {
  const ada = await app.person('ada');
  await fill(app, ada);
  const { page } = await openAppPage(browser, app.app.url, { viewport });
  await signIn(page, 'ada');
  await takeFiles(page);
  await takeShare(page);
  await takeProof(page, ada);
  await drawIcon(browser);
} finally {
  await browser.close();
}
