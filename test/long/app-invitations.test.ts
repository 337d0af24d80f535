// Journeys of invitations: an administrator invites people in the app and on the command line; they create their
// accounts in both.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../../cli/src/testing.ts';
import { startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn } from '../support/app-page.ts';
import { launchChromium } from '../support/chromium.ts';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  app = await startApp({ env: { ACCOUNTS_REGISTRATION: 'invite' } });
  await app.person('root', { role: 'admin' });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const linkIn = (text: string): string => /\S*invitation=[0-9A-Za-z]{44}/.exec(text)?.[0] ?? '';

test('an invitation by mail is created and accepted in the app, and shown as accepted', async () => {
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await page.getByRole('link', { name: 'I have an invitation' }).waitFor();
  await expectFit(page, 'sign-in-by-invitation');
  await signIn(page, 'root');
  await goTo(page, 'Administration');
  await page.getByRole('link', { name: 'Invitations' }).click();
  await page.getByRole('heading', { name: 'No invitations' }).waitFor();
  await page.getByLabel('E-mail address').fill('grace@example.org');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('The invitation is being mailed to grace@example.org.').waitFor();
  await page.getByRole('cell', { name: 'grace@example.org' }).waitFor();
  await expectFit(page, 'admin-invitations');
  await app.drain();
  const [mail] = await app.mailsTo('grace@example.org');

  const guest = await openAppPage(browser, app.app.url, { viewport: phone });
  await guest.page.goto('about:blank');
  await guest.page.goto(linkIn(mail?.text ?? ''));
  await guest.page.getByText('Invited: grace@example.org.').waitFor();
  await guest.page.getByLabel('User name').fill('grace');
  await guest.page.getByLabel('New password').fill(testPassword);
  await expectFit(guest.page, 'invited');
  await guest.page.getByRole('button', { name: 'Create the account' }).click();
  await guest.page.getByRole('heading', { name: 'No files yet' }).waitFor();

  await page.reload();
  await page.getByText('Accepted').waitFor();
  expect([...complaints, ...guest.complaints]).toEqual([]);
});

test('a revoked invitation link no longer works, and a pasted link requires a code', async () => {
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await signIn(page, 'root');
  await goTo(page, 'Administration');
  await page.getByRole('link', { name: 'Invitations' }).click();
  const invite = async () => {
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Pass it on now: it is not shown again.').waitFor();
    return linkIn((await page.getByRole('status').allInnerTexts()).join(' '));
  };
  const revoked = await invite();
  await expectFit(page, 'admin-invitation-link');
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked').waitFor();
  await page.reload();
  const good = await invite();
  expect(good).not.toBe(revoked);

  const guest = await openAppPage(browser, app.app.url);
  await guest.page.getByRole('link', { name: 'I have an invitation' }).click();
  await guest.page.getByLabel('Invitation').fill(revoked);
  await guest.page.getByRole('button', { name: 'Use the invitation' }).click();
  await guest.page.getByText('This invitation is wrong, used, revoked or expired.').waitFor();
  await expectFit(guest.page, 'invitation-unusable');
  await guest.page.getByLabel('Invitation').fill(good);
  await guest.page.getByRole('button', { name: 'Use the invitation' }).click();
  await guest.page.getByLabel('E-mail address').fill('alan@example.org');
  await guest.page.getByRole('button', { name: 'Send a code' }).click();
  await guest.page.getByLabel('Code from the e-mail').waitFor();
  await guest.page.getByLabel('Code from the e-mail').fill(await app.mailedCode('alan@example.org'));
  await guest.page.getByLabel('User name').fill('alan');
  await guest.page.getByLabel('New password').fill(testPassword);
  await guest.page.getByRole('button', { name: 'Create the account' }).click();
  await guest.page.getByRole('heading', { name: 'No files yet' }).waitFor();
  expect([...complaints, ...guest.complaints]).toEqual([]);
});

test('on the command line registration is rejected without an invitation and succeeds with one', async () => {
  const server = { url: app.app.url };
  await using admin = await openHome(server);
  await using guest = await openHome(server);
  const input = `${testPassword}\n`;
  const uninvited = await guest.run(['register', '--email', 'ada@example.org']);
  expect(uninvited).toMatchObject({ code: 77, stdout: '' });
  expect(uninvited.stderr).toContain('by invitation only');
  expect(uninvited.stderr).toContain('register --invitation');

  expect(await admin.run(['login', '--username', 'root', '--password-stdin'], { input })).toMatchObject({ code: 0 });
  const created = await admin.run([
    'admin',
    'invitations',
    'create',
    '--email',
    'ada@example.org',
    '--role',
    'monitor',
  ]);
  expect(created).toMatchObject({ code: 0, stdout: '' });
  await app.drain();
  const [mail] = await app.mailsTo('ada@example.org');
  const accept = ['register', '--invitation', linkIn(mail?.text ?? ''), '--username', 'ada', '--password-stdin'];
  expect(await guest.run(accept, { input })).toMatchObject({ code: 0 });
  expect((await guest.run(['whoami'])).stdout).toMatch(/^role +monitor$/m);

  const byLink = await admin.run(['admin', 'invitations', 'create', '--expires', '2h']);
  const invitation = ['register', '--invitation', linkIn(byLink.stdout), '--email', 'joe@example.org'];
  expect(await guest.run(invitation)).toMatchObject({ code: 0 });
  const code = await app.mailedCode('joe@example.org');
  const rest = ['--code', code, '--username', 'joe', '--password-stdin'];
  expect(await guest.run([...invitation, ...rest], { input })).toMatchObject({ code: 0 });

  const another = JSON.parse((await admin.run(['admin', 'invitations', 'create', '--json'])).stdout);
  const { id } = another.invitation;
  expect(await admin.run(['admin', 'invitations', 'revoke', id])).toMatchObject({ code: 0 });
  expect((await admin.run(['admin', 'invitations', 'list', '--state', 'REVOKED'])).stdout).toContain(id);
});

test('an administrator creates accounts by keyboard, with and without a password, and opens their panels', async () => {
  const { page, complaints } = await openAppPage(browser, app.app.url, { viewport: phone });
  await signIn(page, 'root');
  await page.goto(`${app.app.url}/app/#/admin?part=users`);
  await page.getByRole('button', { name: 'Create account' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name', { exact: true }).fill('grete');
  await dialog.getByLabel('E-mail address', { exact: true }).fill('not-an-address');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('E-mail address', { exact: true }).fill('grete@example.org');
  await dialog.getByText('recordproof admin users create --email grete@example.org --role user grete').waitFor();
  await expectFit(page, 'admin-user-create');
  await page.keyboard.press('Enter');
  await dialog.getByText('The account grete is created.').waitFor();
  const password = await dialog.getByRole('code').textContent();
  await expectFit(page, 'admin-user-created');
  await dialog.getByRole('button', { name: 'Open account' }).press('Enter');
  await page.getByLabel('Largest total size').waitFor();
  await page.setViewportSize(phone);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  const guest = await openAppPage(browser, app.app.url);
  await signIn(guest.page, 'grete', password ?? '');

  const chinese = await openAppPage(browser, app.app.url, { viewport: phone, locale: 'zh-CN' });
  await chinese.page.locator('input[autocomplete=username]').fill('root');
  await chinese.page.locator('input[autocomplete=current-password]').fill(testPassword);
  await chinese.page.keyboard.press('Enter');
  await chinese.page.getByRole('navigation').first().waitFor();
  await chinese.page.goto(`${app.app.url}/app/#/admin?part=users`);
  await chinese.page.getByRole('button', { name: '创建账户' }).press('Enter');
  const form = chinese.page.getByRole('dialog');
  await form.getByLabel('用户名', { exact: true }).fill('张三四');
  await form.getByLabel('邮箱地址', { exact: true }).fill('zhang@example.org');
  await form.getByLabel('密码', { exact: true }).fill(testPassword);
  await expectFit(chinese.page, 'admin-user-create-zh');
  await chinese.page.keyboard.press('Enter');
  await form.getByText('已创建账户 张三四。').waitFor();
  expect(await form.getByRole('code').count()).toBe(0);
  expect([...complaints, ...guest.complaints, ...chinese.complaints]).toEqual([]);
});

test('the panel of an account sets its quota and deletes it', async () => {
  await app.person('leaver');
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await signIn(page, 'root');
  await goTo(page, 'Administration');
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'leaver', exact: true }).click();
  await page.getByLabel('Largest total size').fill('7GB');
  await page.getByRole('button', { name: 'Set quota' }).click();
  await page.getByText('The quota is set.').waitFor();
  await page.getByText('In force: 7').waitFor();
  await expectFit(page, 'admin-user-quota');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('dialog').getByText('Proofs stay verifiable.').waitFor();
  await expectFit(page, 'admin-user-delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'leaver', exact: true }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('on the command line an administrator creates an account, sets its quota and deletes it', async () => {
  await using admin = await openHome({ url: app.app.url });
  await using guest = await openHome({ url: app.app.url });
  const input = `${testPassword}\n`;
  await admin.run(['login', '--username', 'root', '--password-stdin'], { input });
  const created = await admin.run(['admin', 'users', 'create', 'eve', '--email', 'eve@example.org', '--json']);
  const { password } = JSON.parse(created.stdout);
  const login = ['login', '--username', 'eve', '--password-stdin'];
  expect(await guest.run(login, { input: password })).toMatchObject({ code: 0 });
  const quota = await admin.run(['admin', 'users', 'quota', 'eve', '--bytes', '7GB', '--files', '12']);
  expect(quota.stdout).toContain('0 of 12 (set for this account)');
  const unasked = await admin.run(['admin', 'users', 'delete', 'eve', '--files', 'keep']);
  expect(unasked.code).not.toBe(0);
  const remove = ['admin', 'users', 'delete', 'eve', '--files', 'keep', '--yes'];
  expect(await admin.run(remove)).toMatchObject({ code: 0 });
  expect(await guest.run(['whoami'])).toMatchObject({ code: 77 });
  expect(await admin.run(['admin', 'users', 'delete', 'root', '--files', 'keep', '--yes'])).toMatchObject({ code: 1 });
});
