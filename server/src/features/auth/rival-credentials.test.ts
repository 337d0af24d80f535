// Races on credentials of one account: password change, rehash at sign-in, registration and address change.
import { argon2Sync } from 'node:crypto';
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { expect, test } from 'vitest';
import { Person, startApp, testPassword } from '../../../../test/support/app.ts';
import { localCall } from '../../platform/call.ts';
import { attemptPassword } from './lockout.ts';
import { findCandidate } from './login.ts';

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** As a server of before hashed it, for less. */
function hashCheaply(password: string): string {
  const nonce = Buffer.alloc(16, 7);
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    tagLength: 32,
    memory: 64,
    passes: 1,
    parallelism: 1,
  });
  return `$argon2id$v=19$m=64,t=1,p=1$${unpadded(nonce)}$${unpadded(tag)}`;
}

test('a sign-in that rehashes an old password does not overwrite a concurrent password change', {
  tags: 'long',
}, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const { clock } = app;
  const { database, passwords } = app.app.server;
  const hashOf = async () =>
    (await database.db.selectFrom('account').select('password_hash').where('username', '=', 'ada').execute())[0];
  const cheap = hashCheaply(testPassword);
  await database.db.updateTable('account').set({ password_hash: cheap }).where('username', '=', 'ada').execute();
  const { account, subject } = await findCandidate(database.db, 'ada');
  const change = { oldPassword: testPassword, newPassword: 'quite another one' };
  ada.token = (await ada.call(accountsApi.changePassword, { body: change })).token;
  const changed = await hashOf();
  const late = { subject, account, password: testPassword, entry: { operation: 'login' } };
  const call = localCall('test', account?.tenant_id ?? 0, clock.now());
  await attemptPassword({ database, clock, passwords }, call, { ...late, descriptions: { right: 'in', wrong: 'out' } });
  expect(await hashOf()).toEqual(changed);
  await new Person('ada', app.app.url).login('ada', 'quite another one');
});

test('a sign-in rehashes a password with outdated parameters', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const { db } = app.app.database;
  const cheap = hashCheaply(testPassword);
  await db.updateTable('account').set({ password_hash: cheap }).where('username', '=', 'ada').execute();
  await Promise.all([ada.login('ada', testPassword), ada.login('ada', testPassword)]);
  const { password_hash } = await db
    .selectFrom('account')
    .select('password_hash')
    .where('username', '=', 'ada')
    .executeTakeFirstOrThrow();
  expect(password_hash).toContain('m=19456,');
  await ada.login('ada', testPassword);
});

test('a concurrent registration and address change for one address: one succeeds, the other is rejected', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  for (let round = 0; round < 8; round += 1) {
    const email = `wanted-${round}@example.org`;
    const codeFor = async (type: 'modify' | 'register') => {
      await app.anonymous.call(api.requestMailCode, { body: { email, type } });
      return app.mailedCode(email);
    };
    const moving = { email, code: await codeFor('modify'), password: testPassword };
    app.clock.advance(61_000);
    const opening = { email, code: await codeFor('register'), username: `rival-${round}`, password: testPassword };
    const settled = await Promise.allSettled([
      ada.call(accountsApi.changeEmail, { body: moving }),
      app.anonymous.call(api.register, { body: opening }),
    ]);
    const rejected = settled.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    expect(rejected).toEqual([expect.any(ApiError)]);
    expect(rejected[0]).toMatchObject({ kind: 'USER_HAS_EXISTED' });
  }
});
