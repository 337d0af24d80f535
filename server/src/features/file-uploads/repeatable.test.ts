import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { digestOf, sendRepeatable } from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;

beforeAll(async () => {
  app = await startApp();
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const countFiles = async (): Promise<number> =>
  (await app.app.database.db.selectFrom('file').select('id').where('status', '=', 1).execute()).length;

test('uploads repeated with one idempotency key store one file and return one response', async () => {
  const bytes = await pattern(300_000, 1);
  const before = await countFiles();
  const first = await sendRepeatable(alice, 'key-1', bytes);
  expect(first).toMatchObject({ status: 200, data: { contentHash: digestOf(bytes) } });
  await app.drain();
  expect(await sendRepeatable(alice, 'key-1', bytes)).toEqual(first);
  const racing = await Promise.all(Array.from({ length: 6 }, () => sendRepeatable(alice, 'key_2', bytes)));
  expect(new Set(racing.map(answer => JSON.stringify(answer.data))).size).toBe(1);
  expect(racing[0]?.data.fileId).not.toBe(first.data.fileId);
  expect(await countFiles()).toBe(before + 2);
});

test('an idempotency key reused for another file is rejected, per account and for a day', async () => {
  const [bytes, others] = [await pattern(1000, 2), await pattern(1000, 3)];
  const first = await sendRepeatable(alice, 'mine', bytes);
  const reused = { status: 409, code: 50021 };
  expect(await sendRepeatable(alice, 'mine', others)).toMatchObject(reused);
  expect(await sendRepeatable(alice, 'mine', bytes, 'other.pdf')).toMatchObject(reused);
  const bob = await app.person('bob');
  expect((await sendRepeatable(bob, 'mine', others)).status).toBe(200);
  app.clock.advance(23 * 3600_000);
  await alice.login('alice', 'correct horse battery');
  expect(await sendRepeatable(alice, 'mine', bytes)).toEqual(first);
  app.clock.advance(3600_000);
  expect((await sendRepeatable(alice, 'mine', others)).data.contentHash).toBe(digestOf(others));
});

test('a permanent rejection is repeated for its key, and malformed keys are rejected', async () => {
  const bytes = await pattern(1000, 4);
  const wrong = { contentHash: digestOf(await pattern(1000, 5)) };
  const rejection = await sendRepeatable(alice, 'wrong', bytes, 'a.pdf', wrong);
  expect(rejection).toMatchObject({ status: 400, code: 50002 });
  expect(await sendRepeatable(alice, 'wrong', bytes, 'a.pdf', wrong)).toEqual(rejection);
  for (const key of ['', 'a b', 'ä', 'x'.repeat(65)])
    expect(await sendRepeatable(alice, key, bytes)).toMatchObject({ status: 400, code: 10001 });
});
