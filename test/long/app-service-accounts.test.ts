// Journeys of service accounts in the app: created by an administrator, with a token for a program and a trust rule for
// a job, in both languages and at the width of a phone.
import { exchangeIdentity } from '@recordproof/shared/api/workload-identity.ts';
import { expect, test } from 'vitest';
import { openHome } from '../../cli/src/testing.ts';
import { startApp, testPassword } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn } from '../support/app-page.ts';
import { launchChromium } from '../support/chromium.ts';
import { openTokenIssuer } from '../support/token-issuer.ts';

test('an administrator creates a service account, a token and a trust rule; both work and are revoked', async () => {
  await using app = await startApp();
  await app.person('root', { role: 'admin' });
  await using stack = new AsyncDisposableStack();
  const issuer = stack.use(await openTokenIssuer());
  const browser = await launchChromium();
  stack.defer(() => browser.close());
  const { page, complaints } = await openAppPage(browser, app.app.url);
  await signIn(page, 'root');
  await goTo(page, 'Administration');
  await page.getByRole('link', { name: 'Service accounts' }).click();
  await page.getByText('No service accounts').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('builds');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'builds' }).waitFor();
  await page.setViewportSize(phone);
  const tokens = page.locator('section', { has: page.getByRole('heading', { name: 'API tokens' }) });
  await tokens.getByLabel('Name', { exact: true }).fill('nightly');
  await tokens.getByRole('button', { name: 'Create token' }).click();
  await tokens.getByText('Copy the token now.').waitFor();
  const token = /rpt_[0-9A-Za-z]{36}/.exec((await tokens.textContent()) ?? '')?.[0] ?? '';

  const rules = page.locator('section', { has: page.getByRole('heading', { name: 'Trust rules' }) });
  await rules.getByText('No trust rules.').waitFor();
  await rules.getByLabel('Name of the rule').fill('main branch');
  await rules.getByLabel('Issuer').fill(issuer.url);
  await rules.getByLabel('Audience').fill(app.app.url);
  await rules.getByLabel('Claims').fill('repository acme/app');
  await rules.getByRole('button', { name: 'Create trust rule' }).click();
  await rules.locator('.problem').waitFor();
  await rules.getByLabel('Claims').fill('repository=acme/app\nref=refs/heads/*');
  await rules.getByRole('button', { name: 'Create trust rule' }).click();
  await rules.getByText('repository=acme/app ref=refs/heads/*').waitFor();
  await expectFit(page, 'service-accounts');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);

  await using home = await openHome(app.app);
  const who = (secret: string) => home.run(['whoami'], { env: { RECORDPROOF_TOKEN: secret } });
  expect((await who(token)).stdout).toContain('builds');
  const account = (await page.locator('code', { hasText: /^U[0-9A-Za-z]{22}$/ }).textContent()) ?? '';
  const iat = Math.floor(app.clock.now() / 1000);
  const times = { iss: issuer.url, aud: app.app.url, iat, exp: iat + 300 };
  const subjectToken = await issuer.sign({ ...times, sub: 'job', repository: 'acme/app', ref: 'refs/heads/main' });
  const issued = await app.anonymous.call(exchangeIdentity, { body: { account, subjectToken } });
  expect((await who(issued.token)).code).toBe(0);

  await rules.getByRole('button', { name: 'Delete the trust rule main branch' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await rules.getByText('No trust rules.').waitFor();
  expect((await who(issued.token)).code).toBe(77);
  await tokens.getByRole('button', { name: 'Revoke the token nightly' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await tokens.getByText('revoked', { exact: true }).first().waitFor();
  expect((await who(token)).code).toBe(77);
  expect(complaints).toEqual([]);

  const chinese = await openAppPage(browser, app.app.url, { viewport: phone, locale: 'zh-CN' });
  await chinese.page.locator('input[autocomplete=username]').fill('root');
  await chinese.page.locator('input[autocomplete=current-password]').fill(testPassword);
  await chinese.page.keyboard.press('Enter');
  await chinese.page.getByRole('navigation').first().waitFor();
  await chinese.page.goto(`${app.app.url}/app/#/admin?part=services`);
  await chinese.page.getByRole('button', { name: 'builds', exact: true }).click();
  await chinese.page.getByRole('heading', { name: '信任规则' }).waitFor();
  await expectFit(chinese.page, 'service-accounts-zh');
});
