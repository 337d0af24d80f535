// The session list of an account: entries, ending of sessions, and notices of a new device or address.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import * as sessionsApi from '@recordproof/shared/api/sessions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listen } from '../../../../test/support/event-streams.ts';
import { toDevice } from './device.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E1 Safari/604.1';
const minute = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** Signs in with a user agent, from an address. */
async function signIn(name: string, userAgent: string, ip = '198.51.100.1', password = testPassword): Promise<Person> {
  const response = await app.anonymous.fetch('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent, 'x-forwarded-for': ip },
    body: JSON.stringify({ username: name, password }),
  });
  const { data } = (await response.json()) as { data: { token: string } | null };
  return new Person(name, app.app.url, data?.token);
}

test.each([
  [firefox, 'Firefox, Linux'],
  [phone, 'Safari, iOS'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
    'Edge, Windows',
  ],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome, Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1', 'Safari, macOS'],
  ['recordproof/1.42.0', 'RecordProof command line'],
  ['recordproof-desktop/1.42.0', 'RecordProof desktop app'],
  ['python-requests/2.32', 'python-requests'],
  ['<script>alert(1)</script>', ''],
  [undefined, ''],
])('the user agent %s is displayed as "%s"', (userAgent, device) => {
  expect(toDevice(userAgent)).toBe(device);
});

test('sessions are listed with device, address and last use, and keep their id across refreshes', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('ada');
  const laptop = await signIn('ada', firefox);
  const mobile = await signIn('ada', phone, '198.51.100.2');
  expect(await laptop.call(sessionsApi.listSessions)).toMatchObject([
    { device: 'Safari, iOS', address: '198.51.100.2', current: false },
    { device: 'Firefox, Linux', address: '198.51.100.1', current: true },
  ]);
  const [before] = await mobile.call(sessionsApi.listSessions);
  app.clock.advance(6 * minute);
  await laptop.call(api.me);
  expect(await laptop.call(sessionsApi.listSessions)).toMatchObject([
    { device: 'Firefox, Linux', address: '127.0.0.1' },
    { id: before?.id },
  ]);
  mobile.token = (await mobile.call(api.refreshToken)).token;
  expect((await mobile.call(sessionsApi.listSessions))[0]).toMatchObject({ id: before?.id, current: true });
});

test('ending one session leaves the others; ending the others leaves the current one', async () => {
  await app.person('bob');
  const people = [await signIn('bob', firefox), await signIn('bob', phone), await signIn('bob', 'curl/8')];
  const [own, second, third] = people as [Person, Person, Person];
  const id = (await second.call(sessionsApi.listSessions)).find(one => one.current)?.id ?? '';
  second.token = (await second.call(api.refreshToken)).token;
  await own.call(sessionsApi.endOneSession, { params: { id } });
  expect(await second.expectError(api.me)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
  expect(await own.expectError(sessionsApi.endOneSession, { params: { id } })).toMatchObject({ kind: 'NOT_FOUND' });
  expect(await own.call(sessionsApi.endOtherSessions)).toEqual({ ended: 1 });
  expect(await third.expectError(api.me)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
  expect(await own.call(sessionsApi.listSessions)).toMatchObject([{ current: true, device: 'Firefox, Linux' }]);
});

test('the session of another account cannot be ended', { tags: 'long-on-postgres' }, async () => {
  await app.person('mallory');
  await app.person('victim');
  const victim = await signIn('victim', firefox);
  const [session] = await victim.call(sessionsApi.listSessions);
  const mallory = await signIn('mallory', firefox);
  const params = { id: session?.id ?? '' };
  expect(await mallory.expectError(sessionsApi.endOneSession, { params })).toMatchObject({ kind: 'NOT_FOUND' });
  expect(await victim.call(api.me)).toMatchObject({ username: 'victim' });
});

test('a password change leaves only the current session in the list', { tags: 'long-on-postgres' }, async () => {
  await app.person('carol');
  const other = await signIn('carol', phone);
  const own = await signIn('carol', firefox);
  const body = { oldPassword: testPassword, newPassword: `${testPassword}!` };
  own.token = (await own.call(changePassword, { body })).token;
  expect(await own.call(sessionsApi.listSessions)).toMatchObject([{ device: 'Firefox, Linux', current: true }]);
  expect(await other.expectError(sessionsApi.listSessions)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
});

test('a sign-in from a new device or address is mailed and sent to event streams; known ones are not', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('dora');
  const subjects = async () => {
    await app.drain();
    return (await app.mailsTo('dora@example.org')).map(mail => mail.subject);
  };
  const dora = await signIn('dora', firefox);
  expect(await subjects()).toEqual([]);
  using stream = await listen(dora);
  await signIn('dora', firefox);
  expect(await subjects()).toEqual([]);
  await signIn('dora', phone);
  await signIn('dora', phone);
  expect(await subjects()).toEqual(['New sign-in to your RecordProof account']);
  expect(await stream.until('new-device')).toMatchObject({
    payload: { device: 'Safari, iOS', address: '198.51.100.1' },
  });
  await signIn('dora', phone, '203.0.113.9');
  expect(await subjects()).toHaveLength(2);
  expect((await app.mailsTo('dora@example.org')).at(-1)?.text).toContain('203.0.113.9');
  await signIn('dora', 'curl/8', '198.51.100.1', 'wrong');
  expect(await subjects()).toHaveLength(2);
});
