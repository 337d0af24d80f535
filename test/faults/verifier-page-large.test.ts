// One GiB through the page in a real browser: the right verdict, and memory that does not grow with the file.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { mebibyte, residentOf, trustedKeyPath, writeProof } from '../support/large-proof.ts';
import { openTestVerifier } from '../support/verifier-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'verifier-large-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  test('a file of 1 GiB uses no more memory than one of 64 MiB', async () => {
    // Created before the browser starts: this process is blocked meanwhile, possibly for minutes.
    const proofs = [await writeProof(folder, 64 * mebibyte), await writeProof(folder, 1024 * mebibyte)];
    await using verifier = await openTestVerifier();
    await using browser = await launchChromium();
    const session = await browser.newBrowserCDPSession();
    const listRenderers = async (): Promise<number[]> => {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    };
    const peaks: number[] = [];
    for (const given of proofs) {
      const page = await browser.newPage();
      await page.goto(verifier.url);
      await page.locator('#original').setInputFiles(given.original);
      await page.locator('#proof').setInputFiles(given.proof);
      await page.locator('#trustedKey').setInputFiles(trustedKeyPath);
      const started = performance.now();
      await page.locator('#verify').click();
      let peak = 0;
      while (!(await page.locator('#verdict').isVisible())) {
        peak = Math.max(peak, ...(await listRenderers()).map(pid => residentOf(pid)));
        await page.waitForTimeout(100);
      }
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `${statSync(given.original).size / mebibyte} MiB: ${seconds.toFixed(1)} s, peak ${peak.toFixed(0)} MiB`,
      );
      expect(await page.locator('.outcome').textContent()).toBe('INDETERMINATE');
      expect(await page.locator('.check.FAIL, .check.ERROR').count()).toBe(0);
      peaks.push(peak);
      await page.close();
    }
    const [small = 0, large = Number.POSITIVE_INFINITY] = peaks;
    expect(large - small).toBeLessThan(128);
  });
});
