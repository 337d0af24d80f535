// @module-tag long-on-postgres
// Registration modes `invite` and `domains`.
import * as api from '@recordproof/shared/api/auth.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const code = '000000';
const tryToRegister = (app: TestApp, email: string) =>
  app.anonymous.expectError(api.register, { body: { email, code, username: 'ada', password: testPassword } });
const tryToGetCode = (app: TestApp, email: string) =>
  app.anonymous.expectError(api.requestMailCode, { body: { email, type: 'register' } });

test.each(['invite', 'closed'] as const)('mode %s: no code is sent and no account is created', async mode => {
  await using app = await startApp({ env: { ACCOUNTS_REGISTRATION: mode } });
  expect(await app.anonymous.call(api.getRegistration)).toEqual({ mode, domains: [] });
  const closed = { kind: 'REGISTRATION_CLOSED', status: 403, code: 20007 };
  await app.person('known');
  for (const email of ['ada@example.org', 'known@example.org']) {
    expect(await tryToRegister(app, email)).toMatchObject(closed);
    expect(await tryToGetCode(app, email)).toMatchObject(closed);
  }
  await app.drain();
  expect(await app.mailsTo('ada@example.org')).toEqual([]);
});

test('mode invite is the default, and a forgotten password can still be reset', async () => {
  await using app = await startApp({ env: { ACCOUNTS_REGISTRATION: 'invite' } });
  await app.person('ada');
  await app.anonymous.call(api.requestMailCode, { body: { email: 'ada@example.org', type: 'reset' } });
  const body = {
    email: 'ada@example.org',
    code: await app.mailedCode('ada@example.org'),
    password: 'another password',
  };
  await app.anonymous.call(api.resetPassword, { body });
  await app.anonymous.login('ada', 'another password');
});

test('mode domains: only addresses of exactly the listed domains can register', async () => {
  const env = { ACCOUNTS_REGISTRATION: 'domains', ACCOUNTS_REGISTRATION_DOMAINS: 'Example.org, firm.test' };
  await using app = await startApp({ env });
  expect(await app.anonymous.call(api.getRegistration)).toEqual({
    mode: 'domains',
    domains: ['example.org', 'firm.test'],
  });
  for (const email of ['ada@sub.example.org', 'ada@notexample.org', 'ada@example.org.evil.test']) {
    expect(await tryToRegister(app, email)).toMatchObject({ kind: 'REGISTRATION_CLOSED' });
    expect(await tryToGetCode(app, email)).toMatchObject({ kind: 'REGISTRATION_CLOSED' });
  }
  const email = 'ADA@EXAMPLE.ORG';
  await app.anonymous.call(api.requestMailCode, { body: { email, type: 'register' } });
  const mailed = await app.mailedCode('ada@example.org');
  const body = { email, code: mailed, username: 'ada', password: testPassword };
  expect(await app.anonymous.call(api.register, { body })).toMatchObject({ email: 'ada@example.org', role: 'user' });
});
