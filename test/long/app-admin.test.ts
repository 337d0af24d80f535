// Journeys of administrators in the app: the views and actions that they have, and that other accounts do not see.
import { randomBytes } from 'node:crypto';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { endUserSessions } from '@recordproof/shared/api/accounts.ts';
import { login, me } from '@recordproof/shared/api/auth.ts';
import { getBackfill, startBackfill } from '@recordproof/shared/api/backfill.ts';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { getKeyRotation, putKeyRotationPolicy, startKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn, wide } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { accountOf } from '../support/events.ts';
import { openTicket, readTicket } from '../support/tickets.ts';
import { sendFile } from '../support/uploads.ts';

const rotation = {
  expectedProvider: 'local',
  expectedProviderContract: 1,
  expectedProviderKeyVersion: '1',
  targetLogicalKeyVersion: 1,
};

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'administration in the app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let root: Person;
  let url: string;

  beforeAll(async () => {
    // Runs keep their state: no worker processes them.
    app = await startApp({ env: { KEY_ROTATION_ENABLED: 'false', BACKFILL_WORKER_ENABLED: 'false' } });
    url = app.app.url;
    root = await app.person('root', { role: 'admin' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function openPart(page: Page, part: string): Promise<void> {
    await page.getByRole('navigation', { name: 'Administration navigation' }).getByRole('link', { name: part }).click();
  }

  /** Answers the open dialog; `yes` is the label of the confirming button. */
  async function answer(page: Page, yes: string): Promise<void> {
    await page.getByRole('dialog').getByRole('button', { name: yes, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  test('an administrator finds a user, changes the role, suspends the account and reactivates it', async () => {
    await app.person('ada');
    const grace = await app.person('grace');
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'root');
    await goTo(page, 'Administration');
    await page.getByText('All is well').waitFor();
    await expectFit(page, 'admin-health');
    await page.setViewportSize(phone);
    const tabs = page.getByRole('navigation', { name: 'Administration navigation' }).getByRole('link');
    const isCut = (link: Element) => link.scrollWidth > link.clientWidth;
    for (const tab of await tabs.all()) expect(await tab.evaluate(isCut), (await tab.textContent()) ?? '').toBe(false);
    await page.setViewportSize(wide);
    await openPart(page, 'Users');
    await page.getByRole('table', { name: 'Users' }).waitFor();
    await expectFit(page, 'admin-users');
    await page.getByLabel('Search users').fill('grac');
    await page.getByRole('button', { name: 'ada' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'grace' }).click();
    await page.getByRole('complementary').getByText('recordproof admin users suspend grace').waitFor();
    await expectFit(page, 'admin-user');
    await page.getByText('Monitor', { exact: true }).click();
    await page.getByLabel('Reason').fill('on call');
    await expectFit(page, 'admin-ask');
    await answer(page, 'Change the role');
    await expect.poll(() => page.getByRole('radio', { name: 'Monitor' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await answer(page, 'Suspend');
    await page.getByRole('complementary').getByText('Suspended').waitFor();
    const credentials = { body: { username: 'grace', password: testPassword } };
    expect(await grace.expectError(login, credentials)).toMatchObject({ kind: 'USER_ACCOUNT_FORBIDDEN' });
    await page.getByRole('button', { name: 'Reactivate' }).click();
    await answer(page, 'Reactivate');
    await grace.call(login, credentials);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await answer(page, 'End all sessions');
    await page.getByText('All sessions have ended.').waitFor();
    await byPalette(page);
    expect(complaints).toEqual([]);
  });

  /** Opens a file, a screen and an action by keyboard alone; then uses the shortcuts. */
  async function byPalette(page: Page): Promise<void> {
    await sendFile(root, Buffer.from('budget'), 'budget.txt');
    const openPalette = async () => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').waitFor();
    };
    await openPalette();
    await page.keyboard.type('budg');
    await page.getByRole('option', { name: 'budget.txt' }).waitFor();
    await expectFit(page, 'palette');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByRole('heading', { name: 'budget.txt' }).waitFor();
    await openPalette();
    await page.keyboard.type('check');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check a proof' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectFit(page, 'keys');
    await page.keyboard.press('Escape');
    await openPalette();
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  }

  test('an alert is resolved, a run is paused and resumed, and the audit log names the administrator', async () => {
    await hurtOneFile(app);
    await root.call(putKeyRotationPolicy, { body: rotation });
    const { runId } = await root.call(startKeyRotation, { body: { mode: 'APPLY', requestId: 'one' } });
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'root');
    await goTo(page, 'Administration');
    expect(await page.getByText('All is well').count()).toBe(0);
    await page.getByRole('link', { name: '1 unresolved integrity alert' }).click();
    await page.getByRole('button', { name: 'plan.pdf' }).click();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await page.getByRole('complementary').getByText('Acknowledged').first().waitFor();
    await expectFit(page, 'admin-alert');
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await page.getByLabel('Note').fill('restored');
    await answer(page, 'Resolve');
    await page.getByRole('complementary').getByText('by hand').waitFor();
    await openPart(page, 'Key rotation');
    await page.getByRole('button', { name: `Pause: Run ${runId}` }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await expectFit(page, 'admin-rotation');
    await page.getByRole('button', { name: `Resume: Run ${runId}` }).click();
    await page.getByRole('button', { name: `Pause: Run ${runId}` }).waitFor();
    await page.getByRole('button', { name: `Cancel the run: Run ${runId}` }).click();
    await answer(page, 'Cancel the run');
    expect(await root.call(getKeyRotation, { params: { runId } })).toMatchObject({ status: 'CANCELLED' });
    await pauseScan(page);
    await openPart(page, 'Storage');
    await page.getByText('Records on the chain').first().waitFor();
    await expectFit(page, 'admin-storage');
    await openPart(page, 'Audit');
    await page.getByLabel('Module').fill('key-rotation');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('recordproof admin audit list --module key-rotation').waitFor();
    await page.getByRole('button', { name: 'key-rotation put-policy' }).click();
    await page.getByText('Previous hash').waitFor();
    await expectFit(page, 'admin-audit');
    expect(complaints).toEqual([]);
  });

  /** The panel of another kind of runs, which has no action to cancel one. */
  async function pauseScan(page: Page): Promise<void> {
    await openPart(page, 'Backfill');
    await page.getByText('recordproof admin backfill scan').waitFor();
    const { runId } = await root.call(startBackfill, { body: { mode: 'SCAN' } });
    await page.reload();
    await page.getByRole('button', { name: `Pause: Run ${runId}` }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Cancel the run/ }).count()).toBe(0);
    await page.getByText('turned off on this server').waitFor();
    await expectFit(page, 'admin-backfill');
    await page.getByRole('button', { name: `Resume: Run ${runId}` }).click();
    await page.getByRole('button', { name: `Pause: Run ${runId}` }).waitFor();
    expect(await root.call(getBackfill, { params: { runId } })).toMatchObject({ status: 'PLANNED' });
  }

  test('a monitor sees figures and the audit log without actions; a user sees no administration', async () => {
    await app.person('watcher', { role: 'monitor' });
    await app.person('nobody');
    const { page, complaints } = await openAppPage(browser, url, { locale: 'zh-CN' });
    await page.getByLabel('用户名或邮箱地址').fill('watcher');
    await page.getByLabel('密码', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByRole('link', { name: '管理' }).click();
    const parts = page.getByRole('navigation', { name: '管理导航' }).getByRole('link');
    await expect.poll(() => parts.allInnerTexts()).toEqual(['运行状况', '存储', '审计']);
    await page.getByRole('link', { name: '审计' }).click();
    await page.getByRole('table', { name: '审计' }).waitFor();
    await expectFit(page, 'admin-monitor-zh');
    expect(complaints).toEqual([]);
    const other = await openAppPage(browser, url);
    await signIn(other.page, 'nobody');
    expect(await other.page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await other.page.goto(`${url}/app#/admin?part=users`);
    await other.page.getByRole('heading', { name: 'No files yet' }).waitFor();
    expect(other.complaints).toEqual([]);
  });

  test('ending the sessions of a user shows the sign-in screen at once, also without an action', async () => {
    const alan = await app.person('alan');
    const { page } = await openAppPage(browser, url);
    await signIn(page, 'alan');
    await page.getByText('Live', { exact: true }).waitFor();
    const { userId } = await accountOf(app, 'alan');
    await root.call(endUserSessions, { params: { id: String(userId) } });
    await page.getByText('Your session has ended.').waitFor();
    expect(await alan.expectError(me)).toMatchObject({ status: 401 });
  });

  test('dead jobs appear while the page is open, keep an open dialog, and leave no empty page', async () => {
    await addDead(11);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'root');
    await goTo(page, 'Administration');
    const refreshPage = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const drop = page.getByRole('button', { name: 'Delete job: event.test' });
    await expect.poll(() => drop.count()).toBe(10);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => drop.count()).toBe(1);
    await drop.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await addDead(1);
    await refreshPage();
    await expect.poll(() => page.getByText('gave up').count()).toBe(2);
    await answer(page, 'Delete job');
    await expect.poll(() => drop.count()).toBe(1);
    await drop.click();
    await answer(page, 'Delete job');
    await expect.poll(() => drop.count()).toBe(10);
    expect(complaints).toEqual([]);
  });

  /** Events, which are not jobs. No worker knows their kind. */
  async function addDead(count: number): Promise<void> {
    const row = {
      kind: 'event.test',
      payload: JSON.stringify({ type: 'nothing.happened', payload: {} }),
      state: 'DEAD' as const,
      attempt: 5,
      fence: 5,
      last_error: 'gave up',
      created_at: app.clock.now(),
    };
    const rows = Array.from({ length: count }, () => row);
    await app.app.database.db.insertInto('job').values(rows).execute();
  }

  async function hurtOneFile({ folder }: TestApp): Promise<void> {
    const ada = await app.person('owner');
    const list = () => readdir(join(folder, 'objects', 'objects'), { recursive: true, withFileTypes: true });
    const before = new Set((await list()).map(({ name }) => name));
    await sendFile(ada, randomBytes(50_000), 'plan.pdf');
    const added = (await list()).filter(one => one.isFile() && !before.has(one.name));
    for (const entry of added) await truncate(join(entry.parentPath, entry.name), 100);
    await root.call(checkIntegrity, { body: { level: 'LIGHTWEIGHT' } });
  }

  test('an administrator replies to a ticket, and adds an internal note for administrators only', async () => {
    const may = await app.person('may');
    const { id } = await openTicket(may);
    const { page, complaints } = await openAppPage(browser, url);
    await signIn(page, 'root');
    const parts = page.getByRole('navigation', { name: 'Main navigation' });
    // The number links to the counted rows.
    await parts.getByRole('link', { name: 'Help 1 new' }).click();
    await page.getByText('from may').waitFor();
    await page.getByRole('link', { name: 'It broke' }).click();
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await page.getByText('with root').waitFor();
    await parts.getByRole('link', { name: 'Help', exact: true }).waitFor();
    await reply(page, 'Known since Monday', true);
    await page.getByText('Among administrators').waitFor();
    await reply(page, 'It is mended now', false);
    await page.getByRole('button', { name: 'Ask whether it is solved' }).click();
    await page.getByRole('button', { name: 'Continue work' }).waitFor();
    await expectFit(page, 'ticket-answering');
    const seen = await readTicket(may, id);
    expect([seen.status, seen.assigneeName]).toEqual([2, 'root']);
    expect(seen.replies.records.map(({ content }) => content)).toEqual(['It is mended now']);
    expect(complaints).toEqual([]);
  });

  async function reply(page: Page, words: string, isInternal: boolean): Promise<void> {
    await page.getByLabel('Your reply').fill(words);
    await page.getByLabel('For administrators only').setChecked(isInternal);
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();
  }
});
