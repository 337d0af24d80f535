// Journeys of sessions and second factors in the app, with Chromium's virtual authenticator: enrolment, sign-in,
// step-up, a lost key, a copied key.
import { updateUserRole } from '@recordproof/shared/api/accounts.ts';
import { putFactorRequirement, resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { Secret, TOTP } from 'otpauth';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { accountOf } from '../support/events.ts';

const minute = 60_000;

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'sign-in in the app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let root: Person;
  /** Passkeys are bound to a host name, also on this machine. */
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    root = await app.person('root', { role: 'admin' });
    url = app.app.url.replace('127.0.0.1', 'localhost');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const codeOf = (secret: string): string =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: app.clock.now() });

  const inDialog = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  async function openAccount(page: Page): Promise<void> {
    await goTo(page, 'Account');
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  }

  async function enterPassword(page: Page, username: string): Promise<void> {
    await page.getByLabel('User name or e-mail address').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await press(page, 'Sign in');
  }

  const untilSignedIn = (page: Page) => page.getByRole('navigation', { name: 'Main navigation' }).waitFor();

  async function signOut(page: Page): Promise<void> {
    await openAccount(page);
    await press(page, 'Sign out');
    await page.getByLabel('User name or e-mail address').waitFor();
  }

  type Authenticator = { readonly cdp: CDPSession; readonly authenticatorId: string };

  async function plugIn(page: Page): Promise<Authenticator> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = {
      ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    };
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
    return { cdp, authenticatorId };
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await openAccount(page);
    await press(page, 'Add a passkey');
    await page.getByLabel('Name of the passkey').fill(name);
    await press(page, 'Add');
    await inDialog(page).getByRole('heading', { name: 'Recovery codes' }).waitFor();
    await press(page, 'I have kept them');
    await page.getByText(name, { exact: true }).waitFor();
  }

  test('one-time codes are set up, and required at the next sign-in and for an administrative action', {
    tags: 'long',
  }, async () => {
    const { page, complaints } = await openAppPage(browser, url);
    await app.person('ada', { role: 'admin' });
    await app.person('pupil');
    await signIn(page, 'ada');
    await openAccount(page);
    await page.getByText('This session').waitFor();
    await expectFit(page, 'account-security');
    await press(page, 'Set up one-time codes');
    await inDialog(page).getByRole('img', { name: 'QR code for the app' }).waitFor();
    await expectFit(page, 'totp-set-up');
    const secret = (await inDialog(page).locator('code').textContent()) ?? '';
    await page.getByLabel('Code that the app shows').fill(codeOf(secret));
    await press(page, 'Confirm');
    await inDialog(page).getByRole('list', { name: 'Recovery codes' }).waitFor();
    expect(await inDialog(page).getByRole('listitem').count()).toBe(10);
    await expectFit(page, 'recovery-codes');
    await press(page, 'I have kept them');
    await page.getByText('10 recovery codes left').waitFor();
    await signOut(page);

    app.clock.advance(minute);
    await enterPassword(page, 'ada');
    await page.getByLabel('Code of your app').fill('000000');
    await expectFit(page, 'second-factor');
    await press(page, 'Sign in');
    await page.getByText('This code is wrong').waitFor();
    await page.getByLabel('Code of your app').fill(codeOf(secret));
    await press(page, 'Sign in');
    await untilSignedIn(page);

    app.clock.advance(11 * minute);
    await goTo(page, 'Administration');
    await page
      .getByRole('navigation', { name: 'Administration navigation' })
      .getByRole('link', { name: 'Users' })
      .click();
    await page.getByRole('button', { name: 'pupil' }).click();
    await page.getByText('Monitor', { exact: true }).click();
    await press(page, 'Change the role');
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await expectFit(page, 'step-up');
    await page.getByLabel('Code of your app').fill(codeOf(secret));
    await press(page, 'Continue');
    await expect.poll(() => inDialog(page).count()).toBe(0);
    await expect.poll(() => page.getByRole('radio', { name: 'Monitor' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a required second factor is set up before the session starts', { tags: 'long' }, async () => {
    await app.person('newcomer', { role: 'monitor' });
    await root.login('root', testPassword);
    await root.call(putFactorRequirement, { body: { roles: ['monitor'], graceDays: 0 } });
    const { page, complaints } = await openAppPage(browser, url);
    await enterPassword(page, 'newcomer');
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await press(page, 'Set up one-time codes');
    const secret = (await page.locator('code').first().textContent()) ?? '';
    await expectFit(page, 'enrolment');
    await page.getByLabel('Code that the app shows').fill(codeOf(secret));
    await press(page, 'Confirm');
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
    await press(page, 'I have kept them');
    await untilSignedIn(page);
    await root.call(putFactorRequirement, { body: { roles: [], graceDays: 14 } });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a required passkey is set up by keyboard, in Chinese on a phone, and signs in afterwards', {
    tags: 'long',
  }, async () => {
    await app.person('mobile', { role: 'monitor' });
    await root.login('root', testPassword);
    await root.call(putFactorRequirement, { body: { roles: ['monitor'], graceDays: 0 } });
    const { page, complaints } = await openAppPage(browser, url, { viewport: phone, locale: 'zh-CN' });
    const { cdp, authenticatorId } = await plugIn(page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByLabel('用户名或邮箱地址').fill('mobile');
    await page.getByLabel('密码', { exact: true }).fill(testPassword);
    await page.keyboard.press('Enter');
    const setUp = page.getByRole('button', { name: '设置通行密钥', exact: true });
    await setUp.waitFor();
    await expectFit(page, 'enrolment-choice');
    await page.setViewportSize(phone);
    await expect.poll(() => setUp.evaluate(button => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor(); // the authenticator did not verify its user
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await expect.poll(() => setUp.evaluate(button => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: '恢复码' }).waitFor();
    expect(await page.getByRole('button', { name: '返回登录' }).count()).toBe(0); // the page would lose them
    expect(await page.getByRole('listitem').count()).toBe(10);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
    await expectFit(page, 'enrolment-codes');
    await page.getByRole('button', { name: '我已保存', exact: true }).click();
    await page.getByRole('navigation').first().waitFor();
    const again = await openAppPage(browser, url);
    const next = await plugIn(again.page);
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    for (const credential of credentials)
      await next.cdp.send('WebAuthn.addCredential', { authenticatorId: next.authenticatorId, credential });
    await press(again.page, 'Use a passkey');
    await untilSignedIn(again.page);
    await openAccount(again.page);
    await again.page.getByText('Chrome, Linux').first().waitFor();
    await root.login('root', testPassword);
    await root.call(putFactorRequirement, { body: { roles: [], graceDays: 14 } });
    expect([...complaints, ...again.complaints]).toEqual([]);
    await page.context().close();
    await again.page.context().close();
  });

  test('at an IP address the app offers no passkey, and explains where passkeys work', { tags: 'long' }, async () => {
    await app.person('by-number');
    const { page } = await openAppPage(browser, app.app.url);
    await page.getByLabel('User name or e-mail address').waitFor();
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await signIn(page, 'by-number');
    await openAccount(page);
    await page.getByText('Passkeys do not work at an IP address').waitFor();
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    await page.context().close();
  });

  test('a passkey is added, renamed, signs in with one press, and is the second factor after a password', async () => {
    const { page, complaints } = await openAppPage(browser, url);
    await app.person('grace');
    await plugIn(page);
    await signIn(page, 'grace');
    await addPasskey(page, 'Laptop');
    await press(page, 'Rename the passkey Laptop');
    await page.getByLabel('Name of the passkey').fill('Work laptop');
    await press(page, 'Rename');
    await page.getByText('Work laptop', { exact: true }).waitFor();
    await expectFit(page, 'passkeys');
    await signOut(page);
    await press(page, 'Use a passkey');
    await untilSignedIn(page);
    await signOut(page);
    await enterPassword(page, 'grace');
    await press(page, 'Use a passkey');
    await untilSignedIn(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an administrator needs a passkey that verifies its user', { tags: 'long' }, async () => {
    const { page } = await openAppPage(browser, url);
    await app.person('boss', { role: 'admin' });
    const { cdp, authenticatorId } = await plugIn(page);
    await signIn(page, 'boss');
    await addPasskey(page, 'Desk');
    await signOut(page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await press(page, 'Use a passkey');
    await page.getByText('The passkey was not used').waitFor();
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await press(page, 'Use a passkey');
    await untilSignedIn(page);
    await page.context().close();
  });

  test('a lost passkey is replaced by a recovery code, or reset by an administrator', { tags: 'long' }, async () => {
    const { page } = await openAppPage(browser, url);
    await app.person('lost');
    const { cdp, authenticatorId } = await plugIn(page);
    await signIn(page, 'lost');
    await openAccount(page);
    await press(page, 'Add a passkey');
    await page.getByLabel('Name of the passkey').fill('Phone');
    await press(page, 'Add');
    const code = (await inDialog(page).getByRole('listitem').first().textContent()) ?? '';
    await press(page, 'I have kept them');
    await signOut(page);
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await enterPassword(page, 'lost');
    await page.getByLabel('Recovery code').fill(code);
    await press(page, 'Sign in');
    await untilSignedIn(page);
    const { userId } = await accountOf(app, 'lost');
    await root.login('root', testPassword);
    await root.call(resetUserFactors, { params: { id: String(userId) }, query: {} });
    await page.getByLabel('User name or e-mail address').waitFor();
    await signIn(page, 'lost');
    await page.context().close();
  });

  test('a copied passkey with an old counter is rejected, audited, and reported to the owner', {
    tags: 'long',
  }, async () => {
    const { page } = await openAppPage(browser, url);
    await app.person('copied');
    const { cdp, authenticatorId } = await plugIn(page);
    await signIn(page, 'copied');
    await addPasskey(page, 'Key');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    await signOut(page);
    await press(page, 'Use a passkey');
    await untilSignedIn(page);
    await signOut(page);
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    await press(page, 'Use a passkey');
    await page.getByText('The passkey was not used').waitFor();
    const { db } = app.app.database;
    const rows = await db.selectFrom('audit_log').selectAll().where('operation_type', '=', 'copied-passkey').execute();
    expect(rows).toHaveLength(1);
    await app.drain();
    expect((await app.mailsTo('copied@example.org')).map(mail => mail.text).join()).toContain(
      'there may be a copy of it',
    );
    await page.context().close();
  });

  test('sessions are listed, and another session is ended', { tags: 'long' }, async () => {
    const { page, complaints } = await openAppPage(browser, url);
    const tim = await app.person('tim');
    const other = new Person('tim', app.app.url);
    await other.login('tim', testPassword);
    await signIn(page, 'tim');
    await openAccount(page);
    await page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await expectFit(page, 'session-end');
    await press(page, 'End the session');
    await expect.poll(() => inDialog(page).count()).toBe(0);
    expect(await other.expectError(updateUserRole, { params: { id: '1' }, body: { role: 'user' } })).toMatchObject({
      status: 401,
    });
    expect(tim.token).toBeDefined();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
