// @module-tag long-on-postgres
// A fresh factor for sessions that began at a provider: the person signs in there again, asked by the provider, and the
// session that asked becomes fresh, in the browser and in programs.
import { createHash } from 'node:crypto';
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import { me, refreshToken } from '@recordproof/shared/api/auth.ts';
import { beginTotp } from '@recordproof/shared/api/one-time-codes.ts';
import * as programApi from '@recordproof/shared/api/program-sign-in.ts';
import * as api from '@recordproof/shared/api/single-sign-on.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { CookieBrowser } from '../../../../test/support/cookie-browser.ts';
import {
  type IdentityProvider,
  openIdentityProvider,
  toProviderSettings,
} from '../../../../test/support/identity-provider.ts';

const minute = 60_000;
const stepUpPath = '/api/v1/auth/sso/step-up';

let app: TestApp;
let company: IdentityProvider;
beforeAll(async () => {
  company = await openIdentityProvider();
  const more = { 'create-accounts': true, everyone: true };
  app = await startApp({ env: toProviderSettings({ company: { provider: company, more } }) });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
});

const now = (): number => Math.floor(app.clock.now() / 1000);
const beThere = (sub: string, authTime?: number): void => {
  const claims = { sub, preferred_username: sub, email: `${sub}@company.example`, email_verified: true };
  company.person = { ...claims, ...(authTime !== undefined && { auth_time: authTime }) };
};
beforeEach(() => beThere('ada', now()));

type SignedIn = { readonly browser: CookieBrowser; readonly person: Person };

async function signIn(): Promise<SignedIn> {
  const browser = new CookieBrowser(app.app.url);
  const { data } = await browser.ask('POST', '/api/v1/auth/sso/providers/company/sign-ins', { stay: true });
  await browser.follow((data as { url: string }).url);
  const { data: session } = await browser.ask('PUT', '/api/v1/auth/browser-session');
  return { browser, person: new Person('ada', app.app.url, (session as { token: string }).token) };
}

/** With a session that is no longer fresh. */
async function signInEarlier(): Promise<SignedIn> {
  const signedIn = await signIn();
  app.clock.advance(11 * minute);
  beThere('ada', now());
  return signedIn;
}

async function startAgain({ browser, person }: SignedIn): Promise<URL> {
  const { status, data } = await browser.ask('POST', stepUpPath, {}, person.token);
  expect(status).toBe(200);
  return new URL((data as { url: string }).url);
}

const isFresh = (person: Person): Promise<boolean> => person.client.call(beginTotp).then(() => true, toFalse);
const toFalse = (error: unknown): false => {
  expect(error).toMatchObject({ kind: 'STEP_UP_REQUIRED', detail: { factors: ['provider'] } });
  return false;
};

test('a provider session is fresh after signing in there again, also if it was renewed meanwhile', async () => {
  const signedIn = await signInEarlier();
  const { browser, person } = signedIn;
  expect(await isFresh(person)).toBe(false);
  person.token = (await person.call(refreshToken)).token;
  const url = await startAgain(signedIn);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  person.token = (await person.call(refreshToken)).token;
  expect((await browser.follow(url.href)).hash).toBe('#/signed-in-again?done=1');
  expect(await isFresh(person)).toBe(true);
  expect((await person.call(api.signOutAtProvider)).url).toContain('/end-session');
  app.clock.advance(10 * minute);
  expect(await isFresh(person)).toBe(false);
  const rows = await app.app.database.db
    .selectFrom('audit_log')
    .select('username')
    .where('operation_type', '=', 'step-up')
    .where('module', '=', 'single-sign-on')
    .execute();
  expect(rows).toHaveLength(1);
});

test('an old sign-in, one without its time, another user or another browser is rejected for step-up', async () => {
  const signedIn = await signInEarlier();
  const { browser, person } = signedIn;
  const land = async (): Promise<string> => (await browser.follow((await startAgain(signedIn)).href)).hash;
  beThere('ada', now() - 120);
  expect(await land()).toBe('#/signed-in-again?problem=not-fresh');
  beThere('ada');
  expect(await land()).toBe('#/signed-in-again?problem=not-fresh');
  beThere('eve', now());
  expect(await land()).toBe('#/signed-in-again?problem=other-person');
  expect(
    await app.app.database.db.selectFrom('sso_identity').select('id').where('subject', '=', 'eve').execute(),
  ).toEqual([]);
  beThere('ada', now());
  const foreign = new CookieBrowser(app.app.url);
  expect((await foreign.follow((await startAgain(signedIn)).href)).hash).toBe('#/?problem=other-browser');
  expect(await isFresh(person)).toBe(false);
  const { headers } = await person.fetch(stepUpPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(headers.getSetCookie()).toEqual([]);
  const local = await app.person('local');
  const { status } = await new CookieBrowser(app.app.url).ask('POST', stepUpPath, {}, local.token);
  expect(status).toBe(409);
});

test('a program steps up with the code and its verifier, once, and only for its own session', async () => {
  const { person } = await signInEarlier();
  const codeVerifier = 'v'.repeat(50);
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const loopback = { port: 45_678, codeChallenge, state: 's'.repeat(43) };
  const bring = async (): Promise<string> => {
    const { url } = await person.call(api.startProviderStepUp, { body: { loopback } });
    const landed = await new CookieBrowser(app.app.url).follow(url, ({ port }) => port === '45678');
    return landed.searchParams.get('code') ?? landed.searchParams.get('problem') ?? '';
  };
  const stranger = await app.person('stranger');
  const confirm = (caller: Person, code: string, verifier = codeVerifier) =>
    caller.expectError(api.finishProviderStepUp, { body: { code, codeVerifier: verifier } }).then(({ kind }) => kind);
  expect(await confirm(stranger, await bring())).toBe('AUTH_CODE_ERROR');
  expect(await confirm(person, await bring(), 'w'.repeat(50))).toBe('AUTH_CODE_ERROR');
  const body = { code: await bring(), codeVerifier };
  expect((await app.anonymous.expectError(programApi.exchangeSignInCode, { body })).kind).toBe('AUTH_CODE_ERROR');
  beThere('ada', now() - 120);
  expect(await bring()).toBe('not-fresh');
  expect(await isFresh(person)).toBe(false);

  beThere('ada', now());
  const code = await bring();
  const { freshUntil } = await person.call(api.finishProviderStepUp, { body: { code, codeVerifier } });
  expect(Date.parse(freshUntil)).toBeGreaterThan(app.clock.now() + 9 * minute);
  expect(await isFresh(person)).toBe(true);
  expect(await confirm(person, code)).toBe('AUTH_CODE_ERROR');

  const start = { params: { provider: 'company' }, body: loopback };
  const { url } = await app.anonymous.call(programApi.startLoopbackSignIn, start);
  const landed = await new CookieBrowser(app.app.url).follow(url, ({ port }) => port === '45678');
  expect(await confirm(person, landed.searchParams.get('code') ?? '')).toBe('AUTH_CODE_ERROR');
});

test('a session keeps its provider across a password change, for step-up and its maximum duration', async () => {
  const local = await app.person('attached');
  const connecting = new CookieBrowser(app.app.url);
  beThere('attached', now());
  const connect = '/api/v1/auth/sso/providers/company/connections';
  const { data } = await connecting.ask('POST', connect, undefined, local.token);
  await connecting.follow((data as { url: string }).url);
  const signedIn = await signIn();
  const { browser, person } = signedIn;
  const body = { oldPassword: testPassword, newPassword: `${testPassword} 2` };
  person.token = (await person.call(changePassword, { body })).token;
  app.clock.advance(11 * minute);
  beThere('attached', now());
  expect(await isFresh(person)).toBe(false);
  await browser.follow((await startAgain(signedIn)).href);
  expect(await isFresh(person)).toBe(true);
  app.clock.advance(12 * 60 * minute);
  await app.drain();
  expect(await person.expectError(me)).toMatchObject({ status: 401 });
});
