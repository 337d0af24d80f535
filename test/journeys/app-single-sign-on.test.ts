// Journeys of single sign-on in Chromium through oidc-provider: a first sign-in, a reload, a program with a device
// code, sign-out at the provider, a rejection, and recovery with a one-time link.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../../cli/src/testing.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone } from '../support/app-page.ts';
import { findFreePort } from '../support/child-process.ts';
import { launchChromium } from '../support/chromium.ts';
import { type OidcProvider, openOidcProvider } from '../support/oidc-provider.ts';
import { databaseOf, runServerCommand } from '../support/run-server-command.ts';

let app: TestApp;
let company: OidcProvider;
let browser: Browser;

beforeAll(async () => {
  const port = await findFreePort();
  company = await openOidcProvider('company', `http://127.0.0.1:${port}`);
  const env = { ...company.settings, RECORDPROOF_PORT: String(port), ACCOUNTS_LOCAL_SIGN_IN: 'false' };
  app = await startApp({ env });
  await app.person('root', { role: 'admin' });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
});

/** Fills in the pages of oidc-provider. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main navigation' });
const button = (page: Page, name: string) => page.getByRole('button', { name });

test('a person signs in through the provider, reloads, sees the connection, and signs out of both', {
  tags: 'long',
}, async () => {
  const { page } = await openAppPage(browser, app.app.url);
  await button(page, 'Sign in with Company').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await expectFit(page, 'single-sign-on');
  await button(page, 'Sign in with Company').click();
  await signInAtProvider(page, 'ada');
  await navigation(page).waitFor();
  await page.reload();
  await navigation(page).waitFor();
  await goTo(page, 'Account');
  await page.getByText('Created this account').waitFor();
  await expectFit(page, 'connections');
  await button(page, 'Sign out').first().click();
  await page.waitForURL(`${company.issuer}/**`);
  await page.locator('button[type=submit]').first().click();
  await button(page, 'Sign in with Company').waitFor();
});

test('an action that requires a fresh factor opens the provider in another page, and continues', {
  tags: 'long',
}, async () => {
  const { page } = await openAppPage(browser, app.app.url);
  await button(page, 'Sign in with Company').click();
  await signInAtProvider(page, 'grace');
  await navigation(page).waitFor();
  app.clock.advance(11 * 60_000);
  await goTo(page, 'Account');
  await button(page, 'Set up one-time codes').click();
  await page.getByText('This session began at a provider.').waitFor();
  await expectFit(page, 'step-up-at-provider');
  const opened = page.waitForEvent('popup');
  await button(page, 'Sign in at the provider').click();
  const provider = await opened;
  const closed = provider.waitForEvent('close');
  await provider.locator('input[name=login]').fill('grace');
  await provider.locator('input[name=password]').fill('any');
  await provider.locator('button[type=submit]').click();
  await closed;
  await page.getByRole('img', { name: 'QR code for the app' }).waitFor();
});

test('the reason for a rejected sign-in is shown in both languages', { tags: 'long' }, async () => {
  for (const [locale, text] of [
    ['en', 'Your domain or group is not admitted'],
    ['zh-CN', '此服务器不接受您的域或组'],
  ] as const) {
    const { page } = await openAppPage(browser, app.app.url, { viewport: phone, locale });
    await page.goto(`${app.app.url}/app/#/?problem=not-admitted`);
    await page.getByText(text).waitFor();
    await expectFit(page, `single-sign-on-problem-${locale}`);
  }
});

test('a command line without a browser signs in with a code that is entered elsewhere', { tags: 'long' }, async () => {
  await using home = await openHome(app.app);
  const shown = Promise.withResolvers<string>();
  const login = home.run(['login', '--sso', 'company', '--device'], {
    onNote: part => {
      const code = /enter the code .*?([B-Z]{4}-[B-Z]{4})/.exec(part)?.[1];
      if (code !== undefined) shown.resolve(code);
    },
  });
  const { page } = await openAppPage(browser, app.app.url);
  await page.goto(`${app.app.url}/app/#/device`);
  await page.getByLabel('Code').fill(await shown.promise);
  await expectFit(page, 'device-code');
  await button(page, 'Next').click();
  await page.getByText('Continue only if you started it yourself.').waitFor();
  await expectFit(page, 'device-approval');
  await button(page, 'Sign in with Company').click();
  await signInAtProvider(page, 'ada');
  await page.getByText('The program is signed in.').waitFor();
  expect(await login).toMatchObject({ code: 0 });
});

test('an administrator without access signs in once with a link created on the server', { tags: 'long' }, async () => {
  const { port } = app.config.http;
  const env = { RECORDPROOF_DATA: app.folder, RECORDPROOF_PORT: String(port), ...databaseOf(app) };
  const { code, out, err } = await runServerCommand(['admin', 'sign-in-link', '--username', 'root'], env).ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [link = ''] = out.split('\n');
  for (const isFirst of [true, false]) {
    const { page } = await openAppPage(browser, app.app.url);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('heading', { name: 'One-time sign-in link' }).waitFor();
    if (isFirst) await expectFit(page, 'sign-in-link');
    await button(page, 'Sign in with this link').click();
    if (isFirst) await navigation(page).waitFor();
    else await page.locator('.problem').waitFor();
  }
});
