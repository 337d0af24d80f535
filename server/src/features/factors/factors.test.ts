// Second factors over the API: TOTP, recovery codes, requirement by role, and limits of wrong codes.
import { changePassword, updateUserRole } from '@recordproof/shared/api/accounts.ts';
import * as authApi from '@recordproof/shared/api/auth.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type * as proofsApi from '@recordproof/shared/api/factor-proofs.ts';
import * as api from '@recordproof/shared/api/factors.ts';
import * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import { listSessions } from '@recordproof/shared/api/sessions.ts';
import * as userApi from '@recordproof/shared/api/user-factors.ts';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const minute = 60_000;
const day = 24 * 3600_000;

let app: TestApp;
let root: Person;
beforeAll(async () => {
  app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
  root = await app.person('root', { role: 'admin' });
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** A code of now, or of some steps later. */
const codeOf = (secret: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: app.clock.now() + steps * 30_000 });

const wrongCode = (secret: string): string => {
  const near = new Set([-2, -1, 0, 1, 2].map(steps => codeOf(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !near.has(code)) ?? '';
};

type Enrolled = { readonly person: Person; readonly secret: string; readonly recoveryCodes: readonly string[] };

async function enrol(name: string): Promise<Enrolled> {
  const person = await app.person(name);
  const { secret } = await person.call(codesApi.beginTotp);
  const { recoveryCodes } = await person.call(codesApi.confirmTotp, { body: { code: codeOf(secret) } });
  app.clock.advance(minute);
  return { person, secret, recoveryCodes: recoveryCodes ?? [] };
}

const toPending = (error: ApiError): api.PendingSignIn => api.pendingSignIn.parse(error.detail);

async function beginSignIn(username: string, kind = 'SECOND_FACTOR_REQUIRED'): Promise<string> {
  const error = await app.anonymous.expectError(authApi.login, { body: { username, password: testPassword } });
  expect(error).toMatchObject({ kind, status: 403 });
  return toPending(error).challenge;
}

const give = (challenge: string, proof: proofsApi.SecondFactorProof) =>
  app.anonymous.call(api.giveSecondFactor, { body: { challenge, proof } });
const giveWrong = (challenge: string, code: string) =>
  app.anonymous.expectError(api.giveSecondFactor, { body: { challenge, proof: { kind: 'totp', code } } });

test('a TOTP app is confirmed by a code, and every later sign-in requires one', {
  tags: 'long-on-postgres',
}, async () => {
  const ada = await app.person('ada');
  const { secret, uri } = await ada.call(codesApi.beginTotp);
  expect(uri).toContain('otpauth://totp/RecordProof:ada?issuer=RecordProof');
  expect(await ada.expectError(codesApi.confirmTotp, { body: { code: wrongCode(secret) } })).toMatchObject({
    kind: 'SECOND_FACTOR_ERROR',
  });
  await new Person('ada', app.app.url).login('ada', testPassword); // not before it is confirmed
  const { recoveryCodes } = await ada.call(codesApi.confirmTotp, { body: { code: codeOf(secret) } });
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(recoveryCodes?.[0]).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  expect(await ada.call(api.ownFactors)).toMatchObject({ totp: {}, recoveryCodesLeft: 10, required: false });

  const challenge = await beginSignIn('ada');
  expect(await giveWrong(challenge, codeOf(secret))).toMatchObject({ kind: 'SECOND_FACTOR_ERROR' }); // used to confirm
  app.clock.advance(minute);
  const again = await give(challenge, { kind: 'totp', code: codeOf(secret) });
  const signedIn = new Person('ada', app.app.url, again.token);
  expect(await signedIn.call(authApi.me)).toMatchObject({ username: 'ada' });
  expect((await signedIn.call(listSessions)).filter(one => one.current)).toHaveLength(1);
  expect(await giveWrong(challenge, codeOf(secret, 1))).toMatchObject({ kind: 'CHALLENGE_EXPIRED' });
});

test('secrets and recovery codes are not stored as plain text', async () => {
  const { secret, recoveryCodes } = await enrol('sealed');
  const { db } = app.app.database;
  const rows = [
    ...(await db.selectFrom('totp').selectAll().execute()),
    ...(await db.selectFrom('recovery_code').selectAll().execute()),
    ...(await db.selectFrom('job').selectAll().execute()),
  ];
  const text = JSON.stringify(rows);
  const plain = (recoveryCodes[0] ?? '').replaceAll('-', '');
  for (const told of [secret, Buffer.from(Secret.fromBase32(secret).bytes).toString('base64url'), plain])
    expect(text).not.toContain(told);
});

test('a code used concurrently opens one session, whichever challenge is used', async () => {
  const { secret } = await enrol('rival');
  for (let round = 0; round < 3; round += 1) {
    app.clock.advance(minute);
    const challenges = [await beginSignIn('rival'), await beginSignIn('rival')];
    const code = codeOf(secret);
    const proof = { kind: 'totp', code } as const;
    const given = [...challenges, ...challenges].map(challenge => give(challenge, proof));
    const ends = await Promise.allSettled(given);
    expect(ends.filter(end => end.status === 'fulfilled')).toHaveLength(1);
  }
});

test('codes of the previous and the next step are accepted, others are not', { tags: 'long-on-postgres' }, async () => {
  const { secret } = await enrol('window');
  for (const [steps, isGood] of [
    [-2, false],
    [-1, true],
    [1, true],
    [2, false],
  ] as const) {
    app.clock.advance(10 * minute);
    const challenge = await beginSignIn('window');
    const given = give(challenge, { kind: 'totp', code: codeOf(secret, steps) });
    await (isGood ? expect(given).resolves.toMatchObject({}) : expect(given).rejects.toThrow());
  }
});

test('a recovery code works once, and its owner is notified', async () => {
  const { person, recoveryCodes } = await enrol('lost');
  const [first = '', second = ''] = recoveryCodes;
  await give(await beginSignIn('lost'), { kind: 'recovery-code', code: first.toUpperCase() });
  const proof = { kind: 'recovery-code', code: first } as const;
  const body = { challenge: await beginSignIn('lost'), proof };
  expect(await app.anonymous.expectError(api.giveSecondFactor, { body })).toMatchObject({
    kind: 'SECOND_FACTOR_ERROR',
  });
  expect(await person.call(api.ownFactors)).toMatchObject({ recoveryCodesLeft: 9 });
  await app.drain();
  expect((await app.mailsTo('lost@example.org')).map(mail => mail.text).join()).toContain('A recovery code');
  await person.call(api.renewRecoveryCodes);
  const old = { challenge: await beginSignIn('lost'), proof: { kind: 'recovery-code', code: second } } as const;
  expect(await app.anonymous.expectError(api.giveSecondFactor, { body: old })).toMatchObject({
    kind: 'SECOND_FACTOR_ERROR',
  });
});

test('a recovery code used concurrently opens one session', async () => {
  const { recoveryCodes } = await enrol('rivals');
  for (const code of recoveryCodes.slice(0, 3)) {
    const challenges = [await beginSignIn('rivals'), await beginSignIn('rivals'), await beginSignIn('rivals')];
    const ends = await Promise.allSettled(
      challenges.map(challenge => give(challenge, { kind: 'recovery-code', code })),
    );
    expect(ends.filter(end => end.status === 'fulfilled')).toHaveLength(1);
    app.clock.advance(minute);
    await give(await beginSignIn('rivals'), {
      kind: 'recovery-code',
      code: recoveryCodes[recoveryCodes.indexOf(code) + 4] ?? '',
    });
  }
});

test('a new password does not clear the count of wrong second factors', { tags: 'long-on-postgres' }, async () => {
  const { person, secret } = await enrol('counted');
  const wrong = { kind: 'totp', code: wrongCode(secret) } as const;
  const guess = () => person.expectError(api.stepUp, { body: { proof: wrong } });
  for (let round = 0; round < 4; round += 1) {
    expect(await guess()).toMatchObject({ kind: 'SECOND_FACTOR_ERROR' });
    const body = { oldPassword: testPassword, newPassword: testPassword };
    person.token = (await person.call(changePassword, { body })).token;
  }
  expect(await guess()).toMatchObject({ kind: 'SECOND_FACTOR_ERROR' });
  await app.anonymous.call(authApi.requestMailCode, { body: { email: 'counted@example.org', type: 'reset' } });
  const reset = { email: 'counted@example.org', code: await app.mailedCode('counted@example.org') };
  await app.anonymous.call(authApi.resetPassword, { body: { ...reset, password: testPassword } });
  const challenge = await beginSignIn('counted');
  expect(await giveWrong(challenge, codeOf(secret))).toMatchObject({ kind: 'USER_ACCOUNT_LOCKED' });
  app.clock.advance(16 * minute);
  await give(await beginSignIn('counted'), { kind: 'totp', code: codeOf(secret) });
});

test('a challenge is valid only for its next step: it is no token, and sets up no factor', async () => {
  const { secret } = await enrol('pending');
  const challenge = await beginSignIn('pending');
  const bearer = new Person('pending', app.app.url, challenge);
  const calls = [
    authApi.me,
    authApi.refreshToken,
    authApi.issueStreamToken,
    api.ownFactors,
    codesApi.beginTotp,
  ] as const;
  for (const endpoint of calls) expect((await bearer.expectError(endpoint)).status, endpoint.name).toBe(401);
  const body = { challenge, code: codeOf(secret) };
  expect((await app.anonymous.expectError(codesApi.completeEnrolment, { body })).kind).toBe('CHALLENGE_EXPIRED');
  await give(challenge, { kind: 'totp', code: codeOf(secret) });
});

test('a challenge is valid for five minutes, one address and five attempts', { tags: 'long-on-postgres' }, async () => {
  const { secret } = await enrol('bound');
  const late = await beginSignIn('bound');
  app.clock.advance(5 * minute);
  expect(await giveWrong(late, codeOf(secret))).toMatchObject({ kind: 'CHALLENGE_EXPIRED' });
  const challenge = await beginSignIn('bound');
  const elsewhere = await app.anonymous.fetch('/api/v1/auth/second-factor', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
    body: JSON.stringify({ challenge, proof: { kind: 'totp', code: codeOf(secret) } }),
  });
  expect(await elsewhere.json()).toMatchObject({ code: 20012 });
  for (let count = 0; count < 4; count += 1) await giveWrong(challenge, wrongCode(secret));
  expect(await giveWrong(challenge, codeOf(secret))).toMatchObject({ kind: 'CHALLENGE_EXPIRED' });
  expect(await app.anonymous.expectError(codesApi.beginEnrolment, { body: { challenge } })).toMatchObject({
    kind: 'CHALLENGE_EXPIRED',
  });
});

test('wrong codes lock like wrong passwords, and a right password in between does not reset the count', {
  tags: 'long-on-postgres',
}, async () => {
  const { secret } = await enrol('guessed');
  for (let count = 0; count < 5; count += 1) {
    const challenge = await beginSignIn('guessed');
    expect(await giveWrong(challenge, wrongCode(secret))).toMatchObject({ kind: 'SECOND_FACTOR_ERROR' });
  }
  const body = { username: 'guessed', password: testPassword };
  expect(await app.anonymous.expectError(authApi.login, { body })).toMatchObject({ kind: 'USER_ACCOUNT_LOCKED' });
  app.clock.advance(15 * minute);
  await give(await beginSignIn('guessed'), { kind: 'totp', code: codeOf(secret) });
});

test('after the grace period, signing in only allows setting up a second factor', {
  tags: 'long-on-postgres',
}, async () => {
  const { call } = root;
  await root.login('root', testPassword);
  const monitor = await app.person('watcher', { role: 'monitor' });
  const requirement = { roles: ['monitor' as const], graceDays: 2 };
  await call(userApi.putFactorRequirement, { body: requirement });
  expect(await call(userApi.getFactorRequirement)).toEqual(requirement);
  expect(await monitor.call(api.ownFactors)).toMatchObject({ required: true, enrolBy: expect.any(String) });
  app.clock.advance(day);
  await monitor.login('watcher', testPassword);
  monitor.token = (await monitor.call(authApi.refreshToken)).token;
  await root.login('root', testPassword);
  await call(userApi.putFactorRequirement, { body: requirement }); // no new grace period
  app.clock.advance(day - 10 * minute);
  await monitor.login('watcher', testPassword);
  app.clock.advance(15 * minute);
  expect(await monitor.expectError(authApi.refreshToken)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });

  const challenge = await beginSignIn('watcher', 'SECOND_FACTOR_ENROLMENT');
  const used = { challenge, proof: { kind: 'totp', code: '000000' } } as const;
  expect(await app.anonymous.expectError(api.giveSecondFactor, { body: used })).toMatchObject({
    kind: 'CHALLENGE_EXPIRED',
  });
  const { secret } = await app.anonymous.call(codesApi.beginEnrolment, { body: { challenge } });
  const wrong = { challenge, code: wrongCode(secret) };
  expect(await app.anonymous.expectError(codesApi.completeEnrolment, { body: wrong })).toMatchObject({
    kind: 'SECOND_FACTOR_ERROR',
  });
  const done = await app.anonymous.call(codesApi.completeEnrolment, { body: { challenge, code: codeOf(secret) } });
  expect(done.recoveryCodes).toHaveLength(10);
  monitor.token = done.token;
  expect(await monitor.expectError(codesApi.removeTotp)).toMatchObject({ kind: 'CONFLICT' });
  await root.login('root', testPassword);
  await call(userApi.putFactorRequirement, { body: { roles: [], graceDays: 14 } });
  await monitor.call(codesApi.removeTotp);
  await monitor.login('watcher', testPassword);
});

test('a call that needs a fresh factor is rejected after ten minutes, and accepted after a step-up', {
  tags: 'long-on-postgres',
}, async () => {
  const boss = await app.person('boss', { role: 'admin' });
  await app.person('pupil');
  const id = await idOfUser(boss, 'pupil');
  const change = { params: { id }, body: { role: 'monitor' as const } };
  await boss.call(updateUserRole, change);
  app.clock.advance(10 * minute);
  boss.token = (await boss.call(authApi.refreshToken)).token; // renewing is no factor
  const stale = await boss.expectError(updateUserRole, change);
  expect(stale).toMatchObject({
    kind: 'STEP_UP_REQUIRED',
    status: 403,
    code: 70007,
    detail: { factors: ['password'] },
  });
  const proof = (password: string) => ({ body: { proof: { kind: 'password' as const, password } } });
  expect(await boss.expectError(api.stepUp, proof('wrong password'))).toMatchObject({ kind: 'USER_LOGIN_ERROR' });
  await boss.call(api.stepUp, proof(testPassword));
  boss.token = (await boss.call(authApi.refreshToken)).token;
  expect(await boss.call(updateUserRole, change)).toMatchObject({ role: 'monitor' });

  const { secret } = await boss.call(codesApi.beginTotp);
  await boss.call(codesApi.confirmTotp, { body: { code: codeOf(secret) } });
  app.clock.advance(11 * minute);
  expect(await boss.expectError(updateUserRole, change)).toMatchObject({
    detail: { factors: ['totp', 'recovery-code'] },
  });
  expect(await boss.expectError(api.stepUp, proof(testPassword))).toMatchObject({ kind: 'SECOND_FACTOR_ERROR' });
  await boss.call(api.stepUp, { body: { proof: { kind: 'totp', code: codeOf(secret) } } });
  expect(await boss.expectError(updateUserRole, { ...change, params: { id: '999999999' } })).toMatchObject({
    kind: 'USER_NOT_EXIST',
  });
});

async function idOfUser(admin: Person, username: string): Promise<string> {
  const { records } = await admin.call(userApi.listUserFactors, { query: { keyword: username } });
  return records.find(one => one.username === username)?.id ?? '';
}

test('administrators see the factors of an account and can reset them', async () => {
  const { person } = await enrol('stranded');
  await root.login('root', testPassword);
  const id = await idOfUser(root, 'stranded');
  expect(await root.call(userApi.getUserFactors, { params: { id } })).toMatchObject({
    totp: {},
    recoveryCodesLeft: 10,
  });
  await root.call(userApi.resetUserFactors, { params: { id }, query: { reason: 'lost phone' } });
  expect(await person.expectError(authApi.me)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
  await person.login('stranded', testPassword);
  expect(await person.call(api.ownFactors)).toMatchObject({ totp: null, recoveryCodesLeft: 0 });
  await app.drain();
  expect((await app.mailsTo('stranded@example.org')).map(mail => mail.text).join()).toContain(
    'An administrator removed',
  );
  const foreign = await app.person('foreign-boss', { role: 'admin', tenant: 'elsewhere' });
  expect(await foreign.expectError(userApi.resetUserFactors, { params: { id }, query: {} })).toMatchObject({
    kind: 'USER_NOT_EXIST',
  });
});
