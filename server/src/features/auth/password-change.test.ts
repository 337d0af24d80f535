// @module-tag long-on-postgres
// A new password with the old one: it replaces no second factor, and is no way around setting one up.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import * as authApi from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/factors.ts';
import * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import * as userApi from '@recordproof/shared/api/user-factors.ts';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const minute = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const newPassword = `${testPassword} 2`;

async function change(person: Person): Promise<void> {
  const body = { oldPassword: testPassword, newPassword };
  person.token = (await person.call(changePassword, { body })).token;
}

test('a password change counts as a fresh factor only for an account without a second factor', async () => {
  const plain = await app.person('plain');
  const careful = await app.person('careful');
  const { secret } = await careful.call(codesApi.beginTotp);
  const code = () => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: app.clock.now() });
  await careful.call(codesApi.confirmTotp, { body: { code: code() } });
  app.clock.advance(11 * minute);
  for (const person of [plain, careful]) await change(person);
  await plain.call(codesApi.beginTotp);
  expect(await careful.expectError(api.renewRecoveryCodes)).toMatchObject({
    kind: 'STEP_UP_REQUIRED',
    detail: { factors: ['totp', 'recovery-code'] },
  });
  await careful.call(api.stepUp, { body: { proof: { kind: 'totp', code: code() } } });
  careful.token = (
    await careful.call(changePassword, { body: { oldPassword: newPassword, newPassword: testPassword } })
  ).token;
  await careful.call(api.renewRecoveryCodes); // what was given before stays fresh
});

test('a password change renews no session beyond the grace period', async () => {
  const root = await app.person('root', { role: 'admin' });
  const monitor = await app.person('watcher', { role: 'monitor' });
  await root.call(userApi.putFactorRequirement, { body: { roles: ['monitor'], graceDays: 0 } });
  const body = { oldPassword: testPassword, newPassword };
  expect(await monitor.expectError(changePassword, { body })).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
  const error = await app.anonymous.expectError(authApi.login, {
    body: { username: 'watcher', password: testPassword },
  });
  expect(error.kind).toBe('SECOND_FACTOR_ENROLMENT');
});
