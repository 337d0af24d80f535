// Passkeys over the API, with an authenticator in software: what each assertion is accepted for, and what is rejected.
import * as authApi from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type * as proofsApi from '@recordproof/shared/api/factor-proofs.ts';
import * as api from '@recordproof/shared/api/factors.ts';
import * as passkeysApi from '@recordproof/shared/api/passkeys.ts';
import * as userApi from '@recordproof/shared/api/user-factors.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { newSoftwarePasskey, type SoftwarePasskey } from '../../../../test/support/software-authenticator.ts';

const minute = 60_000;

let app: TestApp;
let root: Person;
beforeAll(async () => {
  app = await startApp();
  root = await app.person('root', { role: 'admin' });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const pageOrigin = (): string => app.app.url.replace('127.0.0.1', 'localhost');
const newOptions = () => app.anonymous.call(passkeysApi.passkeySignInOptions);
const kindOf = (given: Promise<unknown>): Promise<string> =>
  given.then(
    () => 'accepted',
    error => (error instanceof ApiError ? error.kind : Promise.reject(error)),
  );

async function addPasskey(person: Person, name = 'Key'): Promise<SoftwarePasskey> {
  const passkey = newSoftwarePasskey(pageOrigin());
  const credential = passkey.attest(await person.call(passkeysApi.beginPasskey));
  await person.call(passkeysApi.addPasskey, { body: { name, credential } });
  return passkey;
}

const signIn = (credential: proofsApi.PasskeyAssertion) =>
  app.anonymous.call(passkeysApi.signInWithPasskey, { body: { credential } });

async function beginSignIn(username: string): Promise<string> {
  const error = await app.anonymous.expectError(authApi.login, { body: { username, password: testPassword } });
  return api.pendingSignIn.parse(error.detail).challenge;
}

test('a passkey without user verification is one factor, and not enough where two are required', {
  tags: 'long-on-postgres',
}, async () => {
  const monitor = await app.person('watcher', { role: 'monitor' });
  const passkey = await addPasskey(monitor);
  const alone = async (isUserVerified: boolean) => signIn(passkey.assert(await newOptions(), { isUserVerified }));
  await alone(false);
  await root.call(userApi.putFactorRequirement, { body: { roles: ['monitor'], graceDays: 1 } });
  await alone(false);
  app.clock.advance(24 * 60 * minute);

  const rejected = await alone(false).catch(error => error);
  expect(rejected).toMatchObject({ kind: 'PASSKEY_ERROR', message: expect.stringContaining('did not verify') });
  const { token } = await alone(true);
  expect(await new Person('watcher', app.app.url, token).call(authApi.me)).toMatchObject({ username: 'watcher' });
  const challenge = await beginSignIn('watcher');
  const credential = passkey.assert(await newOptions(), { isUserVerified: false });
  await app.anonymous.call(api.giveSecondFactor, { body: { challenge, proof: { kind: 'passkey', credential } } });

  await root.login('root', testPassword);
  await root.call(userApi.putFactorRequirement, { body: { roles: [], graceDays: 14 } });
  await alone(false);
});

test('an assertion is accepted once, and only for its challenge, origin and account', async () => {
  const ada = await app.person('ada');
  const passkey = await addPasskey(ada);
  const mallory = await app.person('mallory', { tenant: 'elsewhere' });
  const foreign = await addPasskey(mallory);
  const used = passkey.assert(await newOptions());
  await signIn(used);

  const rivals = passkey.assert(await newOptions(), { counter: 100 });
  const ends = await Promise.all([rivals, rivals, rivals].map(credential => kindOf(signIn(credential))));
  expect(ends.sort()).toEqual(['PASSKEY_ERROR', 'PASSKEY_ERROR', 'accepted']);

  const options = await newOptions();
  const late = passkey.assert(await newOptions(), { counter: 200 });
  const mixed = foreign.assert(options);
  const cases: Record<string, proofsApi.PasskeyAssertion> = {
    'used already': used,
    'another page': passkey.assert(options, { origin: 'https://localhost.evil.example', counter: 201 }),
    'a challenge of nobody': passkey.assert({ options: { challenge: 'A'.repeat(72) } }, { counter: 202 }),
    'a challenge for adding one': passkey.assert(await ada.call(passkeysApi.beginPasskey), { counter: 203 }),
    'the key of another': { ...mixed, id: used.id, rawId: used.rawId },
    'a counter that is behind': passkey.assert(options, { counter: 3 }),
  };
  for (const [name, credential] of Object.entries(cases))
    expect([name, await kindOf(signIn(credential))]).toEqual([name, 'PASSKEY_ERROR']);
  app.clock.advance(6 * minute);
  expect(await kindOf(signIn(late))).toBe('PASSKEY_ERROR');

  const challenge = await beginSignIn('ada');
  const credential = foreign.assert(await newOptions());
  const body = { challenge, proof: { kind: 'passkey' as const, credential } };
  expect((await app.anonymous.expectError(api.giveSecondFactor, { body })).kind).toBe('SECOND_FACTOR_ERROR');
});

test('passkey options are valid once and for their account, and administrators need user verification', async () => {
  const grace = await app.person('grace');
  const other = await app.person('other');
  const options = await grace.call(passkeysApi.beginPasskey);
  const credential = newSoftwarePasskey(pageOrigin()).attest(options);
  const body = { name: 'Key', credential };
  expect((await other.expectError(passkeysApi.addPasskey, { body })).kind).toBe('PASSKEY_ERROR');
  await grace.call(passkeysApi.addPasskey, { body });
  expect((await grace.expectError(passkeysApi.addPasskey, { body })).kind).toBe('PASSKEY_ERROR');
  const boss = await app.person('boss', { role: 'admin' });
  const unverified = newSoftwarePasskey(pageOrigin()).attest(await boss.call(passkeysApi.beginPasskey), {
    isUserVerified: false,
  });
  const adding = { name: 'Key', credential: unverified };
  expect((await boss.expectError(passkeysApi.addPasskey, { body: adding })).kind).toBe('PASSKEY_ERROR');
});

test('a suspended account cannot sign in with a passkey', async () => {
  const idle = await app.person('idle');
  const passkey = await addPasskey(idle);
  const { db } = app.app.database;
  const set = (status: 'ACTIVE' | 'SUSPENDED') =>
    db.updateTable('account').set({ status }).where('username', '=', 'idle').execute();
  await set('SUSPENDED');
  expect(await kindOf(signIn(passkey.assert(await newOptions())))).toBe('USER_ACCOUNT_FORBIDDEN');
  await set('ACTIVE');
  await signIn(passkey.assert(await newOptions()));
});

test('a required passkey is set up during sign-in, must verify its user, and opens a session', {
  tags: 'long-on-postgres',
}, async () => {
  await app.person('required', { role: 'monitor' });
  await root.login('root', testPassword);
  await root.call(userApi.putFactorRequirement, { body: { roles: ['monitor'], graceDays: 0 } });
  const begin = async () => {
    const body = { username: 'required', password: testPassword };
    const error = await app.anonymous.expectError(authApi.login, { body });
    expect(error).toMatchObject({ kind: 'SECOND_FACTOR_ENROLMENT', detail: { factors: ['totp', 'passkey'] } });
    return api.pendingSignIn.parse(error.detail).challenge;
  };
  const [challenge, other] = [await begin(), await begin()];
  const newOptionsOf = (of: string) =>
    app.anonymous.call(passkeysApi.beginPasskeyEnrolment, { body: { challenge: of } });
  const complete = (of: string, credential: proofsApi.PasskeyAttestation) =>
    app.anonymous.call(passkeysApi.completePasskeyEnrolment, { body: { challenge: of, credential } });
  const options = await newOptionsOf(challenge);
  expect(options).toMatchObject({ options: { authenticatorSelection: { userVerification: 'required' } } });

  const passkey = newSoftwarePasskey(pageOrigin());
  const signedIn = await app.person('signed-in');
  const rejected: Record<string, proofsApi.PasskeyAttestation> = {
    'a user who was not verified': passkey.attest(options, { isUserVerified: false }),
    'options of another sign-in': passkey.attest(await newOptionsOf(other)),
    'options of a session': passkey.attest(await signedIn.call(passkeysApi.beginPasskey)),
    'another page': passkey.attest(options, { origin: 'https://localhost.evil.example' }),
  };
  for (const [name, credential] of Object.entries(rejected))
    expect([name, await kindOf(complete(challenge, credential))]).toEqual([name, 'PASSKEY_ERROR']);
  const body = { name: 'Key', credential: passkey.attest(options) };
  expect((await signedIn.expectError(passkeysApi.addPasskey, { body })).kind).toBe('PASSKEY_ERROR');

  const mine = passkey.attest(options);
  const theirs = newSoftwarePasskey(pageOrigin()).attest(await newOptionsOf(other));
  const rivals = await Promise.allSettled([
    complete(challenge, mine),
    complete(other, theirs),
    complete(challenge, mine),
  ]);
  const [done, ...more] = rivals.flatMap(rival => (rival.status === 'fulfilled' ? [rival.value] : []));
  expect(more).toEqual([]);
  expect(done?.recoveryCodes).toHaveLength(10);
  const person = new Person('required', app.app.url, done?.token);
  const { passkeys, ...factors } = await person.call(api.ownFactors);
  expect(factors).toMatchObject({ required: true, totp: null, recoveryCodesLeft: 10 });
  expect(passkeys.map(one => one.name)).toEqual(['node']);
  for (const late of [challenge, other]) expect(await kindOf(newOptionsOf(late))).toBe('CHALLENGE_EXPIRED');
  person.token = (await person.call(authApi.refreshToken)).token;
  const { records } = await root.call(userApi.listUserFactors, { query: { keyword: 'required' } });
  expect(records).toMatchObject([{ username: 'required', required: true, passkeys: 1, totp: null }]);
  await beginSignIn('required'); // for the passkey, no more for setting one up
  await app.drain();
  expect((await app.mailsTo('required@example.org')).map(mail => mail.text).join()).toContain('A passkey was added');
  await root.call(userApi.putFactorRequirement, { body: { roles: [], graceDays: 14 } });
});
