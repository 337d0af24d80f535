// The page of a share with a file that a browser cannot hold in memory.
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { visitShare } from '../support/share-visits.ts';
import { share } from '../support/shares.ts';
import { storeProxied } from '../support/uploads.ts';

const testInChromium = test.skipIf(chromiumPath === undefined);

testInChromium('a file that is too large for memory is streamed to disk and verified', async () => {
  await using app = await startApp();
  await using browser = await launchChromium();
  const alice = await app.person('alice');
  const large = new Uint8Array(257 * 2 ** 20);
  large[12_345_678] = 1;
  const stored = await storeProxied(alice, large, { name: 'large.raw', chunkSize: 50_000_000 });
  const { shareCode } = await share(alice, stored.fileHash);
  const visit = { browser, url: app.app.url, code: shareCode };
  await visitShare(visit, { expected: /ERR_/ }, async page => {
    const link = page.getByRole('link', { name: /^Download large.raw/ });
    await page.evaluate(() => {
      const folder = navigator.storage.getDirectory();
      Object.assign(window, {
        showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
          (await folder).getFileHandle(suggestedName, { create: true }),
      });
    });
    const kept = () =>
      page.evaluate(async () => {
        const file = await (await navigator.storage.getDirectory()).getFileHandle('large.raw');
        return (await file.getFile()).size;
      });
    const wrong = Buffer.from(large.subarray(0, 3_000_000));
    await page.route('**/files/**', route => route.fulfill({ status: 200, body: wrong }));
    await link.click();
    await page.getByText('The download was interrupted').waitFor();
    expect(await kept()).toBe(0);
    await page.unroute('**/files/**');
    await link.click();
    await page.getByText('large.raw is saved, and its SHA-256 is right.').waitFor({ timeout: 120_000 });
    expect(await kept()).toBe(large.length);
  });
  await visitShare(visit, {}, async page => {
    await page.evaluate(() => Object.assign(window, { showSaveFilePicker: undefined }));
    const link = page.getByRole('link', { name: /^Download large.raw/ });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    await page.getByText('When it is there, choose it below').waitFor();
    await page.getByLabel(/^Or choose a file/).setInputFiles(await download.path());
    await page.getByText('is the shared file large.raw, byte by byte.').waitFor();
  });
});
