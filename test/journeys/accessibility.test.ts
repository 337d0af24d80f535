// The check of accessibility itself: it finds what is wrong on a page, and nothing on a sound one.
import { expect, test } from 'vitest';
import { expectAccessible, findViolations } from '../support/accessibility.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';

const toPage = (content: string) =>
  `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>${content}</main></html>`;
const pale = '<p style="color: #bbb; background: #fff">pale</p>';
const unnamed = '<button id="unnamed"></button>';

test.skipIf(chromiumPath === undefined)('pale text, unnamed buttons and wide elements are found', async () => {
  await using closing = new AsyncDisposableStack();
  const browser = await launchChromium();
  closing.defer(() => browser.close());
  const page = await browser.newPage();
  await page.setContent(toPage(pale + unnamed));
  const found = await findViolations(page);
  expect(found.map(one => one.split(':')[0]).sort()).toEqual(['button-name', 'color-contrast']);
  expect(found.join()).toContain('id="unnamed"');
  expect(await findViolations(page, ['color-contrast'])).toEqual([expect.stringMatching(/^color-contrast: .*pale/)]);
  await expect(expectAccessible(page)).rejects.toThrow('deeply equal');
  await page.setContent(toPage('<p>sound</p>'));
  await expectAccessible(page);
  await page.setContent(toPage('<p style="width: 5000px">wide</p>'));
  await expect(expectAccessible(page)).rejects.toThrow('less than or equal');
});
