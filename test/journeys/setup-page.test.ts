// Journey of the set-up page in a browser: first administrator, errors at fields, accessibility.
import { join } from 'node:path';
import { login } from '@recordproof/shared/api/auth.ts';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { startApp, testPassword } from '../support/app.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';

test.skipIf(chromiumPath === undefined)('the first administrator is created in a browser', async () => {
  await using app = await startApp();
  await using closing = new AsyncDisposableStack();
  const browser = await launchChromium();
  closing.defer(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  const code = app.app.setupCode ?? '';
  await page.goto(`${app.app.url}/setup#${code.slice(0, 5)}%20${code.slice(5)}`);
  expect(await page.getByLabel('Set-up code').inputValue()).toBe(`${code.slice(0, 5)} ${code.slice(5)}`);
  expect(page.url(), 'the code does not stay in the address').not.toContain(app.app.setupCode ?? '?');
  await page.getByLabel('User name').fill('x');
  await page.getByLabel('E-mail address').fill('root@example.org');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByLabel('Password again').fill('correct hose battery');
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await page.getByText('The two passwords are not the same').waitFor();
  const focused = () => page.evaluate(() => [document.activeElement?.id, document.activeElement?.ariaInvalid]);
  expect(await focused()).toEqual(['passwordAgain', 'true']);
  await expectAccessible(page);
  await page.getByLabel('Password again').fill(testPassword);
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await page.getByText('must be 3 to 32').first().waitFor();
  expect(await focused()).toEqual(['username', 'true']);
  await page.getByLabel('User name').fill('root');
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await page.getByText('root is the administrator').waitFor();
  await page.getByText(`recordproof login --server ${app.app.url}`).waitFor();
  await page.getByRole('link', { name: 'Open the app' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('title');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`recordproof login --server ${app.app.url}`);
  await expectAccessible(page);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'setup.png') });
  await page.reload();
  await page.getByRole('heading', { name: 'This server is set up' }).waitFor();
  await page.goto(app.app.url);
  expect(await page.getByText('first administrator').count()).toBe(0);
  // Signed in by the set-up.
  await page.getByRole('link', { name: 'In the app' }).click();
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  await app.anonymous.call(login, { body: { username: 'root', password: testPassword } });
});

test.skipIf(chromiumPath === undefined)(
  'a wrong set-up code and a user name in use are reported beside their fields',
  { tags: 'long' },
  async () => {
    await using app = await startApp();
    await using closing = new AsyncDisposableStack();
    const browser = await launchChromium();
    closing.defer(() => browser.close());
    const page = await (await browser.newContext({ locale: 'zh-CN' })).newPage();
    await page.goto(`${app.app.url}/setup`);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh');
    await page.getByLabel('设置码').fill('wrong');
    await page.getByLabel('用户名').fill('root');
    await page.getByLabel('邮箱地址').fill('root@example.org');
    await page.getByLabel('密码', { exact: true }).fill(testPassword);
    await page.getByLabel('再次输入密码').fill(testPassword);
    await page.getByRole('button', { name: '创建' }).click();
    await page.locator('#setupCode-problem').getByText('设置码不正确').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('setupCode');
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'setup-zh.png') });
  },
);
