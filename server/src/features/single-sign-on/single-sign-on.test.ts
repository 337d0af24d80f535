// Single sign-on against a provider on loopback that can be made to lie: each attack ends in the app with a reason and
// without a session.
import { me, requestMailCode, resetPassword } from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/single-sign-on.ts';
import { SignJWT } from 'jose';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { CookieBrowser } from '../../../../test/support/cookie-browser.ts';
import {
  type IdentityProvider,
  type IdToken,
  openIdentityProvider,
  toProviderSettings,
} from '../../../../test/support/identity-provider.ts';
import { mergeClaims } from './policy.ts';

let app: TestApp;
let company: IdentityProvider;
let other: IdentityProvider;
let people = 0;
const log: string[] = [];

const companySettings = {
  'create-accounts': true,
  groups: ['staff', 'rp-admins'],
  roles: { 'rp-admins': 'admin' },
  tenants: { 'team-b': 'team-b', 'team-c': 'team-c' },
  'link-domains': ['company.example'],
};

beforeAll(async () => {
  company = await openIdentityProvider();
  other = await openIdentityProvider();
  const env = toProviderSettings({
    company: { provider: company, more: companySettings },
    other: { provider: other, more: { 'create-accounts': true, everyone: true } },
  });
  app = await startApp({ env, log: pino({ level: 'info' }, { write: line => void log.push(line) }) });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await company?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  people += 1;
  const name = `worker-${people}`;
  for (const provider of [company, other])
    provider.person = {
      sub: `subject-${people}`,
      preferred_username: name,
      email: `${name}@${provider === company ? 'company' : 'other'}.example`,
      email_verified: true,
      groups: ['staff'],
    };
});
afterEach(() => {
  for (const provider of [company, other]) {
    provider.forge = undefined;
    provider.forgeAnswer = undefined;
    provider.interfere = undefined;
    provider.onlyInUserInfo = [];
  }
});

const newBrowser = (): CookieBrowser => new CookieBrowser(app.app.url);

async function begin(browser: CookieBrowser, provider = 'company', body: object = { stay: true }): Promise<string> {
  const { status, data } = await browser.ask('POST', `/api/v1/auth/sso/providers/${provider}/sign-ins`, body);
  expect(status).toBe(200);
  return (data as { url: string }).url;
}

/** Of the browser, by the cookie that it keeps. */
async function resume(browser: CookieBrowser): Promise<Person | null> {
  const { status, data } = await browser.ask('PUT', '/api/v1/auth/browser-session');
  return status === 200 ? new Person('somebody', app.app.url, (data as { token: string }).token) : null;
}

async function signIn(provider = 'company', browser = newBrowser()): Promise<Person> {
  const landed = await browser.follow(await begin(browser, provider));
  expect(landed.hash).toBe('#/');
  const person = await resume(browser);
  if (!person) throw new Error('the sign-in gave no session');
  return person;
}

/** Why it was rejected; that there is no session is part of it. */
async function problemOf(browser: CookieBrowser, landed: URL): Promise<string | null> {
  expect(`${landed.origin}${landed.pathname}`).toBe(`${app.app.url}/app/`);
  expect(await resume(browser)).toBeNull();
  return new URLSearchParams(landed.hash.split('?')[1]).get('problem');
}

async function rejectedSignIn(provider = 'company'): Promise<string | null> {
  const browser = newBrowser();
  return problemOf(browser, await browser.follow(await begin(browser, provider)));
}

test('the first sign-in creates the account, the next one finds it, and both open a browser session', {
  tags: 'long-on-postgres',
}, async () => {
  const first = await (await signIn()).call(me);
  expect(first).toMatchObject({
    username: `worker-${people}`,
    email: `worker-${people}@company.example`,
    role: 'user',
  });
  company.person = { ...company.person, email: 'moved@company.example', preferred_username: 'renamed' };
  expect((await (await signIn()).call(me)).externalId).toBe(first.externalId);
  const sent = company.exchanges.at(-1);
  expect(sent?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  expect(sent?.get('redirect_uri')).toBe(`${app.app.url}/api/v1/auth/sso/company/callback`);
});

test('the app gets the list of providers, and a sign-in returns to the requested screen', {
  tags: 'long-on-postgres',
}, async () => {
  expect(await app.anonymous.call(api.listSignInProviders)).toEqual({
    localSignIn: true,
    providers: [
      { id: 'company', title: 'Company company' },
      { id: 'other', title: 'Company other' },
    ],
  });
  const browser = newBrowser();
  const landed = await browser.follow(await begin(browser, 'company', { stay: false, returnTo: 'shares' }));
  expect(landed.href).toBe(`${app.app.url}/app/#/shares`);
});

test('claims missing in the token are read from the user info endpoint', { tags: 'long-on-postgres' }, async () => {
  company.onlyInUserInfo = ['email', 'email_verified', 'groups', 'preferred_username'];
  expect((await (await signIn()).call(me)).email).toBe(`worker-${people}@company.example`);
});

test('a return address outside the app is rejected', async () => {
  const paths = [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'files/../..',
    'javascript:alert(1)',
    'x',
  ];
  for (const returnTo of [...paths, 'files?x', 'files#x', 'files/a\nb']) {
    const { status } = await newBrowser().ask('POST', '/api/v1/auth/sso/providers/company/sign-ins', {
      stay: true,
      returnTo,
    });
    expect({ returnTo, status }).toEqual({ returnTo, status: 400 });
  }
});

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Answers one path of the provider. */
const answering =
  (path: string, status: number, body: string, headers: Record<string, string> = {}): IdentityProvider['interfere'] =>
  (request, response) => {
    if (request.url !== path) return false;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    return true;
  };

type Lie = readonly [what: string, reason: RegExp, lie: Partial<IdentityProvider> | (() => Partial<IdentityProvider>)];

const payload = (change: (payload: IdToken['payload']) => unknown): Partial<IdentityProvider> => ({
  forge: token => {
    change(token.payload);
    return undefined;
  },
});
const answer = (change: (answer: URLSearchParams) => void): Partial<IdentityProvider> => ({ forgeAnswer: change });

const lies: readonly Lie[] = [
  ['another nonce', /claim value/, payload(claims => Object.assign(claims, { nonce: 'another' }))],
  ['no nonce', /invalid response/, payload(claims => Reflect.deleteProperty(claims, 'nonce'))],
  ['another issuer', /claim value/, () => payload(claims => Object.assign(claims, { iss: other.issuer }))],
  ['another audience', /claim value/, payload(claims => Object.assign(claims, { aud: 'another-client' }))],
  [
    'several audiences and another authorized party',
    /claim value/,
    payload(claims => Object.assign(claims, { aud: ['recordproof', 'x'], azp: 'x' })),
  ],
  [
    'an ID token that expired two minutes ago',
    /timestamp/,
    payload(claims => Object.assign(claims, { exp: Math.floor(Date.now() / 1000) - 120 })),
  ],
  ['an ID token without expiry', /invalid response/, payload(claims => Reflect.deleteProperty(claims, 'exp'))],
  ['an ID token without subject', /invalid response/, payload(claims => Reflect.deleteProperty(claims, 'sub'))],
  ['alg none', /unsupported/, { forge: ({ payload: claims }) => `${encode({ alg: 'none' })}.${encode(claims)}.` }],
  [
    'HS256 with the client secret',
    /unsupported/,
    {
      forge: ({ payload: claims }) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(company.clientSecret)),
    },
  ],
  [
    'a kid that the provider does not publish',
    /no applicable keys/,
    { forge: token => company.sign({ ...token, header: { kid: 'unknown' } }) },
  ],
  [
    'the right kid and another key',
    /signature/,
    { forge: async token => company.sign({ ...token, key: await company.newKey(token.key.kid) }) },
  ],
  ['no ID token', /invalid response|no ID token|parsing/, { forge: () => '' }],
  ['another issuer in the answer (RFC 9207)', /invalid response/, () => answer(back => back.set('iss', other.issuer))],
  ['no issuer in the answer', /invalid response/, answer(back => back.delete('iss'))],
  ['a code of another sign-in', /invalid_grant/, answer(back => back.set('code', 'another'))],
  ['an answer above the bound', /more than 524288 bytes/, { interfere: answering('/token', 200, ' '.repeat(2 ** 20)) }],
  [
    'a redirect of the token endpoint',
    /status/,
    () => ({ interfere: answering('/token', 307, '', { location: `${other.issuer}/token` }) }),
  ],
  [
    'user info of another person',
    /"sub"|attribute/,
    () => ({
      onlyInUserInfo: ['email'],
      interfere: answering('/userinfo', 200, JSON.stringify({ ...company.person, sub: 'somebody-else' })),
    }),
  ],
];

test.each(lies)('a sign-in is rejected with: %s', async (_, reason, lie) => {
  Object.assign(company, typeof lie === 'function' ? lie() : lie);
  log.length = 0;
  expect(await rejectedSignIn()).toBe('provider');
  expect(log.join('')).toMatch(reason);
  expect(log.join('')).not.toMatch(/"?code"?[=:]"?[\w-]{20}|eyJ/);
  expect(other.exchanges).toEqual([]);
});

test('forged, used and expired states are rejected', { tags: 'long-on-postgres' }, async () => {
  const browser = newBrowser();
  const [address, expired] = [await begin(browser), await begin(browser)];
  const atProvider = await browser.send(address);
  const back = atProvider.headers.get('location') ?? '';
  const forged = new URL(back);
  forged.searchParams.set('state', 'A'.repeat(43));
  expect(await problemOf(browser, await browser.follow(forged.href))).toBe('expired');
  const without = new URL(back);
  without.searchParams.delete('state');
  expect(await problemOf(browser, await browser.follow(without.href))).toBe('expired');
  expect((await browser.follow(back)).hash).toBe('#/');
  const replaying = newBrowser();
  for (const [name, cookie] of browser.cookies) replaying.cookies.set(name, cookie);
  replaying.cookies.delete('recordproof-session');
  expect(await problemOf(replaying, await replaying.follow(back))).toBe('expired');
  app.clock.advance(11 * 60_000);
  expect(await problemOf(replaying, await replaying.follow(expired))).toBe('expired');
});

test('a code is used once: of two concurrent returns one gets a session', async () => {
  const browser = newBrowser();
  const back = (await browser.send(await begin(browser))).headers.get('location') ?? '';
  const landed = await Promise.all([browser.follow(back), browser.follow(back)]);
  const hashes = landed.map(({ hash }) => hash).sort();
  expect(hashes[0]).toBe('#/');
  expect(hashes[1]).toBe('#/?problem=expired');
});

test('login CSRF: a sign-in response is rejected in another browser, and stays valid in its own', {
  tags: 'long-on-postgres',
}, async () => {
  const attacker = newBrowser();
  const back = (await attacker.send(await begin(attacker))).headers.get('location') ?? '';
  const victim = newBrowser();
  expect(await problemOf(victim, await victim.follow(back))).toBe('other-browser');
  await begin(victim);
  expect(await problemOf(victim, await victim.follow(back))).toBe('other-browser');
  expect((await attacker.follow(back)).hash).toBe('#/');
  expect(await resume(attacker)).not.toBeNull();
});

test('provider mix-up: the response of one provider is rejected for another', async () => {
  const browser = newBrowser();
  const before = company.exchanges.length;
  const back = (await browser.send(await begin(browser, 'other'))).headers.get('location') ?? '';
  const mixed = back.replace('/sso/other/', '/sso/company/');
  expect(await problemOf(browser, await browser.follow(mixed))).toBe('expired');
  expect(company.exchanges.length).toBe(before);
});

test('a page of another site cannot start a sign-in, and its cookie is bound to the browser', async () => {
  const path = '/api/v1/auth/sso/providers/company/sign-ins';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ stay: true });
  expect((await app.anonymous.fetch(path, { method: 'POST', headers, body })).status).toBe(403);
  const crossSite = { ...headers, 'x-recordproof-app': 'x', 'sec-fetch-site': 'cross-site' };
  expect((await app.anonymous.fetch(path, { method: 'POST', headers: crossSite, body })).status).toBe(403);
  const own = await app.anonymous.fetch(path, {
    method: 'POST',
    headers: { ...headers, 'x-recordproof-app': 'x' },
    body,
  });
  expect(own.headers.get('set-cookie')).toMatch(
    /^recordproof-sso-[\w-]{12}=[\w-]{43}; Path=\/api\/v1\/auth\/sso; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
});

test('a new key of the provider is accepted at once, and its old one is rejected', {
  tags: 'long-on-postgres',
}, async () => {
  await signIn();
  const { newKey } = company;
  await company.rotateKey();
  await signIn();
  const old = await newKey('key-1');
  company.forge = token => company.sign({ ...token, key: old });
  expect(await rejectedSignIn()).toBe('provider');
});

test('a sign-in cancelled at the provider is reported without the text of the provider', {
  tags: 'long-on-postgres',
}, async () => {
  company.forgeAnswer = answer => {
    answer.delete('code');
    answer.set('error', 'access_denied');
    answer.set('error_description', '<b>call 555</b>');
  };
  expect(await rejectedSignIn()).toBe('cancelled');
});

test('accounts are not connected by an unverified address or by one of a foreign domain', {
  tags: 'long-on-postgres',
}, async () => {
  const local = await app.person(`local-${people}`);
  const email = `local-${people}@example.org`;
  company.person = { ...company.person, email };
  expect(await rejectedSignIn()).toBe('email-taken');
  company.person = { ...company.person, email_verified: false };
  expect(await rejectedSignIn()).toBe('email-unverified');
  company.person = { ...company.person, email_verified: 'true' };
  expect(await rejectedSignIn()).toBe('email-unverified');
  expect(await local.call(api.listConnections)).toEqual([]);
});

test('a verified address of a domain of the provider connects the account', { tags: 'long-on-postgres' }, async () => {
  const name = `linked-${people}`;
  const local = await app.person(name);
  const { db } = app.app.database;
  const email = `${name}@company.example`;
  await db.updateTable('account').set({ email }).where('username', '=', name).execute();
  company.person = { ...company.person, email, email_verified: false };
  expect(await rejectedSignIn()).toBe('email-unverified');
  company.person = { ...company.person, email_verified: true };
  const { externalId } = await local.call(me);
  expect((await (await signIn()).call(me)).externalId).toBe(externalId);
});

test('a signed-in user connects a provider, signs in with it, and removes it', async () => {
  const local = await app.person(`connecting-${people}`);
  const browser = newBrowser();
  const connecting = (token = local.token) =>
    browser.ask('POST', '/api/v1/auth/sso/providers/company/connections', undefined, token);
  const { data } = await connecting();
  expect((await browser.follow((data as { url: string }).url)).hash).toBe('#/account?connected=company');
  const { externalId } = await local.call(me);
  expect((await (await signIn()).call(me)).externalId).toBe(externalId);
  const [connection] = await local.call(api.listConnections);
  expect(connection).toMatchObject({ provider: 'company', isOnly: false });

  const second = await app.person(`second-${people}`);
  const taken = (await connecting(second.token)).data as { url: string };
  expect((await browser.follow(taken.url)).hash).toBe('#/account?problem=linked-elsewhere');
  expect((await second.expectError(api.removeConnection, { params: { id: connection?.id ?? '' } })).kind).toBe(
    'NOT_FOUND',
  );
  await local.call(api.removeConnection, { params: { id: connection?.id ?? '' } });
  expect((await (await signIn()).call(me)).externalId).not.toBe(externalId);
});

test('the only connection of an account cannot be removed, and a mailed code cannot set a password', async () => {
  const person = await signIn();
  const [connection] = await person.call(api.listConnections);
  expect(connection?.isOnly).toBe(true);
  const rejection = await person.expectError(api.removeConnection, { params: { id: connection?.id ?? '' } });
  expect(rejection.kind).toBe('CONFLICT');
  const { email } = company.person as unknown as { email: string };
  await app.anonymous.call(requestMailCode, { body: { email, type: 'reset' } });
  const code = await app.mailedCode(email);
  const reset = await app.anonymous.expectError(resetPassword, { body: { email, code, password: testPassword } });
  expect(reset.kind).toBe('FORBIDDEN');
});

test('role and tenant follow the claims at each sign-in; losing all groups ends all sessions', {
  tags: 'long-on-postgres',
}, async () => {
  company.person = { ...company.person, groups: ['staff', 'rp-admins'] };
  const promoted = await signIn();
  expect((await promoted.call(me)).role).toBe('admin');
  await app.person(`root-${people}`, { role: 'admin' });
  company.person = { ...company.person, groups: ['staff'] };
  const demoted = await signIn();
  expect((await demoted.call(me)).role).toBe('user');
  expect((await promoted.expectError(me)).status).toBe(401);
  company.person = { ...company.person, groups: ['staff', 'team-b'] };
  expect(await rejectedSignIn()).toBe('wrong-tenant');
  company.person = { ...company.person, groups: ['visitors'] };
  expect(await rejectedSignIn()).toBe('not-admitted');
  expect((await demoted.expectError(me)).status).toBe(401);
});

test('a first sign-in to a suspended tenant ends in the app with the reason', async () => {
  await app.person(`resident-${people}`, { tenant: 'team-c' });
  await app.app.database.db.updateTable('tenant').set({ status: 'SUSPENDED' }).where('name', '=', 'team-c').execute();
  company.person = { ...company.person, groups: ['staff', 'team-c'] };
  expect(await rejectedSignIn()).toBe('suspended');
});

test('names that cannot be stored are cut, and times with a fraction are accepted', {
  tags: 'long-on-postgres',
}, async () => {
  company.person = { ...company.person, name: `Ada\0\u0007 ${'x'.repeat(43)}\u{1f600}` };
  company.forge = token => {
    token.payload.auth_time = Math.floor(Date.now() / 1000) - 1.5;
    return undefined;
  };
  expect((await (await signIn()).call(me)).nickname).toBe(`Ada ${'x'.repeat(43)}`);
});

test('whether an address is verified is read beside that address', () => {
  const victim = { sub: 's', email: 'victim@company.example' };
  const own = { sub: 's', email: 'own@company.example', email_verified: true };
  expect(mergeClaims(victim, { ...own, groups: ['staff'] })).toMatchObject({
    ...victim,
    email_verified: undefined,
    groups: ['staff'],
  });
  expect(mergeClaims(victim, { ...victim, email_verified: true })).toMatchObject({ email_verified: true });
  expect(mergeClaims({ sub: 's', email_verified: true }, { ...victim, email_verified: false })).toMatchObject({
    ...victim,
    email_verified: false,
  });
  expect(mergeClaims({ sub: 's' }, own)).toMatchObject(own);
  const inCapitals = { email: 'Victim@Company.example', email_verified: true };
  expect(mergeClaims(victim, inCapitals)).toMatchObject({ ...victim, email_verified: true });
  expect(mergeClaims(victim, { email_verified: false })).toMatchObject({ ...victim, email_verified: false });
});

test('a user of a mapped tenant gets an account in it', async () => {
  await app.person(`resident-${people}`, { tenant: 'team-b' });
  company.person = { ...company.person, groups: ['staff', 'team-b'] };
  const { externalId } = await (await signIn()).call(me);
  const row = await app.app.database.db
    .selectFrom('account')
    .innerJoin('tenant', 'tenant.id', 'account.tenant_id')
    .select('tenant.name')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow();
  expect(row.name).toBe('team-b');
});

test('a provider session ends after its maximum duration, also when it was renewed', {
  tags: 'long-on-postgres',
}, async () => {
  const browser = newBrowser();
  await signIn('company', browser);
  app.clock.advance(11 * 3600_000);
  await app.drain();
  const renewed = await resume(browser);
  expect(renewed).not.toBeNull();
  app.clock.advance(2 * 3600_000);
  await app.drain();
  expect((await renewed?.expectError(me))?.status).toBe(401);
  expect(await resume(browser)).toBeNull();
});

test('a provider that is down rejects sign-ins with 503, and health is DEGRADED', {
  tags: 'long-on-postgres',
}, async () => {
  const down = await openIdentityProvider();
  await down[Symbol.asyncDispose]();
  await using server = await startApp({ env: toProviderSettings({ company: { provider: down } }) });
  const browser = new CookieBrowser(server.app.url);
  const { status } = await browser.ask('POST', '/api/v1/auth/sso/providers/company/sign-ins', { stay: true });
  expect(status).toBe(503);
  const health = server.app.server.parts.flatMap(part => part.health ?? []).find(one => one.name === 'singleSignOn');
  expect(await health?.check(AbortSignal.timeout(60_000))).toEqual({
    status: 'DEGRADED',
    details: { providers: 1, unreachable: ['company'] },
  });
});
