import * as api from '@recordproof/shared/api/uploads.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import { sendFile, sendProxied, storeProxied, toPlan } from '../../../../test/support/uploads.ts';

const env = { QUOTA_MODE: 'ENFORCE', QUOTA_USER_BYTES: '10000', QUOTA_USER_FILES: '3', QUOTA_TENANT_BYTES: '15000' };

test('what is past the quota is refused at the start', async () => {
  await using app = await startApp({ env });
  const alice = await app.person('alice');
  await storeProxied(alice, await pattern(9000));
  const refusal = await alice.refused(api.createUploadSession, { body: toPlan(await pattern(1001)) });
  expect(refusal).toMatchObject({ kind: 'QUOTA_EXCEEDED', status: 413 });
  expect(await sendFile(alice, await pattern(1001))).toMatchObject({ status: 413, code: 50013 });
  await storeProxied(alice, await pattern(1000));
  await app.drain();
  await checkEverything(app);
});

test('uploads that each fit when they start, but not together, are decided one after the other at the end', async () => {
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

test('the number of files and the quota of the tenant count too', async () => {
  await using app = await startApp({ env });
  const [alice, bob] = [await app.person('alice'), await app.person('bob')];
  for (const seed of [1, 2, 3]) await storeProxied(alice, await pattern(3000, seed));
  const fourth = await alice.refused(api.createUploadSession, { body: toPlan(await pattern(1)) });
  expect(fourth).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
  const bobs = await bob.refused(api.createUploadSession, { body: toPlan(await pattern(7000)) });
  expect(bobs).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
  await storeProxied(bob, await pattern(6000));
});

test('in mode SHADOW everything comes in', async () => {
  await using app = await startApp({ env: { ...env, QUOTA_MODE: 'SHADOW' } });
  const alice = await app.person('alice');
  for (const seed of [1, 2, 3, 4]) await storeProxied(alice, await pattern(9000, seed));
  await app.drain();
  await checkEverything(app);
});
