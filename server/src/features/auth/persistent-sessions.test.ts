// Persistent sessions of browsers: the cookie, its attributes, and access tokens returned for it.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { listSessions } from '@recordproof/shared/api/sessions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const path = '/api/v1/auth/browser-session';
let app: TestApp;
let people = 0;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const newPerson = (): Promise<Person> => {
  people += 1;
  return app.person(`keeper-${people}`);
};

type Answer = { readonly status: number; readonly token: string | null; readonly cookie: string | null };

async function read(response: Response): Promise<Answer> {
  const { data } = (await response.json()) as { data: { token?: string } | null };
  return { status: response.status, token: data?.token ?? null, cookie: response.headers.get('set-cookie') };
}

const cookieOf = (cookie: string | null): string => /^([^;]+)/.exec(cookie ?? '')?.[1] ?? '';

async function keep(person: Person, stay = true): Promise<string> {
  const body = JSON.stringify({ stay });
  const response = await person.fetch(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect(response.status).toBe(200);
  return response.headers.get('set-cookie') ?? '';
}

const ask = async (method: 'PUT' | 'DELETE', cookie: string, more: Record<string, string> = {}): Promise<Answer> =>
  read(await app.anonymous.fetch(path, { method, headers: { cookie, [api.appHeader]: 'browser', ...more } }));

const isAlive = async (token: string | null): Promise<boolean> =>
  (await new Person('whoever', app.app.url, token ?? 'none').fetch('/api/v1/auth/me')).status === 200;

test('a persistent session returns a token after a reload, through an HttpOnly, SameSite=Strict cookie', async () => {
  const ada = await newPerson();
  const cookie = await keep(ada);
  expect(cookie).toMatch(/^recordproof-session=[\w-]{43}; /);
  expect(cookie).toContain(`Path=${path}; Max-Age=2592000; HttpOnly; SameSite=Strict`);
  const { status, token, cookie: renewed } = await ask('PUT', cookieOf(cookie), { 'sec-fetch-site': 'same-origin' });
  expect(status).toBe(200);
  expect(cookieOf(renewed)).toBe(cookieOf(cookie));
  ada.token = token ?? undefined;
  expect((await ada.call(api.me)).username).toBe(ada.name);
});

test('a persistent session whose token was refreshed stays in the list', { tags: 'long-on-postgres' }, async () => {
  const ada = await newPerson();
  await ada.login(ada.name, testPassword);
  const cookie = await keep(ada);
  await ada.call(api.refreshToken);
  app.clock.advance(25 * 3600_000);
  await ada.login(ada.name, testPassword);
  expect(await ada.call(listSessions)).toHaveLength(2);
  expect((await ask('PUT', cookieOf(cookie))).status).toBe(200);
});

test('a persistent session whose password was changed leaves the list with its token', {
  tags: 'long-on-postgres',
}, async () => {
  const ada = await newPerson();
  await ada.login(ada.name, testPassword);
  await keep(ada);
  const newPassword = 'another horse battery';
  await ada.call(changePassword, { body: { oldPassword: testPassword, newPassword } });
  app.clock.advance(25 * 3600_000);
  await ada.login(ada.name, newPassword);
  expect(await ada.call(listSessions)).toHaveLength(1);
});

test('a session cookie without persistence has no Max-Age and expires after a day without use', async () => {
  const cookie = await keep(await newPerson(), false);
  expect(cookie).not.toContain('Max-Age');
  app.clock.advance(23 * 3600_000);
  expect((await ask('PUT', cookieOf(cookie))).status).toBe(200);
  app.clock.advance(23 * 3600_000);
  expect((await ask('PUT', cookieOf(cookie))).status).toBe(200);
  app.clock.advance(25 * 3600_000);
  expect((await ask('PUT', cookieOf(cookie))).status).toBe(401);
});

test('on https the cookie is bound to the host', { tags: 'long-on-postgres' }, async () => {
  await using secure = await startApp({ env: { RECORDPROOF_PUBLIC_URL: 'https://proof.example.org' } });
  const ada = await secure.person('ada');
  const cookie = await keep(ada);
  expect(cookie).toMatch(/^__Host-recordproof-session=/);
  expect(cookie).toContain('Path=/; Secure; ');
  expect(cookie).not.toContain('Domain');
});

test('requests from other sites or without a valid cookie are rejected', async () => {
  const ada = await newPerson();
  const cookie = cookieOf(await keep(ada));
  const bare = { method: 'PUT', headers: { cookie } };
  expect((await app.anonymous.fetch(path, bare)).status).toBe(403);
  for (const site of ['cross-site', 'same-site', 'none'])
    expect((await ask('PUT', cookie, { 'sec-fetch-site': site })).status).toBe(403);
  expect((await ask('DELETE', cookie, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  for (const wrong of ['', 'recordproof-session=', `recordproof-session=${'A'.repeat(43)}`, `x${cookie}`])
    expect((await ask('PUT', wrong)).status).toBe(401);
  expect((await ask('DELETE', '')).status).toBe(200);
  expect((await ask('PUT', cookie)).status).toBe(200);
  expect((await app.anonymous.fetch(path, { method: 'POST', headers: { cookie } })).status).toBe(401);
});

test('concurrent requests of several windows all get a valid token', async () => {
  const cookie = cookieOf(await keep(await newPerson()));
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask('PUT', cookie)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  for (const { token } of answers) expect(await isAlive(token)).toBe(true);
});

test('signing out in one window ends the others, also with concurrent requests', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ada = await newPerson();
    const cookie = cookieOf(await keep(ada));
    const [first, , second] = await Promise.all([
      ask('PUT', cookie),
      round % 2 === 0 ? ada.call(api.logout) : ask('DELETE', cookie),
      ask('PUT', cookie),
    ]);
    for (const { token } of [first, second]) expect(await isAlive(token)).toBe(false);
    expect(await isAlive(ada.token ?? null)).toBe(false);
    expect((await ask('PUT', cookie)).status).toBe(401);
  }
});

test('an ended session stays ended after its revocation row was deleted', { tags: 'long-on-postgres' }, async () => {
  const ada = await newPerson();
  const cookie = cookieOf(await keep(ada));
  await ada.call(api.logout);
  app.clock.advance(10 * 24 * 3600_000);
  await app.drain();
  expect((await ask('PUT', cookie)).status).toBe(401);
});

test('a refreshed token keeps the persistent session; a new password ends it', {
  tags: 'long-on-postgres',
}, async () => {
  const ada = await newPerson();
  const cookie = cookieOf(await keep(ada));
  ada.token = (await ada.call(api.refreshToken)).token;
  expect((await ask('PUT', cookie)).status).toBe(200);
  await ada.call(changePassword, { body: { oldPassword: testPassword, newPassword: 'another horse battery' } });
  expect((await ask('PUT', cookie)).status).toBe(401);
});

test('an account has at most twenty persistent sessions', { tags: 'long' }, async () => {
  const ada = await newPerson();
  const first = cookieOf(await keep(ada));
  for (let count = 0; count < 20; count += 1) {
    ada.token = (await ada.call(api.login, { body: { username: ada.name, password: testPassword } })).token;
    await keep(ada);
  }
  expect((await ask('PUT', first)).status).toBe(401);
});
