// Races on the second factors of one account: enrolment, removal, recovery codes, an older sign-in.
import * as authApi from '@recordproof/shared/api/auth.ts';
import type * as proofsApi from '@recordproof/shared/api/factor-proofs.ts';
import * as api from '@recordproof/shared/api/factors.ts';
import * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import * as passkeysApi from '@recordproof/shared/api/passkeys.ts';
import * as userApi from '@recordproof/shared/api/user-factors.ts';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { newSoftwarePasskey } from '../../../../test/support/software-authenticator.ts';

let app: TestApp;
let root: Person;
beforeAll(async () => {
  app = await startApp();
  root = await app.person('root', { role: 'admin' });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const codeOf = (secret: string): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: app.clock.now() });

async function require(graceDays: number, roles: userApi.FactorRequirement['roles'] = ['monitor']): Promise<void> {
  await root.login('root', testPassword);
  await root.call(userApi.putFactorRequirement, { body: { roles, graceDays } });
}

async function newAttestation(person: Person): Promise<proofsApi.PasskeyAttestation> {
  const passkey = newSoftwarePasskey(app.app.url.replace('127.0.0.1', 'localhost'));
  return passkey.attest(await person.call(passkeysApi.beginPasskey));
}

const addPasskey = async (person: Person) =>
  person.call(passkeysApi.addPasskey, { body: { name: 'Key', credential: await newAttestation(person) } });

async function addTotp(person: Person): Promise<string> {
  const { secret } = await person.call(codesApi.beginTotp);
  await person.call(codesApi.confirmTotp, { body: { code: codeOf(secret) } });
  return secret;
}

async function beginEnrolment(username: string): Promise<string> {
  const error = await app.anonymous.expectError(authApi.login, { body: { username, password: testPassword } });
  expect(error.kind).toBe('SECOND_FACTOR_ENROLMENT');
  return api.pendingSignIn.parse(error.detail).challenge;
}

test('an enrolment begun before the account got a factor is rejected and opens no session', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('slow', { role: 'monitor' });
  await require(0);
  const late = await beginEnrolment('slow');
  const { secret: lateSecret } = await app.anonymous.call(codesApi.beginEnrolment, { body: { challenge: late } });
  const other = await beginEnrolment('slow');
  const { secret } = await app.anonymous.call(codesApi.beginEnrolment, { body: { challenge: other } });
  await app.anonymous.call(codesApi.completeEnrolment, { body: { challenge: other, code: codeOf(secret) } });

  for (const step of [
    () => app.anonymous.expectError(codesApi.beginEnrolment, { body: { challenge: late } }),
    () =>
      app.anonymous.expectError(codesApi.completeEnrolment, { body: { challenge: late, code: codeOf(lateSecret) } }),
  ])
    expect((await step()).kind).toBe('CHALLENGE_EXPIRED');
  const error = await app.anonymous.expectError(authApi.login, { body: { username: 'slow', password: testPassword } });
  expect(error.kind).toBe('SECOND_FACTOR_REQUIRED');
  await require(14, []);
});

test('of two factors removed concurrently one is kept where one is required', async () => {
  await require(0);
  for (let round = 0; round < 5; round += 1) {
    await require(1);
    const person = await app.person(`remover-${round}`, { role: 'monitor' });
    await addTotp(person);
    const { passkey } = await addPasskey(person);
    const ends = await Promise.allSettled([
      person.call(codesApi.removeTotp),
      person.call(passkeysApi.removePasskey, { params: { id: passkey.id } }),
    ]);
    expect(ends.filter(end => end.status === 'fulfilled')).toHaveLength(1);
    const { totp, passkeys } = await person.call(api.ownFactors);
    expect((totp === null ? 0 : 1) + passkeys.length).toBe(1);
  }
  await require(14, []);
});

test('two first factors added concurrently create ten recovery codes, as do two concurrent renewals', async () => {
  for (let round = 0; round < 5; round += 1) {
    const person = await app.person(`first-${round}`);
    const { secret } = await person.call(codesApi.beginTotp);
    const credential = await newAttestation(person);
    const [totp, passkey] = await Promise.all([
      person.call(codesApi.confirmTotp, { body: { code: codeOf(secret) } }),
      person.call(passkeysApi.addPasskey, { body: { name: 'Key', credential } }),
    ]);
    expect([totp, passkey].filter(({ recoveryCodes }) => recoveryCodes?.length === 10)).toHaveLength(1);
    expect(await person.call(api.ownFactors)).toMatchObject({ recoveryCodesLeft: 10 });
    await Promise.all([person.call(api.renewRecoveryCodes), person.call(api.renewRecoveryCodes)]);
    expect(await person.call(api.ownFactors)).toMatchObject({ recoveryCodesLeft: 10 });
  }
});
