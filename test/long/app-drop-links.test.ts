// Journeys of drop links in the app: created from a folder, shown, opened, changed, closed and deleted, on a wide
// screen and on a phone.
import * as api from '@recordproof/shared/api/drop-links.ts';
import { createFolder } from '@recordproof/shared/api/folders.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { expectFit, openAppPage, phone, signIn, wide } from '../support/app-page.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { dropPorts, enter, toDropFile } from '../support/drops.ts';
import { laptop } from '../support/real-proofs.ts';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'drop links in the app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let alice: Person;

  beforeAll(async () => {
    app = await startApp({ env: laptop });
    alice = await app.person('alice');
    await alice.call(createFolder, { body: { path: 'Inbox' } });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  test.each([
    ['wide', wide],
    ['phone', phone],
  ] as const)('an owner creates a drop link for a folder and sees what arrives: %s', async (name, viewport) => {
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await page.setViewportSize(viewport);
    await signIn(page, 'alice');
    await page.goto(`${app.app.url}/app#/files?folder=Inbox`);
    await page.getByRole('button', { name: 'Request files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill(`Papers ${name}`);
    await dialog.getByLabel('Message').fill('One file per answer.');
    await expectFit(page, `drop-create-${name}`);
    await dialog.getByRole('button', { name: 'Request files' }).click();
    const link = await dialog.locator('input[readonly]').inputValue();
    expect(link).toMatch(/\/d\/[0-9A-Za-z]{22}$/);
    await page.keyboard.press('Escape');

    const stranger = await enter(dropPorts(app.app.url, link.split('/').at(-1) ?? ''), { fields: { Name: '李 雷' } });
    await stranger.send(toDropFile(await pattern(5000, viewport.width), `answer-${name}.pdf`));
    await app.drain();
    await page.goto(`${app.app.url}/app#/shares/requests`);
    const item = page.getByRole('listitem').filter({ hasText: `Papers ${name}` });
    await item.getByText('1 of 1000 files').waitFor();
    await expectFit(page, `drop-list-${name}`);
    await item.getByRole('button', { name: 'Arrivals' }).click();
    await page.getByRole('dialog').getByText('Name: 李 雷').waitFor();
    await page.getByRole('dialog').getByText('proof issued').waitFor();
    await expectFit(page, `drop-arrivals-${name}`);
    await page.keyboard.press('Escape');

    await item.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill(`Exams ${name}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    const renamed = page.getByRole('listitem').filter({ hasText: `Exams ${name}` });
    await renamed.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').locator('button.danger').click();
    await renamed.getByText('Closed').waitFor();
    await renamed.getByRole('button', { name: 'Reopen' }).click();
    await renamed.getByText('Open', { exact: true }).waitFor();
    await renamed.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').locator('button.danger').click();
    await renamed.waitFor({ state: 'detached' });
    expect((await alice.call(api.listDropLinks)).total).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
