// Journeys of an installation administrator in the app: tenants and maintenance mode, by keyboard, in both languages.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'tenants in the app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    await app.person('root', { isInstallationAdmin: true });
    await app.person('boss', { role: 'admin', tenant: 'acme' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const openPart = (page: Page, part: string) =>
    page.getByRole('navigation', { name: 'Administration navigation' }).getByRole('link', { name: part }).click();

  test('a tenant is created, suspended, reactivated and deleted; maintenance is started and ended', async () => {
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, 'root');
    await goTo(page, 'Administration');
    await openPart(page, 'Tenants');
    const table = page.getByRole('table', { name: 'Tenants' });
    await table.waitFor();
    await page.getByLabel('Name of the tenant').fill('globex');
    await page.keyboard.press('Enter');
    await page.getByText('Tenant globex is created.').waitFor();
    await expectFit(page, 'admin-tenants');
    const acme = table.getByRole('row', { name: /^acme/ });
    await acme.getByRole('button', { name: 'Suspend' }).focus();
    await page.keyboard.press('Enter');
    await expectFit(page, 'admin-tenant-suspend');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click();
    await acme.getByText('Suspended').waitFor();
    await acme.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reactivate', exact: true }).click();
    await acme.getByText('Active').waitFor();
    await acme.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the tenant, as confirmation').fill('acm');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('repeat its name').waitFor();
    await expectFit(page, 'admin-tenant-delete');
    await dialog.getByLabel('Name of the tenant, as confirmation').fill('acme');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await acme.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Start maintenance' }).click();
    await dialog.getByLabel('Message for the users').fill('Back at 18:00 UTC.');
    await dialog.getByRole('button', { name: 'Start maintenance' }).click();
    await page.getByRole('button', { name: 'End maintenance' }).waitFor();
    await page.reload();
    await page.getByText('Maintenance: nothing can be changed. Back at 18:00 UTC.').waitFor();
    await expectFit(page, 'admin-maintenance');
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await page.getByRole('button', { name: 'Start maintenance' }).waitFor();
    // The browser reports the one rejection that the test provokes.
    expect(complaints.filter(text => !text.includes('400'))).toEqual([]);
  });

  test('an administrator of a tenant has no tenant administration', async () => {
    await app.person('plain', { role: 'admin' });
    const { page } = await openAppPage(browser, app.app.url);
    await signIn(page, 'plain');
    await goTo(page, 'Administration');
    const parts = page.getByRole('navigation', { name: 'Administration navigation' });
    await parts.getByRole('link', { name: 'Users' }).waitFor();
    expect(await parts.getByRole('link', { name: 'Tenants' }).count()).toBe(0);
  });
});
