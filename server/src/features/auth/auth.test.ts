// Registration, mailed codes, sign-in, token refresh, logout and password reset over the API.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const email = 'ada@example.org';

async function register(app: TestApp, username = 'ada', address = email): Promise<Person> {
  await app.anonymous.call(api.requestMailCode, { body: { email: address, type: 'register' } });
  const code = await app.mailedCode(address);
  await app.anonymous.call(api.register, {
    body: { email: address, code, username, password: testPassword, nickname: 'Ada L.' },
  });
  const person = new Person(username, app.app.url);
  await person.login(username, testPassword);
  return person;
}

test('a user registers with a mailed code, signs in and reads the own account', async () => {
  await using app = await startApp();
  const ada = await register(app);
  const me = await ada.call(api.me);
  expect(me).toMatchObject({ username: 'ada', email, nickname: 'Ada L.', role: 'user', avatar: null });
  expect(me.permissions).toContain('file:write');
  expect(me.permissions).not.toContain('system:admin');
});

test('the short forms of the endpoints behave like the long ones', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const response = await app.anonymous.fetch('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: testPassword }),
  });
  expect(await response.json()).toMatchObject({ code: 200, data: { expiresIn: 86_400 } });
  expect(await (await ada.fetch('/auth/me')).json()).toMatchObject({ data: { username: 'ada' } });
});

test('a mailed code is valid once, for its address and purpose, for three minutes and five attempts', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const ask = () => app.anonymous.call(api.requestMailCode, { body: { email, type: 'register' } });
  const attempt = (code: string, change: object = {}) =>
    app.anonymous.expectError(api.register, {
      body: { email, code, username: 'ada', password: testPassword, ...change },
    });
  await ask();
  const late = await app.mailedCode(email);
  app.clock.advance(3 * 60_000);
  expect(await attempt(late)).toMatchObject({ kind: 'AUTH_CODE_ERROR' });

  await ask();
  const code = await app.mailedCode(email);
  expect(await attempt(code, { email: 'eve@example.org' })).toMatchObject({ kind: 'AUTH_CODE_ERROR' });
  const reset = await app.anonymous.expectError(api.resetPassword, { body: { email, code, password: testPassword } });
  expect(reset).toMatchObject({ kind: 'AUTH_CODE_ERROR' });
  const wrong = code === '000000' ? '000001' : '000000';
  for (let count = 0; count < 5; count += 1) expect(await attempt(wrong)).toMatchObject({ kind: 'AUTH_CODE_ERROR' });
  expect(await attempt(code)).toMatchObject({ kind: 'AUTH_CODE_ERROR' });

  await register(app);
  expect(await attempt(code)).toMatchObject({ kind: 'AUTH_CODE_ERROR' });
});

test('a registration rejected for a taken user name does not consume the code', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await app.person('ada');
  const address = 'other@example.org';
  await app.anonymous.call(api.requestMailCode, { body: { email: address, type: 'register' } });
  const code = await app.mailedCode(address);
  const body = { email: address, code, password: testPassword };
  expect(await app.anonymous.expectError(api.register, { body: { ...body, username: 'ADA' } })).toMatchObject({
    kind: 'USER_HAS_EXISTED',
  });
  expect(await app.anonymous.call(api.register, { body: { ...body, username: 'grace' } })).toMatchObject({
    username: 'grace',
  });
});

test('code requests get the same response for known and unknown addresses; known ones get a notice', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await app.person('ada');
  const ask = (address: string, type: 'register' | 'reset') =>
    app.anonymous.call(api.requestMailCode, { body: { email: address, type } });
  expect(await ask(email, 'register')).toEqual(await ask('nobody@example.org', 'register'));
  expect(await ask(email, 'reset')).toEqual(await ask('nobody@example.org', 'reset'));
  await app.drain();
  const subjects = async (address: string) => (await app.mailsTo(address)).map(mail => mail.subject).sort();
  expect(await subjects(email)).toEqual(['You already have a RecordProof account', 'Your RecordProof code']);
  expect(await subjects('nobody@example.org')).toEqual(['Your RecordProof code']);
});

test('mailed codes are limited to one a minute per address and per caller', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: { RECORDPROOF_MAIL_CODE_INTERVAL_SECONDS: '60' } });
  const body = { email, type: 'register' } as const;
  await app.anonymous.call(api.requestMailCode, { body });
  const rejection = await app.anonymous.expectError(api.requestMailCode, {
    body: { ...body, email: 'other@example.org' },
  });
  expect(rejection).toMatchObject({ kind: 'RATE_LIMITED', status: 429 });
  expect(rejection.retryAfterSeconds).toBeGreaterThan(50);
  app.clock.advance(64_000);
  await app.anonymous.call(api.requestMailCode, { body });
});

test('a wrong password and an unknown user get the same error; five failures lock for fifteen minutes', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await app.person('ada');
  const attempt = (username: string) =>
    app.anonymous.expectError(api.login, { body: { username, password: 'wrong password' } });
  for (const username of ['ada', 'nobody']) {
    for (let count = 0; count < 5; count += 1)
      expect(await attempt(username)).toMatchObject({
        code: 20002,
        status: 401,
        message: 'user name or password is wrong',
      });
    const locked = await attempt(username);
    expect(locked).toMatchObject({ code: 20006, status: 403 });
    expect(locked.retryAfterSeconds).toBeGreaterThan(800);
  }
  const right = { body: { username: 'ada', password: testPassword } };
  expect(await app.anonymous.expectError(api.login, right)).toMatchObject({ code: 20006 });
  app.clock.advance(15 * 60_000);
  await app.anonymous.call(api.login, right);
});

test('signing in works with the e-mail address and with the tenant prefix', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  await app.person('ada', { tenant: 'acme' });
  const person = new Person('ada', app.app.url);
  await person.login('ADA@example.org', testPassword);
  await person.login('acme/Ada', testPassword);
  expect(
    await app.anonymous.expectError(api.login, { body: { username: 'ada', password: testPassword } }),
  ).toMatchObject({
    code: 20002,
  });
});

test('signing out ends this session, signing out everywhere ends all sessions', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const here = await app.person('ada');
  const there = new Person('ada', app.app.url);
  await there.login('ada', testPassword);
  await here.call(api.logout);
  expect(await here.expectError(api.me)).toMatchObject({ status: 401, code: 70006 });
  await there.call(api.me);
  await here.login('ada', testPassword);
  await here.call(api.logout, { body: { everywhere: true } });
  expect(await there.expectError(api.me)).toMatchObject({ code: 70006 });
});

test('refreshing returns a new token and revokes the old one', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const old = ada.token;
  ada.token = (await ada.call(api.refreshToken)).token;
  expect(ada.token).not.toBe(old);
  await ada.call(api.me);
  ada.token = old;
  expect(await ada.expectError(api.me)).toMatchObject({ code: 70006 });
});

test('a password reset and a password change end every other session', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  await app.anonymous.call(api.requestMailCode, { body: { email, type: 'reset' } });
  const code = await app.mailedCode(email);
  await app.anonymous.call(api.resetPassword, { body: { email, code, password: 'a new password' } });
  expect(await ada.expectError(api.me)).toMatchObject({ code: 70006 });
  await ada.login('ada', 'a new password');
  const other = new Person('ada', app.app.url);
  await other.login('ada', 'a new password');
  const wrong = { oldPassword: 'not this one', newPassword: 'yet another one' };
  expect(await ada.expectError(accountsApi.changePassword, { body: wrong })).toMatchObject({
    kind: 'USER_LOGIN_ERROR',
  });
  const renewed = await ada.call(accountsApi.changePassword, {
    body: { oldPassword: 'a new password', newPassword: 'yet another one' },
  });
  expect(await other.expectError(api.me)).toMatchObject({ code: 70006 });
  ada.token = renewed.token;
  await ada.call(api.me);
});

test('changing the address needs its code and the password, and notifies the old address', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const to = { email: 'new@example.org' };
  await app.anonymous.call(api.requestMailCode, { body: { ...to, type: 'modify' } });
  const code = await app.mailedCode(to.email);
  const wrong = { body: { ...to, code, password: 'not this one' } };
  expect(await ada.expectError(accountsApi.changeEmail, wrong)).toMatchObject({ kind: 'USER_LOGIN_ERROR' });
  const right = { body: { ...to, code, password: testPassword } };
  expect(await ada.call(accountsApi.changeEmail, right)).toMatchObject(to);
  await app.drain();
  expect((await app.mailsTo(email)).map(mail => mail.subject)).toContain('Your RecordProof address was changed');
});

test('concurrent attempts count like sequential ones', async () => {
  await using app = await startApp();
  await app.person('ada');
  const attempt = async (password: string) =>
    (await app.anonymous.fetch('/auth/login', post({ username: 'ada', password }))).status;
  const wrong = Array.from({ length: 20 }, (_, index) => attempt(`guess ${index}`));
  const statuses = await Promise.all([...wrong, ...Array.from({ length: 10 }, () => attempt('another guess'))]);
  expect(statuses.filter(status => status === 401)).toHaveLength(5);
  expect(statuses.filter(status => status === 403)).toHaveLength(25);
  expect(await attempt(testPassword)).toBe(403);
});

test('a lock does not reveal whether an account exists, however the name is spelled', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await app.person('ada');
  for (const name of ['ada', 'ghost']) {
    const attempt = async (username: string, password = 'wrong') =>
      (await app.anonymous.expectError(api.login, { body: { username, password } })).code;
    for (let count = 0; count < 5; count += 1) expect(await attempt(name)).toBe(20002);
    for (const written of [name, ` ${name} `, name.toUpperCase(), `default/${name}`, `DEFAULT/${name}`]) {
      expect(await attempt(written), written).toBe(20006);
    }
    expect(await attempt(`${name}@example.org`), 'the address').toBe(20002);
  }
  const byAddress = { body: { username: email, password: testPassword } };
  expect(await app.anonymous.expectError(api.login, byAddress), 'nor whether the password is right').toMatchObject({
    code: 20002,
  });
});

test('all spellings of a name share one rate limit, and the error carries its headers', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({
    env: { RECORDPROOF_RATE_LIMIT_AUTH: '6', RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const spellings = ['qqq', 'qqq ', 'QQQ', ' qqq', 'default/qqq', 'default/QQQ', 'qqq'];
  const answers: Response[] = [];
  for (const [index, username] of spellings.entries()) {
    const init = post({ username, password: 'x' });
    answers.push(
      await app.anonymous.fetch('/auth/login', {
        ...init,
        headers: { ...init.headers, 'x-forwarded-for': `10.0.0.${index}` },
      }),
    );
  }
  expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401, 401, 403, 429]);
  expect(answers.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('0');
});

test('guessing the password from inside a session locks the account as well', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const guess = { body: { oldPassword: 'a guess', newPassword: 'a new password' } };
  for (let count = 0; count < 5; count += 1) {
    expect(await ada.expectError(accountsApi.changePassword, guess)).toMatchObject({ code: 20002 });
  }
  expect(await ada.expectError(accountsApi.changePassword, guess)).toMatchObject({ code: 20006 });
});

test('a user name with control characters is rejected', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  for (const username of ['x\u0000y', 'a\u0000/b', 'x\ny']) {
    expect(await app.anonymous.expectError(api.login, { body: { username, password: 'x' } })).toMatchObject({
      status: 400,
    });
  }
});

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const forge = (payload: Record<string, unknown>, key: Uint8Array) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS512' }).sign(key);

test('forged, foreign, outdated and revoked tokens are rejected', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const payload = JSON.parse(Buffer.from(ada.token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
  const key = Buffer.from(readFileSync(join(app.folder, 'keys', 'token.key'), 'utf8').trim(), 'base64url');
  const seconds = Math.floor(app.clock.now() / 1000);
  const unsigned = (header: object) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${ada.token?.split('.')[1]}`;
  const tokens: Record<string, string> = {
    'alg none': new UnsecuredJWT(payload).encode(),
    'wrong key': await forge(payload, Buffer.alloc(64, 7)),
    'wrong algorithm': await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(key),
    'wrong issuer': await forge({ ...payload, iss: 'somebody' }, key),
    'wrong audience': await forge({ ...payload, aud: 'somebody' }, key),
    'old auth version': await forge({ ...payload, av: 0 }, key),
    'other tenant': await forge({ ...payload, tid: '999' }, key),
    'from two minutes ahead': await forge({ ...payload, iat: seconds + 120 }, key),
    'no end': await forge({ ...payload, exp: undefined }, key),
    'not a user': await forge({ ...payload, sub: '1 or 1=1' }, key),
    'bare HMAC over another header': `${unsigned({ alg: 'none' })}.${createHmac('sha512', key)
      .update(unsigned({ alg: 'none' }))
      .digest('base64url')}`,
    nonsense: 'a.b.c',
  };
  for (const [name, token] of Object.entries(tokens)) {
    expect(await new Person(name, app.app.url, token).expectError(api.me), name).toMatchObject({
      status: 401,
      code: 70006,
    });
  }
  const expired = await forge({ ...payload, exp: seconds - 10 }, key);
  expect(await new Person('expired', app.app.url, expired).expectError(api.me)).toMatchObject({
    status: 401,
    code: 70004,
  });
  expect(await app.anonymous.expectError(api.me)).toMatchObject({ status: 401, code: 401 });
  const good = await forge(payload, key);
  await new Person('the real one', app.app.url, good).call(api.me);
  app.clock.advance(86_400_000 + 1000);
  expect(await ada.expectError(api.me)).toMatchObject({ code: 70004 });
});

test('a token issued while the clock was ahead is rejected after the clock is corrected', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  app.clock.advance(3600_000);
  await ada.login('ada', testPassword);
  await ada.call(api.me);
  app.clock.advance(-30_000); // within what clocks of servers may differ by
  await ada.call(api.me);
  app.clock.advance(-3600_000);
  expect(await ada.expectError(api.me)).toMatchObject({ status: 401, code: 70006 });
});

test('an ended session stays ended after the clock was days ahead', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  await ada.call(api.logout);
  app.clock.advance(3 * 24 * 3600_000);
  await app.drain();
  app.clock.advance(-3 * 24 * 3600_000);
  expect(await ada.expectError(api.me)).toMatchObject({ status: 401 });
});

test('headers that name a tenant or an address are ignored', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_AUTH: '3' } });
  const ask = (address: string) =>
    app.anonymous.fetch('/api/v1/auth/login', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        'x-tenant-id': '2',
        'x-real-ip': address,
      },
      body: JSON.stringify({ username: 'ada', password: testPassword }),
    });
  const statuses: number[] = [];
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']) statuses.push((await ask(address)).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
});

test('behind a trusted proxy the rate limit uses the forwarded address', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({
    env: { RECORDPROOF_RATE_LIMIT_AUTH: '1', RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const ask = (address: string, username: string) =>
    app.anonymous.fetch('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ username, password: testPassword }),
    });
  expect((await ask('10.0.0.1', 'one')).status).toBe(401);
  expect((await ask('10.0.0.2', 'two')).status).toBe(401);
  expect((await ask('10.0.0.2', 'three')).status).toBe(429);
  expect((await ask('10.0.0.3', 'one')).status, 'another address, but the same name').toBe(429);
});

test('the eleventh sign-in within a minute is rejected, and every response reports the remaining limit', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_AUTH: '10' } });
  const ask = () =>
    app.anonymous.fetch('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: `user-${Math.random()}`, password: 'x' }),
    });
  for (let left = 9; left >= 0; left -= 1) {
    const response = await ask();
    expect(response.status).toBe(401);
    expect(response.headers.get('x-ratelimit-limit')).toBe('10');
    expect(response.headers.get('x-ratelimit-remaining')).toBe(String(left));
  }
  const rejected = await ask();
  expect(rejected.status).toBe(429);
  expect(await rejected.json()).toMatchObject({ code: 429, data: null });
  const seconds = Number(rejected.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(50);
  const reset = Number(rejected.headers.get('x-ratelimit-reset'));
  expect(Math.abs(reset - (app.clock.now() / 1000 + seconds))).toBeLessThan(3);
  app.clock.advance((seconds + 1) * 1000);
  expect((await ask()).status).toBe(401);
});

test('the first administrator is created once, with the set-up code printed at the start', async () => {
  await using app = await startApp();
  const body = { username: 'root', email: 'root@example.org', password: testPassword };
  expect(await app.anonymous.expectError(api.setUp, { body: { ...body, setupCode: 'guess' } })).toMatchObject({
    kind: 'AUTH_CODE_ERROR',
  });
  const setupCode = app.app.setupCode ?? '';
  const both = await Promise.allSettled(
    ['root', 'toor'].map(username =>
      app.anonymous.call(api.setUp, { body: { ...body, username, email: `${username}@example.org`, setupCode } }),
    ),
  );
  expect(both.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(
    await app.anonymous.expectError(api.setUp, {
      body: { ...body, username: 'late', email: 'late@example.org', setupCode },
    }),
  ).toMatchObject({ kind: 'CONFLICT' });
});

test('environment variables create the first administrator only on an empty server', {
  tags: 'long-on-postgres',
}, async () => {
  const env = {
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
    RECORDPROOF_ADMIN_PASSWORD: testPassword,
  };
  await using app = await startApp({ env });
  expect(app.app.setupCode).toBeNull();
  const root = new Person('root', app.app.url);
  await root.login('root', testPassword);
  expect(await root.call(api.me)).toMatchObject({ role: 'admin' });
  await root.call(accountsApi.changePassword, { body: { oldPassword: testPassword, newPassword: 'changed since' } });
  await app.app[Symbol.asyncDispose]();
  await using again = await startApp({ env, folder: app.folder });
  await new Person('root', again.app.url).login('root', 'changed since');
});

test('sign-ins beyond the capacity for hashing get 429 with Retry-After', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: { RECORDPROOF_OPEN_METRICS: 'true' } });
  const { passwords } = app.app.server;
  let isFull = true;
  const hold = async () => {
    while (isFull) await passwords.pretendToVerify('x'); // takes its place again before anything else is done
  };
  const holding = Promise.allSettled(Array.from({ length: 64 }, hold));
  const rejected = await app.anonymous.fetch('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'nobody', password: testPassword }),
  });
  isFull = false;
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await rejected.json()).toEqual({ code: 429, message: 'too many concurrent sign-ins; try again', data: null });
  const metrics = await (await app.anonymous.fetch('/actuator/prometheus')).text();
  const counted = metrics.split('\n').filter(line => /^http_server_requests_seconds_count.*auth\/login/.test(line));
  expect(counted.filter(line => line.includes('status="4xx"'))).toEqual([expect.stringMatching(/ 1$/)]);
  expect(counted.filter(line => line.includes('status="5xx"'))).toEqual([]);
  await passwords[Symbol.asyncDispose](); // whoever still waits
  await holding;
});
