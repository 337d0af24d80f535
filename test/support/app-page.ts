// The app in Chromium, against a real server: helpers of all its journeys.
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { findViolations } from './accessibility.ts';
import { testPassword } from './app.ts';

export const wide = { width: 1280, height: 800 };
export const phone = { width: 390, height: 780 };

export type AppPage = { readonly page: Page; readonly complaints: string[] };

/**
 * Records requests to other servers and console errors of the page. Rejections by the server are no errors. A page that a
 * test opens is closed with it: an open one keeps its event stream, and draws.
 */
export async function openAppPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<AppPage> {
  // Tests that delay files of the app would not see the requests of its service worker.
  const context = await browser.newContext({ viewport: wide, serviceWorkers: 'block', ...options });
  if (expect.getState().currentTestName !== undefined) onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('request', request => {
    // The viewer for PDF is a part of the browser.
    const isOwn = /^(blob|chrome|chrome-extension):/.test(request.url()) || request.url().startsWith(url);
    if (!isOwn) complaints.push(`asked ${request.url()}`);
  });
  page.on('console', message => {
    const isRejection = /^Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isRejection) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
  await page.goto(`${url}/app`);
  return { page, complaints };
}

export async function signIn(page: Page, username: string, password: string = testPassword): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
}

/** Waits until the screen is there: before that, elements of the previous screen may be found. */
export async function goTo(page: Page, part: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: part }).click();
  await page.waitForFunction(name => document.title.startsWith(name), part);
}

const themes = ['light', 'dark'] as const;

/** Expects no accessibility violations in either theme; saves screenshots where SCREENSHOTS is set. */
export async function expectFit(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    // Both themes differ in colours only.
    const rules = colorScheme === 'dark' ? ['color-contrast'] : [];
    expect(await findViolations(page, rules), `${name}, ${colorScheme}`).toEqual([]);
    const folder = process.env.SCREENSHOTS;
    if (folder) await takePictures(page, join(folder, `app-${name}-${colorScheme}`));
  }
}

async function takePictures(page: Page, path: string): Promise<void> {
  await page.screenshot({ path: `${path}.png` });
  await page.setViewportSize(phone);
  await page.screenshot({ path: `${path}-phone.png` });
  await page.setViewportSize(wide);
}
