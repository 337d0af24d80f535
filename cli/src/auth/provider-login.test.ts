// Login through a provider: the real program against a real server and a provider on loopback. The browser is a script
// that follows redirects.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { CookieBrowser } from '../../../test/support/cookie-browser.ts';
import {
  type IdentityProvider,
  openIdentityProvider,
  toProviderSettings,
} from '../../../test/support/identity-provider.ts';
import { type Home, openHome } from '../testing.ts';

let app: TestApp;
let company: IdentityProvider;
let home: Home;
let browser: string;

/** Follows redirects to the end, with cookies of the server, as any browser does. */
const script = `#!${process.execPath}
const jar = new Map();
let url = new URL(process.argv[2]);
const origin = url.origin;
for (;;) {
  const cookie = [...jar].map(([name, value]) => name + '=' + value).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: url.origin === origin && cookie ? { cookie } : {} });
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(';')[0].split('=');
    jar.set(name, value);
  }
  const location = response.headers.get('location');
  if (!location) break;
  url = new URL(location, url);
}
`;

beforeAll(async () => {
  company = await openIdentityProvider();
  company.person = { sub: 'ada', preferred_username: 'ada', email: 'ada@company.example', email_verified: true };
  const more = { 'create-accounts': true, everyone: true };
  app = await startApp({ env: toProviderSettings({ company: { provider: company, more } }) });
  home = await openHome(app.app);
  browser = join(home.path, 'browser.mjs');
  await writeFile(browser, script);
  await chmod(browser, 0o755);
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
});

test('login --sso opens the browser, and stores the session like any login', async () => {
  const login = await home.runHere(['login', '--sso', 'company'], { env: { BROWSER: browser } });
  expect(login).toMatchObject({ code: 0, stdout: '' });
  expect(login.stderr).toContain(`Signed in to ${app.app.url} as ada`);
  const who = await home.runHere(['whoami', '--json']);
  expect(JSON.parse(who.stdout)).toMatchObject({ user: { username: 'ada', email: 'ada@company.example' } });
  expect((await home.runHere(['logout'])).code).toBe(0);
});

test('a fresh factor of a provider session is a sign-in at the provider, for a command and step-up --sso', {
  tags: 'long',
}, async () => {
  const env = { BROWSER: browser };
  await home.runHere(['login', '--sso', 'company'], { env });
  app.clock.advance(11 * 60_000);
  const stale = await home.runHere(['factors', 'remove', '--yes'], { env });
  expect(stale.code).toBe(77);
  expect(stale.stderr).toContain('the provider did not ask you to sign in again');
  company.person = { ...company.person, auth_time: Math.floor(app.clock.now() / 1000) };
  const removed = await home.runHere(['factors', 'remove', '--yes'], { env });
  expect(removed.stderr).toContain('this account has no one-time codes');
  app.clock.advance(11 * 60_000);
  company.person = { ...company.person, auth_time: Math.floor(app.clock.now() / 1000) };
  const fresh = await home.runHere(['step-up', '--sso'], { env });
  expect(fresh).toMatchObject({ code: 0 });
  expect(fresh.stderr).toContain('Good until');
  company.person = { ...company.person, sub: 'grace', preferred_username: 'grace', email: 'grace@company.example' };
  const other = await home.runHere(['step-up', '--sso'], { env });
  expect(other.code).toBe(77);
  expect(other.stderr).toContain('as another person than this session');
  company.person = { sub: 'ada', preferred_username: 'ada', email: 'ada@company.example', email_verified: true };
  expect((await home.runHere(['logout'])).code).toBe(0);
});

test('login --sso --device shows a code, and ends when it is entered in a browser', { tags: 'long' }, async () => {
  const shown = Promise.withResolvers<string>();
  let said = '';
  const login = home.run(['login', '--sso', 'company', '--device', '--json'], {
    onNote: part => {
      said += part;
      const userCode = /enter the code .*?([B-Z]{4}-[B-Z]{4})/.exec(said)?.[1];
      if (userCode !== undefined) shown.resolve(userCode);
    },
  });
  const person = new CookieBrowser(app.app.url);
  const { data } = await person.ask('POST', '/api/v1/auth/sso/devices/approve', { userCode: await shown.promise });
  expect((await person.follow((data as { url: string }).url)).hash).toBe('#/device?done=1');
  const { code, stdout } = await login;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ username: 'ada', server: app.app.url });
});

test('a rejection and an unknown provider are reported with the next step', { tags: 'long' }, async () => {
  company.person = { ...company.person, sub: 'eve', email_verified: false };
  const rejected = await home.runHere(['login', '--sso', 'company'], { env: { BROWSER: browser } });
  expect(rejected).toMatchObject({ code: 77, stdout: '' });
  expect(rejected.stderr).toContain('the provider has not verified your e-mail address');
  const unknown = await home.runHere(['login', '--sso', 'nobody']);
  expect(unknown.code).toBe(64);
  expect(unknown.stderr).toContain('--sso company');
});
