// Idempotency keys of uploads: one file and one response, reuse for other files, and repeated rejections.
import { Readable } from 'node:stream';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { Spool } from '@recordproof/server/platform/content/spool.ts';
import type { Request } from '@recordproof/server/platform/http/route.ts';
import type { Server } from '@recordproof/server/platform/server.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { afterStatement } from '../../../../test/support/after-statement.ts';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { digestOf, sendRepeatable } from '../../../../test/support/uploads.ts';
import { storeSpooledOnce, toWholePlan } from './store-spooled.ts';

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

test('uploads repeated with one idempotency key store one file and return one response', {
  tags: 'long-on-postgres',
}, async () => {
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

test('a request is not rejected because of the file that a faster one with its key stored', {
  tags: 'long-on-postgres',
}, async () => {
  const { server } = app.app;
  const { database } = server;
  const actor = { ...(await server.tokens.verify(alice.token ?? '')), username: 'alice' };
  const signal = new AbortController().signal;
  const request = { ...localOrigin('test', app.clock.now()), actor, signal } as unknown as Request;
  const bytes = await pattern(3000, 30);
  const described = { fileName: 'skipped.pdf', fileSize: bytes.length, contentType: 'application/pdf' };
  const plan = {
    ...toWholePlan(described, server.config.uploads),
    clientId: 'one-key',
    onConflict: 'skip',
  } as const;
  const store = async (through: Server) => {
    await using spool = Spool.open(server);
    await spool.fill(Readable.from([bytes]), bytes.length);
    return storeSpooledOnce(through, request, spool, plan);
  };
  // After the upload was looked up twice, and before the names are.
  let faster: UploadResult | undefined;
  const db = afterStatement(database.db, 2, async () => {
    faster = await store(server);
  });
  const slower = await store({ ...server, database: { ...database, db } });
  expect(slower).toEqual(faster);
});

test('an idempotency key reused for another file is rejected, per account and for a day', {
  tags: 'long-on-postgres',
}, async () => {
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
