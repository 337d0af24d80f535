// Limits of guesses at passwords and codes of shares, by address, network and share.
import { argon2Sync } from 'node:crypto';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/share-access.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { share, storeFile, strangerFrom } from '../../../../test/support/shares.ts';
import { newSalt, toParameters, toText } from '../../platform/crypto/password-text.ts';

const hour = 3600_000;
const password = 'the right one';

async function begin() {
  const app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
  const alice = await app.person('alice');
  const { fileHash } = await storeFile(alice);
  const { shareCode: code } = await share(alice, fileHash, { password, expireMinutes: 43_200 });
  const from = (address: string) => strangerFrom(app.app.url, address);
  return { app, alice, code, fileHash, from, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const cheap = { password, salt: newSalt(), memory: 64, passes: 1, parallelism: 1 };

/** Checks of the password of every share take next to no time: for tests that count hundreds of them. */
const cheapen = ({ app }: TestApp) =>
  app.database.db
    .updateTable('share')
    .set({ password_hash: toText(cheap, argon2Sync('argon2id', toParameters(cheap))) })
    .execute();

const guess = (person: Person, code: string, word: string) =>
  person.expectError(api.openShare, { params: { code }, body: { password: word } });

const enter = (person: Person, code: string) => person.call(api.openShare, { params: { code }, body: { password } });

const wrong = (rejection: ApiError) => rejection.detail?.reason === 'PASSWORD_WRONG';

test('concurrent password guesses are limited, and the right password still works from other networks', async () => {
  await using ground = await begin();
  const { code, from } = ground;
  const tries = Array.from({ length: 100 }, (_, i) => guess(from(`198.51.100.${i}`), code, `guess ${i}`));
  const rejections = await Promise.all(tries);
  expect(rejections.filter(wrong)).toHaveLength(23);
  const limited = rejections.filter(rejection => !wrong(rejection));
  for (const rejection of limited)
    expect(rejection).toMatchObject({ status: 429, code: 429, retryAfterSeconds: expect.any(Number) });
  expect(await guess(from('198.51.100.200'), code, password)).toMatchObject({ status: 429 });
  expect((await enter(from('192.0.2.1'), code)).files).toHaveLength(1);
});

test('thirty concurrent requests with the right password are all accepted', { tags: 'long' }, async () => {
  await using ground = await begin();
  const { code, from } = ground;
  const entered = await Promise.all(Array.from({ length: 30 }, (_, i) => enter(from(`198.51.100.${i}`), code)));
  expect(entered.every(({ files }) => files.length === 1)).toBe(true);
});

test('after sixty wrong passwords a day each network has three an hour, and the right one still works', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, code, from } = ground;
  await cheapen(app);
  const lookedAt: number[] = [];
  for (let each = 0; each < 5; each += 1) {
    const tries = Array.from({ length: 25 }, (_, i) => guess(from(`198.51.${each}.${i}`), code, `guess ${i}`));
    lookedAt.push((await Promise.all(tries)).filter(wrong).length);
    app.clock.advance(4 * hour);
  }
  expect(lookedAt).toEqual([23, 23, 23, 3, 3]);
  expect((await enter(from('192.0.2.1'), code)).files).toHaveLength(1);
  expect((await enter(from('198.51.4.1'), code)).files).toHaveLength(1);
});

test('an address has ten wrong passwords an hour per share and thirty in total; right ones are free', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, code, fileHash, from } = ground;
  const others = await Promise.all([1, 2, 3].map(() => share(alice, fileHash, { password })));
  await cheapen(app);
  const tenOfTwelve = Array.from({ length: 12 }, (_, i) => i < 10);
  const me = from('192.0.2.7');
  for (let i = 0; i < 40; i += 1) await enter(me, code);
  const rejections: ApiError[] = [];
  for (const { shareCode } of [{ shareCode: code }, ...others])
    for (let i = 0; i < 12; i += 1) rejections.push(await guess(me, shareCode, `guess ${i}`));
  expect(rejections.map(wrong)).toEqual([...tenOfTwelve, ...tenOfTwelve, ...tenOfTwelve, ...Array(12).fill(false)]);
  await expect(enter(me, code)).rejects.toMatchObject({ status: 429 });
  expect((await enter(from('192.0.2.8'), code)).files).toHaveLength(1);
  app.clock.advance(hour);
  expect((await enter(me, code)).files).toHaveLength(1);
});

test('an address has sixty unknown codes an hour; valid codes and owners are not affected', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, fileHash, from } = ground;
  const { shareCode: code } = await share(alice, fileHash, { expireMinutes: 600 });
  const me = from('192.0.2.9');
  const tryCode = async (i: number) =>
    me.expectError(api.getShareInfo, { params: { code: String(i).padStart(12, '0') } });
  const answers: ApiError[] = [];
  for (let i = 0; i < 80; i += 1) answers.push(await tryCode(i));
  expect(answers.map(answer => answer.code)).toEqual([
    ...Array<number>(60).fill(50009),
    ...Array<number>(20).fill(429),
  ]);
  expect(answers.at(-1)?.retryAfterSeconds).toBeGreaterThan(0);
  expect((await me.call(api.getShareInfo, { params: { code } })).files).toHaveLength(1);
  expect((await me.call(api.accessShare, { params: { code } })).files).toHaveLength(1);
  expect((await alice.call(api.getShareInfo, { params: { code } })).files).toHaveLength(1);
  app.clock.advance(hour);
  expect((await tryCode(99)).code).toBe(50009);
});
