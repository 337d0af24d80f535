import { join } from 'node:path';
import { login } from '@recordproof/shared/api/auth.ts';
import { expect, test } from 'vitest';
import { startApp, testPassword } from '../support/app.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';

test.skipIf(chromiumPath === undefined)('the first administrator is made in a browser', async () => {
  await using app = await startApp();
  await using closing = new AsyncDisposableStack();
  const browser = await launchChromium();
  closing.defer(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${app.app.url}/setup#${app.app.setupCode}`);
  expect(await page.getByLabel('Set-up code').inputValue()).toBe(app.app.setupCode);
  expect(page.url(), 'the code does not stay in the address').not.toContain(app.app.setupCode ?? '?');
  await page.getByLabel('User name').fill('x');
  await page.getByLabel('E-mail address').fill('root@example.org');
  await page.getByLabel('Password').fill(testPassword);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('must be 3 to 32').first().waitFor();
  await page.getByLabel('User name').fill('root');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('root is the administrator').waitFor();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'setup.png') });
  await app.anonymous.call(login, { body: { username: 'root', password: testPassword } });
});
