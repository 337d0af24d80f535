// Accessibility of pages, checked by axe in the page itself.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expression for each violation with the elements that have it, in a page that has axe. `rules`: these only. */
export function toAxeRun(rules: readonly string[] = []): string {
  // Our pages have no frames.
  const options = { resultTypes: ['violations'], iframes: false, ...(rules.length > 0 && { runOnly: rules }) };
  return `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
}

export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  return page.evaluate<string[]>(toAxeRun(rules));
}

/** Expects no violations, and nothing that is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  const [needed, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(needed).toBeLessThanOrEqual(available ?? 0);
}
