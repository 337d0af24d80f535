// Accessibility of pages in Firefox: axe runs in the page itself. Screenshots are saved where SCREENSHOTS is set.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findViolations } from './accessibility.ts';
import type { FirefoxPage } from './firefox-page.ts';

/** Expects no violations in what the page shows now. */
export async function expectAccessible(page: FirefoxPage, name: string): Promise<void> {
  await page.atRest();
  expect(await findViolations(page), name).toEqual([]);
  const folder = process.env.SCREENSHOTS;
  if (folder) await writeFile(join(folder, `firefox-${name}.png`), await page.screenshot());
}
