// The app in Firefox: steps that all its journeys share.
import { expect } from 'vitest';
import { testPassword } from './app.ts';
import type { Firefox } from './firefox.ts';
import type { FirefoxPage, Wanted } from './firefox-page.ts';

export const phone = { width: 390, height: 780 };

export const dialog = 'dialog[open]';
export const panel = 'aside';
export const tray = 'section.tray';

export const button = (name: string, within?: string): Wanted => ({
  role: 'button',
  name,
  ...(within !== undefined && { within }),
});

/** The name of a file in the list. */
export const row = (name: string): Wanted => ({ css: `[role=row] [title="${name}"]` });

type Opening = { readonly viewport?: { readonly width: number; readonly height: number } };

/** A signed-in page; it gets events of the server. */
export async function openApp(
  firefox: Firefox,
  url: string,
  username: string,
  options: Opening = {},
): Promise<FirefoxPage> {
  const page = await firefox.newPage(options);
  await page.goTo(`${url}/app`);
  await page.fill({ label: 'User name or e-mail address' }, username);
  await page.fill({ label: 'Password' }, testPassword);
  await page.keys('Enter');
  await page.find({ css: '.feed.live' });
  return page;
}

/** By the navigation; waits until the screen is there. */
export async function goToScreen(page: FirefoxPage, name: string, title: string): Promise<void> {
  await page.press({ css: `nav.side a[href^="#/${name}"]` });
  await expect.poll(() => page.evaluate('document.title')).toBe(`${title} – RecordProof`);
}

export const expectFocus = (page: FirefoxPage, expression: string): Promise<void> =>
  expect.poll(() => page.evaluate(`document.activeElement.matches(${JSON.stringify(expression)})`)).toBe(true);

/** Tabs from where the focus is to the first element that matches. */
export async function tabTo(page: FirefoxPage, wanted: string): Promise<void> {
  await page.find({ css: wanted });
  const passed: unknown[] = [];
  while (!(await page.evaluate(`document.activeElement.matches(${JSON.stringify(wanted)})`))) {
    if (passed.length === 120) throw new Error(`${wanted} is not among: ${passed.join(' | ')}`);
    await page.keys('Tab');
    passed.push(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'));
  }
}
