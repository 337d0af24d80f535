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
  await page.expectCount({ css: '.feed.live' }, 1);
  return page;
}

/** By the navigation; waits until the screen is there. */
export async function goToScreen(page: FirefoxPage, name: string, title: string): Promise<void> {
  await page.press({ css: `nav.side a[href^="#/${name}"]` });
  await expect.poll(() => page.evaluate('document.title')).toBe(`${title} – RecordProof`);
}

/** By Tab or Shift and Tab, as the element is after or before the focus: past the ends of a page are those of the browser. */
export async function tabTo(page: FirefoxPage, wanted: Wanted): Promise<void> {
  await page.find(wanted);
  const passed: unknown[] = [];
  while (!(await page.isFocused(wanted))) {
    if (passed.length === 120) throw new Error(`${JSON.stringify(wanted)} is not among: ${passed.join(' | ')}`);
    await page.keys((await page.isBeforeFocus(wanted)) ? 'Shift+Tab' : 'Tab');
    passed.push(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'));
  }
}

export async function pressByKey(page: FirefoxPage, wanted: Wanted, key = 'Enter'): Promise<void> {
  await tabTo(page, wanted);
  await page.keys(key);
}

/** Replaces what the field holds. */
export async function fillByKey(page: FirefoxPage, wanted: Wanted, text: string): Promise<void> {
  await tabTo(page, wanted);
  await page.keys('Control+a');
  await page.type(text);
}

export const expectInWidth = async (page: FirefoxPage, name: string): Promise<void> => {
  const widths = await page.read<number[]>('[document.documentElement.scrollWidth, innerWidth]');
  expect(widths[0], name).toBeLessThanOrEqual(widths[1] ?? 0);
};
