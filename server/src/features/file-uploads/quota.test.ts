// Quotas of uploads: rejection at the start and at completion, limits of accounts and tenants, mode SHADOW.
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as filesApi from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import * as quotaApi from '@recordproof/shared/api/user-quotas.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import { sendFile, sendProxied, storeProxied, toPlan } from '../../../../test/support/uploads.ts';

const env = { QUOTA_MODE: 'ENFORCE', QUOTA_USER_BYTES: '10000', QUOTA_USER_FILES: '3', QUOTA_TENANT_BYTES: '15000' };

test('an upload beyond the quota is rejected at the start', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env });
  const alice = await app.person('alice');
  await storeProxied(alice, await pattern(9000));
  const rejection = await alice.expectError(api.createUploadSession, { body: toPlan(await pattern(1001)) });
  expect(rejection).toMatchObject({ kind: 'QUOTA_EXCEEDED', status: 413 });
  expect(await sendFile(alice, await pattern(1001))).toMatchObject({ status: 413, code: 50013 });
  await storeProxied(alice, await pattern(1000));
  await app.drain();
  await checkEverything(app);
});

test('uploads that fit only separately are decided one after the other at completion', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env });
  const alice = await app.person('alice');
  const clientIds = [];
  for (let seed = 1; seed <= 5; seed += 1) clientIds.push(await sendProxied(alice, await pattern(4000, seed)));
  const complete = (clientId: string) => alice.call(api.completeUploadSession, { params: { clientId } });
  const results = await Promise.allSettled(clientIds.map(complete));
  const kinds = results.map(result => (result.status === 'fulfilled' ? 'stored' : result.reason.kind)).sort();
  expect(kinds).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'stored', 'stored']);
  await app.drain();
  await checkEverything(app);
  await using store = await openConfiguredStore(app.config);
  const all = (await Array.fromAsync(store.list(''))).map(({ key }) => key);
  const keys = all.filter(key => !key.startsWith('ledger/'));
  expect(keys.filter(key => key.startsWith('staging/'))).toEqual([]);
  expect(keys).toHaveLength(2);
});

test('the number of files and the quota of the tenant are enforced too', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env });
  const [alice, bob] = [await app.person('alice'), await app.person('bob')];
  for (const seed of [1, 2, 3]) await storeProxied(alice, await pattern(3000, seed));
  const fourth = await alice.expectError(api.createUploadSession, { body: toPlan(await pattern(1)) });
  expect(fourth).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
  const bobs = await bob.expectError(api.createUploadSession, { body: toPlan(await pattern(7000)) });
  expect(bobs).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
  await storeProxied(bob, await pattern(6000));
});

test('mode SHADOW accepts everything', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: { ...env, QUOTA_MODE: 'SHADOW' } });
  const alice = await app.person('alice');
  for (const seed of [1, 2, 3, 4]) await storeProxied(alice, await pattern(9000, seed));
  await app.drain();
  await checkEverything(app);
});

test('a limit of an account overrides the default, and the default mode enforces it', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env: { QUOTA_USER_BYTES: '10000' } });
  const [root, alice, bob] = [
    await app.person('root', { role: 'admin' }),
    await app.person('alice'),
    await app.person('bob'),
  ];
  const { records } = await root.call(accountsApi.listUsers, { query: { keyword: 'alice' } });
  const params = { id: records[0]?.id ?? '' };
  const set = (maxBytes: number | null, maxFiles: number | null = null) =>
    root.call(quotaApi.setUserQuota, { params, body: { maxBytes, maxFiles } });
  expect(await alice.expectError(api.createUploadSession, { body: toPlan(await pattern(10_001)) })).toMatchObject({
    kind: 'QUOTA_EXCEEDED',
  });
  expect(await set(20_000)).toMatchObject({ mode: 'ENFORCE', user: { maxBytes: 20_000 }, own: { maxBytes: 20_000 } });
  await storeProxied(alice, await pattern(15_000));
  expect(await bob.expectError(api.createUploadSession, { body: toPlan(await pattern(10_001)) })).toMatchObject({
    kind: 'QUOTA_EXCEEDED',
  });
  expect((await alice.call(filesApi.fileQuota)).user).toMatchObject({ usedBytes: 15_000, maxBytes: 20_000 });
  await set(null);
  expect(await alice.expectError(api.createUploadSession, { body: toPlan(await pattern(1)) })).toMatchObject({
    kind: 'QUOTA_EXCEEDED',
  });
  expect(await root.call(quotaApi.getUserQuota, { params })).toMatchObject({
    user: { usedBytes: 15_000, maxBytes: 10_000 },
    own: { maxBytes: null, maxFiles: null },
  });
  await app.drain();
  await checkEverything(app);
});

test('a limit set during concurrent completions applies to each completion after it', async () => {
  await using app = await startApp({ env });
  const [root, alice] = [await app.person('root', { role: 'admin' }), await app.person('alice')];
  const { records } = await root.call(accountsApi.listUsers, { query: { keyword: 'alice' } });
  const params = { id: records[0]?.id ?? '' };
  const clientIds = [];
  for (let seed = 1; seed <= 4; seed += 1) clientIds.push(await sendProxied(alice, await pattern(2000, seed)));
  const body = { maxBytes: 4000, maxFiles: null };
  const [, ...results] = await Promise.allSettled([
    root.call(quotaApi.setUserQuota, { params, body }),
    ...clientIds.map(clientId => alice.call(api.completeUploadSession, { params: { clientId } })),
  ]);
  const { user, own } = await root.call(quotaApi.getUserQuota, { params });
  expect(own).toEqual(body);
  expect(user.usedFiles).toBe(results.filter(({ status }) => status === 'fulfilled').length);
  expect(user.usedFiles).toBeGreaterThanOrEqual(2);
  expect(await alice.expectError(api.createUploadSession, { body: toPlan(await pattern(2001)) })).toMatchObject({
    kind: 'QUOTA_EXCEEDED',
  });
  await app.drain();
  await checkEverything(app);
});
