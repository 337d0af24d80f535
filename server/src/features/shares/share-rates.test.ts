// @module-tag long-on-postgres
// Rate limits of share calls: a class of their own per address for anonymous clients, the usual ones for accounts.
import * as api from '@recordproof/shared/api/share-access.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { share, storeFile } from '../../../../test/support/shares.ts';

const minute = 60_000;

async function begin() {
  const app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1', RECORDPROOF_RATE_LIMIT_SHARE: '3' } });
  const alice = await app.person('alice');
  const { fileHash } = await storeFile(alice);
  const { shareCode: code } = await share(alice, fileHash);
  const ask = async (address: string, path: string, init: RequestInit = {}) => {
    const { status, headers } = await app.anonymous.fetch(path, { ...init, headers: { 'x-forwarded-for': address } });
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
  };
  return { app, alice, code, fileHash, ask, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

test('share pages have a rate limit per address, and responses report what is left', async () => {
  await using ground = await begin();
  const { app, code, ask } = ground;
  for (const left of ['2', '1', '0']) expect(await ask('192.0.2.1', `/s/${code}`)).toEqual([200, '3', left]);
  expect(await ask('192.0.2.1', `/s/${code}`)).toEqual([429, '3', '0']);
  expect(await ask('192.0.2.2', `/s/${code}`), 'another address').toEqual([200, '3', '2']);
  app.clock.advance(2 * minute);
  expect(await ask('192.0.2.1', `/s/${code}`)).toEqual([200, '3', '2']);
});

test('anonymous clients share that rate limit over all share calls; accounts have their own', async () => {
  await using ground = await begin();
  const { app, alice, code, fileHash, ask } = ground;
  const me = '192.0.2.3';
  const [info, opened] = [`/api/v1/share/${code}/info`, `/api/v1/files/share/${code}`];
  const file = `${opened}/files/${fileHash}`;
  expect(await ask(me, info)).toEqual([200, '3', '2']);
  expect(await ask(me, `/api/v1/share/${code}/open`, { method: 'POST' })).toEqual([200, '3', '1']);
  expect(await ask(me, opened)).toEqual([200, '3', '0']);
  for (const path of [info, opened, `${file}/download`, `${file}/download-metadata`])
    expect(await ask(me, path), path).toEqual([429, '3', '0']);
  for (let calls = 0; calls < 5; calls += 1)
    expect((await alice.call(api.getShareInfo, { params: { code } })).files).toHaveLength(1);
  expect((await alice.fetch(`${file}/download-metadata`)).headers.get('x-ratelimit-limit')).toBe('1000000');
  app.clock.advance(2 * minute);
  expect(await ask(me, info)).toEqual([200, '3', '2']);
});
