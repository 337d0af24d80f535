// Journeys of API tokens in the app, at the width of a phone: created by keyboard, used by a program, revoked.
import { expect, test } from 'vitest';
import { openHome } from '../../cli/src/testing.ts';
import { startApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn } from '../support/app-page.ts';
import { launchChromium } from '../support/chromium.ts';

test('a token is created by keyboard, works in a program, and is revoked in the app', async () => {
  await using app = await startApp();
  await app.person('alice');
  await using stack = new AsyncDisposableStack();
  const browser = await launchChromium();
  stack.defer(() => browser.close());
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await signIn(page, 'alice');
  await goTo(page, 'Account');
  await page.setViewportSize(phone);
  await page.getByRole('heading', { name: 'API tokens' }).waitFor();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'API tokens' }) });
  await card.getByLabel('Name').focus();
  await page.keyboard.type('build server');
  await card.getByLabel('Folder').focus();
  await page.keyboard.type('builds');
  await page.keyboard.press('Enter');
  await card.getByText('Copy the token now.').waitFor();
  const token = /rpt_[0-9A-Za-z]{36}/.exec((await card.textContent()) ?? '')?.[0] ?? '';
  await card.getByRole('button', { name: 'Copy token' }).waitFor();
  await expectFit(page, 'account-tokens');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);

  await using home = await openHome(app.app);
  const env = { RECORDPROOF_TOKEN: token };
  const who = await home.run(['whoami'], { env });
  expect(who).toMatchObject({ code: 0 });
  expect(who.stdout).toMatch(/API token +build server[\s\S]*scopes +file:read, file:write[\s\S]*folder +builds/);
  const mistyped = await home.run(['whoami'], { env: { RECORDPROOF_TOKEN: `${token.slice(0, -1)}_` } });
  expect(mistyped.stderr).toContain('typing error');
  const listed = await home.run(['tokens', 'list'], { env });
  expect(listed).toMatchObject({ code: 77, stderr: expect.stringContaining('an API token may not do this') });

  await card.getByRole('button', { name: 'Revoke the token build server' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await card.getByText('revoked').waitFor();
  const dead = await home.run(['whoami'], { env });
  expect(dead).toMatchObject({ code: 77, stderr: expect.stringContaining('this API token has been revoked') });
  expect(complaints).toEqual([]);
});
