// Documents of `recordproof-verify certificate`, opened from a disk in a browser: in light and dark, on a phone and on
// paper.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { installed } from '../support/installed.ts';

const vectors = fileURLToPath(new URL('../vectors/', import.meta.url));

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-page-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  async function expectReadable(name: string, file: string, outcome: string, code: number): Promise<void> {
    const out = join(folder, `${outcome}.html`);
    const args = ['certificate', `--file=${vectors}common/${file}`, `--proof=${vectors}${name}/proof.zip`];
    expect(spawnSync(installed.verifier.file, [...installed.verifier.args, ...args, `--out=${out}`]).status).toBe(code);
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', message => complaints.push(message.text()));
      await page.goto(pathToFileURL(out).href);
      expect(await page.locator('.outcome').textContent()).toBe(outcome);
      expect(await page.locator('tbody tr.PASS, tbody tr.FAIL, tbody tr[class]').count()).toBe(21);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
      await context.close();
    }
  }

  test.each([['key-none_ok', 'plain.bin', 'INDETERMINATE', 3]] as const)('%s with %s reads %s', expectReadable);

  test.each([
    ['key-none_ok', 'another-file.bin', 'INVALID', 2],
    ['zip-comment_fail', 'plain.bin', 'ERROR', 4],
  ] as const)('%s with %s reads %s', { tags: 'long' }, expectReadable);
});
