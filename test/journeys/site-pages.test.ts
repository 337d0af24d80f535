// Journeys of the server's pages in a real browser: readable, by keyboard, on a phone and in dark mode, without script
// and without any other server.

import { join } from 'node:path';
import * as auth from '@recordproof/shared/api/auth.ts';
import * as monitor from '@recordproof/shared/api/monitor.ts';
import * as site from '@recordproof/shared/api/site.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import type { TestHttp } from '../support/http.ts';
import { endpointsIn } from '../support/openapi.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { openSiteOf } from '../support/site.ts';

const wide = { width: 1280, height: 860 };
const phone = { width: 320, height: 640 };
const endpoints = [...endpointsIn(auth), ...endpointsIn(monitor), ...sampleEndpoints];
const siteEndpoints = endpointsIn(site);

if (chromiumPath === undefined) console.warn(`The pages are not looked at: ${noChromium}.`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  let browser: Browser;
  let http: TestHttp;

  beforeAll(async () => {
    browser = await launchChromium();
    http = await openSiteOf(endpoints, 'http://127.0.0.1:8080');
  });
  afterAll(async () => {
    await browser?.close();
    await http?.[Symbol.asyncDispose]();
  });

  /** Opens a page, passes it to the test, and expects no requests to other servers and no console errors. */
  async function visit(path: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>) {
    const context = await browser.newContext({ viewport: wide, ...options });
    const complaints: string[] = [];
    const page = await context.newPage();
    page.on('request', request => {
      if (!request.url().startsWith(http.url)) complaints.push(`asked ${request.url()}`);
    });
    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(http.url + path);
    await look(page);
    expect(complaints).toEqual([]);
    await context.close();
  }

  /** One operation of every shape: axe checks each element, and the others are rendered by the same code. */
  const openSome = (page: Page) =>
    page.evaluate(() => {
      for (const name of ['login', 'listThings', 'sendThing', 'getHealth']) {
        const endpoint = document.getElementById(name)?.closest('details');
        if (endpoint) endpoint.open = true;
      }
    });

  const visitAccessible = (path: string, colorScheme: 'light' | 'dark', viewport: typeof wide) =>
    visit(path, { colorScheme, viewport }, async page => {
      await openSome(page);
      await expectAccessible(page);
    });

  test.each([['/', 'light', wide]] as const)('%s in %s has no axe violations at %o', visitAccessible);

  test.each([
    ['/', 'dark', phone],
    ['/docs', 'light', wide],
    ['/setup', 'light', phone],
    ['/setup', 'dark', wide],
    ['/docs', 'dark', phone],
  ] as const)('%s in %s has no axe violations at %o', { tags: 'long' }, visitAccessible);

  test('endpoints can be filtered, opened and closed by keyboard alone', async () => {
    await visit('/docs', {}, async page => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
      await page.keyboard.press('/');
      await page.keyboard.type('auth/setup');
      expect(await page.locator('.endpoint:visible').count()).toBe(1);
      expect(await page.locator('#found').textContent()).toBe('1 endpoint');
      expect(await page.locator('section:visible').count()).toBe(1);
      const summary = page.locator('.endpoint:visible summary');
      await summary.focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('#setUp').isVisible()).toBe(true);
      await page.locator('#filter').focus();
      await page.keyboard.press('Escape');
      expect(await page.locator('.endpoint:visible').count()).toBe(endpoints.length + siteEndpoints.length);
    });
  });

  test('a call can be copied and tried out, and a search without results is reported', { tags: 'long' }, async () => {
    await visit('/docs#getHealth', {}, async page => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const endpoint = page.locator('details.endpoint', { has: page.locator('#getHealth') });
      await endpoint.getByRole('button', { name: 'Copy' }).click();
      await endpoint.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl 'http:\S+\/actuator\/health'/);
      await page.goto(`${http.url}/docs#getOpenApi`);
      const other = page.locator('details.endpoint', { has: page.locator('#getOpenApi') });
      await other.getByText('Try it').click();
      await other.getByRole('button', { name: 'Send' }).click();
      await other.getByText('"openapi": "3.1').waitFor();
      await expectAccessible(page);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'docs-try.png') });
      await page.locator('#filter').fill('no such word');
      await page.getByText('Nothing here has all of these words').waitFor();
    });
  });

  test.each([
    ['/', '本页的全部内容都来自这台服务器'],
    ['/setup', '本页的全部内容都来自这台服务器'],
    ['/docs', '本页的全部内容都来自这台服务器'],
    ['/verify', '本页的任何内容都不来自别处'],
  ])('%s is shown in Chinese to a Chinese browser', { tags: 'long' }, async (path, foot) => {
    await visit(path, { locale: 'zh-CN' }, async page => {
      expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh');
      expect(await page.locator('h1').textContent()).toMatch(/\p{Script=Han}/u);
      expect(await page.locator('.foot').textContent()).toContain(foot);
    });
  });

  test('an anchor opens its endpoint below the banner, also when it was filtered out', async () => {
    await visit('/docs#getHealth', {}, async page => {
      const isInView = (id: string) =>
        page.evaluate(name => {
          const top = document.getElementById(name)?.getBoundingClientRect().top ?? -1;
          const banner = document.querySelector('.banner')?.getBoundingClientRect().bottom ?? 0;
          return top >= banner && top < innerHeight;
        }, id);
      expect(await isInView('getHealth')).toBe(true);
      await page.locator('#filter').fill('openapi');
      await page.evaluate(() => {
        location.hash = '#login';
      });
      await page.locator('#login').waitFor({ state: 'visible' });
      expect(await isInView('login')).toBe(true);
      expect(await page.locator('#filter').inputValue()).toBe('');
    });
  });

  test.each([700, 900, 1000, 1200, 1600])(
    'at %i pixels a summary has room for its text',
    { tags: 'long' },
    async width => {
      await visit('/docs', { viewport: { width, height: 860 } }, async page => {
        const narrow = await page
          .locator('.about')
          .evaluateAll(all => all.filter(about => about.clientWidth < 240).map(about => about.textContent));
        expect(narrow).toEqual([]);
        if (process.env.SCREENSHOTS)
          await page.screenshot({ path: join(process.env.SCREENSHOTS, `docs-${width}.png`) });
      });
    },
  );

  test('without script everything can be read', async () => {
    await visit('/docs', { javaScriptEnabled: false }, async page => {
      expect(await page.locator('.endpoint:visible').count()).toBe(endpoints.length + siteEndpoints.length);
      expect(await page.locator('#filter').isDisabled()).toBe(true);
      await page.locator('.endpoint summary').first().click();
      expect(await page.locator('.endpoint .body').first().isVisible()).toBe(true);
    });
  });
});
