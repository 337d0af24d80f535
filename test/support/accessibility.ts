// Accessibility of pages, checked by axe in the page itself.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page of any browser. */
type ScriptedPage = { evaluate(expression: string): Promise<unknown> };

/** Each violation with the elements that have it. `rules`: these only. */
export async function findViolations(page: ScriptedPage, rules: readonly string[] = []): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  // Our pages have no frames.
  const options = { resultTypes: ['violations'], iframes: false, ...(rules.length > 0 && { runOnly: rules }) };
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' '))))`);
  return JSON.parse(String(found));
}

/** Expects no violations, and nothing that is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  const [needed, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(needed).toBeLessThanOrEqual(available ?? 0);
}
