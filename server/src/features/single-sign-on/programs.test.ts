// @module-tag long-on-postgres
// Sign-ins of programs, sessions that end at the provider, and servers without local sign-in.
import { createHash } from 'node:crypto';
import { login, me, register, requestMailCode, resetPassword } from '@recordproof/shared/api/auth.ts';
import { signInWithPasskey } from '@recordproof/shared/api/passkeys.ts';
import * as programApi from '@recordproof/shared/api/program-sign-in.ts';
import * as api from '@recordproof/shared/api/single-sign-on.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { CookieBrowser } from '../../../../test/support/cookie-browser.ts';
import {
  type IdentityProvider,
  openIdentityProvider,
  toProviderSettings,
} from '../../../../test/support/identity-provider.ts';
import { createSignInLink } from './sign-in-links.ts';

let app: TestApp;
let company: IdentityProvider;

beforeAll(async () => {
  company = await openIdentityProvider();
  company.person = { sub: 'ada', preferred_username: 'ada', email: 'ada@company.example', email_verified: true };
  const more = { 'create-accounts': true, everyone: true };
  const env = { ...toProviderSettings({ company: { provider: company, more } }), ACCOUNTS_LOCAL_SIGN_IN: 'false' };
  app = await startApp({ env });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
});

const params = { provider: 'company' };
const verifier = 'v'.repeat(50);
const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
const state = 's'.repeat(43);
const port = 45_678;

const newBrowser = (): CookieBrowser => new CookieBrowser(app.app.url);
const isProgram = (url: URL): boolean => url.port === String(port);

async function toLoopback(browser = newBrowser()): Promise<URLSearchParams> {
  const { url } = await app.anonymous.call(programApi.startLoopbackSignIn, {
    params,
    body: { port, codeChallenge, state },
  });
  const landed = await browser.follow(url, isProgram);
  expect(`${landed.origin}${landed.pathname}`).toBe(`http://127.0.0.1:${port}/`);
  expect(landed.searchParams.get('state')).toBe(state);
  return landed.searchParams;
}

const codeIn = (query: URLSearchParams): string => query.get('code') ?? '';

test('a program on a loopback port gets a session for its code and verifier, once', async () => {
  const browser = newBrowser();
  const code = codeIn(await toLoopback(browser));
  const { token } = await app.anonymous.call(programApi.exchangeSignInCode, { body: { code, codeVerifier: verifier } });
  expect((await new Person('ada', app.app.url, token).call(me)).username).toBe('ada');
  const again = await app.anonymous.expectError(programApi.exchangeSignInCode, {
    body: { code, codeVerifier: verifier },
  });
  expect(again.kind).toBe('AUTH_CODE_ERROR');
  expect((await browser.ask('PUT', '/api/v1/auth/browser-session')).status).toBe(401);
});

test('a code is rejected with another verifier, after a minute, and after a rejected sign-in', async () => {
  const wrong = codeIn(await toLoopback());
  const exchange = (code: string, codeVerifier: string) =>
    app.anonymous.expectError(programApi.exchangeSignInCode, { body: { code, codeVerifier } });
  expect((await exchange(wrong, 'w'.repeat(50))).kind).toBe('AUTH_CODE_ERROR');
  expect((await exchange(wrong, verifier)).kind).toBe('AUTH_CODE_ERROR');
  const late = codeIn(await toLoopback());
  app.clock.advance(61_000);
  expect((await exchange(late, verifier)).kind).toBe('AUTH_CODE_ERROR');
  company.forgeAnswer = answer => {
    answer.delete('code');
    answer.set('error', 'access_denied');
  };
  expect((await toLoopback()).get('problem')).toBe('cancelled');
  company.forgeAnswer = undefined;
});

test('the start address of a program works in the browser that opens it, and not after the sign-in', async () => {
  const { url } = await app.anonymous.call(programApi.startLoopbackSignIn, {
    params,
    body: { port, codeChallenge, state },
  });
  const browser = newBrowser();
  const back =
    (await browser.send((await browser.send(url)).headers.get('location') ?? '')).headers.get('location') ?? '';
  expect((await newBrowser().follow(back)).hash).toBe('#/?problem=other-browser');
  await browser.follow(back, isProgram);
  expect((await browser.send(url)).status).toBe(400);
});

test('a program without a browser polls until the user has signed in with its code', async () => {
  const started = await app.anonymous.call(programApi.startDeviceSignIn, { params });
  expect(started.userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
  const { deviceCode } = started;
  const poll = () => app.anonymous.call(programApi.pollDeviceSignIn, { body: { deviceCode } });
  expect(await poll()).toEqual({ state: 'waiting' });
  const browser = newBrowser();
  const typed = { userCode: ` ${started.userCode.toLowerCase()} ` };
  const found = await browser.ask('POST', '/api/v1/auth/sso/devices/find', typed);
  expect(found.data).toMatchObject({ provider: 'company', title: 'Company company', address: '127.0.0.1' });
  const approved = await browser.ask('POST', '/api/v1/auth/sso/devices/approve', typed);
  expect(await poll()).toEqual({ state: 'waiting' });
  const landed = await browser.follow((approved.data as { url: string }).url);
  expect(landed.href).toBe(`${app.app.url}/app/#/device?done=1`);
  const answer = await poll();
  if (answer.state !== 'signed-in') throw new Error(`the program is told ${answer.state}`);
  expect((await new Person('ada', app.app.url, answer.token).call(me)).username).toBe('ada');
  expect((await app.anonymous.expectError(programApi.pollDeviceSignIn, { body: { deviceCode } })).kind).toBe(
    'AUTH_CODE_ERROR',
  );
  expect((await browser.ask('POST', '/api/v1/auth/sso/devices/approve', typed)).status).toBe(400);
});

test('unknown and expired device codes are rejected, and a rejected sign-in is reported to the program', async () => {
  const started = await app.anonymous.call(programApi.startDeviceSignIn, { params });
  const { deviceCode, userCode } = started;
  const browser = newBrowser();
  const { data } = await browser.ask('POST', '/api/v1/auth/sso/devices/approve', { userCode });
  const { person } = company;
  company.person = { ...person, sub: 'eve', email_verified: false };
  expect((await browser.follow((data as { url: string }).url)).hash).toBe('#/device?problem=email-unverified');
  company.person = person;
  const told = await app.anonymous.call(programApi.pollDeviceSignIn, { body: { deviceCode } });
  expect(told).toEqual({ state: 'rejected', problem: 'email-unverified' });
  const { userCode: old } = await app.anonymous.call(programApi.startDeviceSignIn, { params });
  app.clock.advance(10 * 60_000);
  for (const code of [old, 'BCDF-GHJK'])
    expect((await browser.ask('POST', '/api/v1/auth/sso/devices/find', { userCode: code })).status).toBe(400);
});

test('signing out ends the session at its provider as well', async () => {
  const browser = newBrowser();
  const { data } = await browser.ask('POST', '/api/v1/auth/sso/providers/company/sign-ins', { stay: true });
  await browser.follow((data as { url: string }).url);
  const { data: session } = await browser.ask('PUT', '/api/v1/auth/browser-session');
  const ada = new Person('ada', app.app.url, (session as { token: string }).token);
  const { url } = await ada.call(api.signOutAtProvider);
  const leaving = new URL(url ?? '');
  expect(leaving.origin + leaving.pathname).toBe(`${company.issuer}/end-session`);
  expect(Object.fromEntries(leaving.searchParams)).toEqual({
    client_id: 'recordproof',
    post_logout_redirect_uri: `${app.app.url}/app`,
  });
  expect((await (await app.person('somebody')).call(api.signOutAtProvider)).url).toBeNull();
});

test('without local sign-in, passwords, passkeys, resets and registration are rejected', async () => {
  await app.person('grace');
  const email = 'grace@example.org';
  const response = { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' };
  const credential = { id: 'AA', rawId: 'AA', type: 'public-key' as const, response };
  const kinds = [
    (await app.anonymous.expectError(login, { body: { username: 'grace', password: testPassword } })).kind,
    (await app.anonymous.expectError(login, { body: { username: 'nobody', password: testPassword } })).kind,
    (await app.anonymous.expectError(requestMailCode, { body: { email, type: 'reset' } })).kind,
    (await app.anonymous.expectError(resetPassword, { body: { email, code: '123456', password: testPassword } })).kind,
    (await app.anonymous.expectError(signInWithPasskey, { body: { credential } })).kind,
  ];
  expect(kinds).toEqual(Array(5).fill('LOCAL_SIGN_IN_DISABLED'));
  const body = { email: 'new@example.org', code: '123456', username: 'newcomer', password: testPassword };
  expect((await app.anonymous.expectError(register, { body })).kind).toBe('REGISTRATION_CLOSED');
  expect((await app.anonymous.call(api.listSignInProviders)).localSignIn).toBe(false);
});

test('a one-time sign-in link works for an administrator once and in time, is audited and mailed', async () => {
  const root = await app.person('root', { role: 'admin' });
  await app.person('warden');
  const { db } = app.app.database;
  const create = async (username = 'root') => {
    const account = await db
      .selectFrom('account')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
    const request = { account: account as never, baseUrl: app.app.url, minutes: 15 };
    const url = await db.transaction().execute(tx => createSignInLink(tx, request, app.clock.now()));
    expect(url).toMatch(new RegExp(`^${app.app.url}/app/#/sign-in-link\\?code=[\\w-]{43}$`));
    return { code: url.slice(-43) };
  };
  const use = (body: object) => newBrowser().ask('POST', '/api/v1/auth/sign-in-link', body);
  const link = await create();
  const { status, data } = await use(link);
  expect(status).toBe(200);
  const signedIn = new Person('root', app.app.url, (data as { token: string }).token);
  expect((await signedIn.call(me)).externalId).toBe((await root.call(me)).externalId);
  expect((await use(link)).status).toBe(400);
  const late = await create();
  app.clock.advance(15 * 60_000);
  expect((await use(late)).status).toBe(400);
  expect((await use(await create('warden'))).status).toBe(400);
  await app.drain();
  const mails = (await app.mailsTo('root@example.org')).map(({ text }) => text).join('\n');
  expect(mails).toContain('A one-time sign-in link for root was created on the server.');
  expect(mails).toContain('root signed in with a one-time link, from 127.0.0.1.');
  expect(mails).not.toContain(link.code);
  const audit = await db
    .selectFrom('audit_log')
    .select('operation_type')
    .where('module', '=', 'single-sign-on')
    .orderBy('id')
    .execute();
  expect(audit.map(({ operation_type }) => operation_type)).toEqual(
    expect.arrayContaining(['create-link', 'use-link']),
  );
});
