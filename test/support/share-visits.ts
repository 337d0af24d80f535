// Visits to the page of a share in Chromium.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

export const wide = { width: 1280, height: 860 };

type VisitOptions = BrowserContextOptions & {
  /** Lines of the console that are no error in this visit. */
  readonly expected?: RegExp;
};

type Visit = { readonly browser: Browser; readonly url: string; readonly code: string };

/** Opens a page, passes it to the test, and expects no requests to other servers and no unexpected console errors. */
export async function visitShare(
  { browser, url, code }: Visit,
  { expected = /^$/, ...options }: VisitOptions,
  during: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: wide, acceptDownloads: true, ...options });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('request', request => {
    if (!/^(http:\/\/127\.0\.0\.1|blob:)/.test(request.url())) complaints.push(`asked ${request.url()}`);
  });
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('dialog', dialog => complaints.push(`a dialog: ${dialog.message()}`));
  await page.goto(`${url}/s/${code}`);
  await during(page);
  expect(complaints.filter(complaint => !expected.test(complaint))).toEqual([]);
  await context.close();
}
