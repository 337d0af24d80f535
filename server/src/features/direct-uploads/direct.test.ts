// Direct uploads to signed addresses: announcement of parts, resumption, replacement of wrong parts, completion.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiToken, revokeApiToken } from '@recordproof/shared/api/api-tokens.ts';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import {
  completeDirect,
  cut,
  digestOf,
  putSigned,
  sendDirect,
  startDirect,
  toParts,
  toPlan,
} from '../../../../test/support/uploads.ts';

const hour = 3600_000;
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

async function listStaged(): Promise<string[]> {
  await using store = await openConfiguredStore(app.config);
  return (await Array.fromAsync(store.list('staging/'))).map(({ key }) => key);
}

const rejectedCompletion = (clientId: string) =>
  alice.expectError(directApi.completeDirectUpload, { params: { clientId }, body: { parts: [] } });

test('parts uploaded to signed addresses become a file, stored unencrypted', async () => {
  const bytes = await pattern(100_000);
  const started = await sendDirect(alice, bytes, { chunkSize: 30_000 });
  expect(started).toMatchObject({ manifestSchemaId: 'recordproof.chunk-manifest.v1', resumed: false });
  expect(started.parts).toMatchObject([{ index: 0, size: 30_000, uploaded: false }, {}, {}, { size: 10_000 }]);
  const result = await completeDirect(alice, started.clientId);
  expect(result).toMatchObject({ contentHash: digestOf(bytes), version: 1, status: 'SUCCESS' });
  const file = await app.app.database.db
    .selectFrom('file')
    .select('encryption')
    .where('file_hash', '=', result.fileHash)
    .executeTakeFirst();
  expect(file).toEqual({ encryption: 'NONE' });
  await app.drain();
  expect(await listStaged()).toEqual([]);
});

test('a signed address of a revoked API token accepts its part, but the token cannot complete the upload', {
  tags: 'long-on-postgres',
}, async () => {
  const body = { name: 'ci', scopes: ['file:read' as const, 'file:write' as const] };
  const { token, apiToken } = await alice.call(createApiToken, { body });
  const job = new Person('job', app.app.url, token);
  const begin = async (seed: number) => ({ bytes: await pattern(20_000, seed), ...(await begun(seed)) });
  const begun = async (seed: number) => startDirect(job, await pattern(20_000, seed), { chunkSize: 10_000 });
  const uploads = [await begin(71), await begin(72)];
  await alice.call(revokeApiToken, { params: { id: apiToken.id } });
  for (const { bytes, parts } of uploads)
    for (const part of parts) expect((await putSigned(part, cut(bytes, 10_000, part.index))).status).toBe(200);
  const [finished, aborted] = uploads.map(({ clientId }) => ({ params: { clientId }, body: { parts: [] } }));
  if (!finished || !aborted) throw new Error('there are two uploads');
  for (const input of [finished, aborted])
    expect(await job.expectError(directApi.completeDirectUpload, input)).toMatchObject({
      kind: 'PERMISSION_TOKEN_INVALID',
    });
  expect(await startDirect(job, await pattern(20_000, 73)).catch(error => error)).toMatchObject({ status: 401 });
  await alice.call(directApi.abortDirectUpload, { params: aborted.params });
  expect((await alice.call(directApi.completeDirectUpload, finished)).status).toBe('SUCCESS'); // the account decides
});

test('parts can be announced in several calls', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(40_000, 2);
  const plan = toPlan(bytes, { chunkSize: 10_000, clientId: 'bit-by-bit' });
  const parts = toParts(bytes, 10_000);
  for (const some of [parts.slice(0, 1), parts.slice(1, 3)]) {
    await alice.call(directApi.startDirectUpload, { body: { ...plan, parts: some } });
  }
  expect((await rejectedCompletion('bit-by-bit')).message).toContain('1 of 4 chunks are missing: 3');
  const last = await alice.call(directApi.startDirectUpload, { body: { ...plan, parts: parts.slice(3) } });
  expect(last).toMatchObject({ resumed: true, parts: [{ index: 3 }] });
  const all = await alice.call(directApi.startDirectUpload, { body: { ...plan, parts } });
  for (const part of all.parts) await putSigned(part, cut(bytes, 10_000, part.index));
  expect((await completeDirect(alice, 'bit-by-bit')).contentHash).toBe(digestOf(bytes));
});

test('announcements that contradict the plan or each other are rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(40_000, 3);
  const plan = toPlan(bytes, { chunkSize: 10_000, clientId: 'misfit' });
  const parts = toParts(bytes, 10_000);
  const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const rejected = async (wrong: typeof parts) =>
    (await alice.expectError(directApi.startDirectUpload, { body: { ...plan, parts: wrong } })).kind;
  expect(await rejected([{ ...first, size: 9999 }])).toBe('PARAM_IS_INVALID');
  expect(await rejected([{ ...first, index: 4 }])).toBe('PARAM_IS_INVALID');
  expect(await rejected([first, first])).toBe('PARAM_IS_INVALID');
  expect(await rejected([{ ...first, plainHash: second.plainHash }])).toBe('PARAM_IS_INVALID');
  expect(await rejected([])).toBe('PARAM_IS_INVALID');
  await alice.call(directApi.startDirectUpload, { body: { ...plan, parts: [first] } });
  const other = { ...first, plainHash: second.plainHash, cipherHash: second.cipherHash };
  expect(await rejected([other])).toBe('CONFLICT');
});

test('resuming reports which parts have arrived, also after the addresses expired', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(30_000, 4);
  const sending = { chunkSize: 10_000, clientId: 'resumed' };
  const first = await startDirect(alice, bytes, sending);
  await putSigned(first.parts[1] as (typeof first.parts)[0], cut(bytes, 10_000, 1));
  expect(await alice.call(chunkedApi.checkUpload, { query: { clientId: 'resumed' } })).toMatchObject({
    uploadedChunks: [1],
  });
  app.clock.advance(25 * hour);
  await alice.login('alice', 'correct horse battery');
  const late = await putSigned(first.parts[0] as (typeof first.parts)[0], cut(bytes, 10_000, 0));
  expect(late.status).toBe(403);
  const again = await startDirect(alice, bytes, sending);
  expect(again.parts.map(part => part.uploaded)).toEqual([false, true, false]);
  for (const part of again.parts.filter(({ uploaded }) => !uploaded)) {
    expect((await putSigned(part, cut(bytes, 10_000, part.index))).status).toBe(200);
  }
  expect((await completeDirect(alice, 'resumed')).contentHash).toBe(digestOf(bytes));
  const done = await startDirect(alice, bytes, sending);
  expect(done.parts.map(part => [part.uploaded, part.uploadUrl])).toEqual(Array(3).fill([true, '']));
});

test('a completed upload is not the answer to parts with other hashes', { tags: 'long-on-postgres' }, async () => {
  const [bytes, others] = [await pattern(20_000, 41), await pattern(20_000, 42)];
  const sending = { chunkSize: 10_000, clientId: 'same-plan' };
  await sendDirect(alice, bytes, sending);
  await completeDirect(alice, 'same-plan');
  for (const drained of [false, true]) {
    if (drained) await app.drain();
    const body = { ...toPlan(others, sending), parts: toParts(others, 10_000) };
    const rejection = await alice.expectError(directApi.startDirectUpload, { body });
    expect(rejection).toMatchObject({ kind: 'CONFLICT', message: expect.stringContaining('part 0 ') });
    expect((await startDirect(alice, bytes, sending)).parts.map(part => part.uploaded)).toEqual([true, true]);
  }
});

test('a part with wrong bytes makes completion fail, and can be replaced', async () => {
  const bytes = await pattern(30_000, 5);
  const { clientId, parts } = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const [, middle] = parts as [unknown, (typeof parts)[0]];
  expect((await putSigned(middle, await pattern(10_000, 77))).status).toBe(200);
  const listIds = () => app.app.database.db.selectFrom('file').select('id').orderBy('id').execute();
  const before = await listIds();
  const rejection = await rejectedCompletion(clientId);
  expect(rejection).toMatchObject({ kind: 'CONFLICT' });
  expect(rejection.message).toContain('part 1 ');
  expect(await listIds()).toEqual(before);
  const again = await startDirect(alice, bytes, { chunkSize: 10_000, clientId });
  expect(again.parts.map(part => part.uploaded)).toEqual([true, false, true]);
  expect((await rejectedCompletion(clientId)).kind).toBe('CONFLICT');
  await putSigned(again.parts[1] as (typeof parts)[0], cut(bytes, 10_000, 1));
  expect((await completeDirect(alice, clientId)).contentHash).toBe(digestOf(bytes));
});

test('the given ETags must match those of the stored parts', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(30_000, 11);
  const { clientId, parts } = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const complete = (...told: { index: number; eTag: string }[]) => ({ params: { clientId }, body: { parts: told } });
  const rejected = async (...told: { index: number; eTag: string }[]) =>
    alice.expectError(directApi.completeDirectUpload, complete(...told));
  const right = parts.map(({ index, cipherHash }) => ({ index, eTag: `"${cipherHash.slice('sha256:'.length)}"` }));
  expect((await rejected({ index: 3, eTag: '' })).kind).toBe('PARAM_IS_INVALID');
  expect((await rejected({ index: 1, eTag: '' }, { index: 1, eTag: '' })).kind).toBe('PARAM_IS_INVALID');
  const other = await rejected({ index: 1, eTag: '"another"' });
  expect(other).toMatchObject({ kind: 'CONFLICT', message: expect.stringContaining('part 1 ') });
  expect((await alice.call(directApi.completeDirectUpload, complete(...right))).contentHash).toBe(digestOf(bytes));
  expect((await alice.call(directApi.completeDirectUpload, complete(...right))).contentHash).toBe(digestOf(bytes));
});

test('completion fails while a part is missing', async () => {
  const bytes = await pattern(20_000, 6);
  const { clientId, parts } = await startDirect(alice, bytes, { chunkSize: 10_000 });
  await putSigned(parts[0] as (typeof parts)[0], cut(bytes, 10_000, 0));
  expect((await rejectedCompletion(clientId)).message).toContain('part 1 ');
  await putSigned(parts[1] as (typeof parts)[0], cut(bytes, 10_000, 1));
  expect((await completeDirect(alice, clientId)).status).toBe('SUCCESS');
});

/** The same text with another first letter, whatever it was. */
const swapFirst = (text: string): string => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;

test('an altered address is rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(20_000, 7);
  const { clientId, parts } = await startDirect(alice, bytes, { chunkSize: 10_000 });
  const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const altered = (change: (query: URLSearchParams) => void): string => {
    const url = new URL(first.uploadUrl);
    change(url.searchParams);
    return url.href;
  };
  const otherKey = new URL(second.uploadUrl).searchParams.get('key') ?? '';
  const put = async (url: string, body: Uint8Array, method = 'PUT') =>
    (await fetch(url, { method, ...(method === 'GET' ? {} : { body: Uint8Array.from(body) }) })).status;
  const right = cut(bytes, 10_000, 0);
  expect(
    await put(
      altered(query => query.set('key', otherKey)),
      right,
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.set('key', 'tenant-1/aa/x')),
      right,
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.set('size', '9999')),
      right.subarray(0, 9999),
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.set('method', 'GET')),
      right,
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.set('expires', '99999999999')),
      right,
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.set('signature', swapFirst(query.get('signature') ?? ''))),
      right,
    ),
  ).toBe(403);
  expect(
    await put(
      altered(query => query.delete('signature')),
      right,
    ),
  ).toBe(400);
  expect(await put(first.uploadUrl, right.subarray(0, 9999))).toBe(403);
  expect(await put(first.uploadUrl, bytes.subarray(0, 10_001))).toBe(403);
  expect(await put(first.uploadUrl, right, 'GET')).toBe(403);
  expect(await put(first.uploadUrl, right)).toBe(200);
  await alice.call(directApi.abortDirectUpload, { params: { clientId } });
});

test('an address is invalid once its upload is completed or aborted, and leaves no orphan', async () => {
  const bytes = await pattern(10_000, 8);
  const done = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const aborted = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const result = await completeDirect(alice, done.clientId);
  expect(await alice.call(directApi.abortDirectUpload, { params: { clientId: aborted.clientId } })).toBeNull();
  for (const drained of [false, true]) {
    if (drained) await app.drain();
    for (const { parts } of [done, aborted]) {
      const { status } = await putSigned(parts[0] as (typeof parts)[0], await pattern(10_000, 66));
      expect([403, 409]).toContain(status);
    }
  }
  await app.drain();
  expect(await listStaged()).toEqual([]);
  expect(await completeDirect(alice, done.clientId)).toEqual(result);
});

test('a part in transit when its upload is aborted leaves no orphan', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(300_000, 9);
  const { clientId, parts } = await startDirect(alice, bytes, { chunkSize: 300_000 });
  const held = Promise.withResolvers<void>();
  async function* slowly() {
    yield Uint8Array.from(bytes.subarray(0, 100_000));
    await held.promise;
    yield Uint8Array.from(bytes.subarray(100_000));
  }
  const { request } = await import('node:http');
  const status = Promise.withResolvers<number | undefined>();
  const call = request(parts[0]?.uploadUrl ?? '', { method: 'PUT', headers: { 'content-length': 300_000 } }, answer => {
    answer.resume();
    status.resolve(answer.statusCode);
  });
  const blocks = slowly();
  call.write((await blocks.next()).value);
  const listBegun = () => readdir(join(app.folder, 'objects', 'temporary'));
  await expect.poll(async () => (await listBegun()).length).toBe(1);
  await alice.call(directApi.abortDirectUpload, { params: { clientId } });
  await app.drain();
  held.resolve();
  call.end((await blocks.next()).value);
  expect(await status.promise).toBe(409);
  expect(await listStaged()).toEqual([]);
});

test('a paused direct upload accepts no parts, and never parts sent as chunks', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(10_000, 10);
  const { clientId, parts } = await startDirect(alice, bytes, { chunkSize: 10_000 });
  await alice.call(chunkedApi.pauseUpload, { body: { clientId } });
  expect((await putSigned(parts[0] as (typeof parts)[0], bytes)).status).toBe(409);
  await alice.call(chunkedApi.resumeUpload, { body: { clientId } });
  const through = await alice.fetch(`/api/v1/upload-sessions/${clientId}/parts/0`, { method: 'PUT', body: 'x' });
  expect(through.status).toBe(409);
  expect((await alice.expectError(sessionApi.completeUploadSession, { params: { clientId } })).kind).toBe('CONFLICT');
  await alice.call(directApi.abortDirectUpload, { params: { clientId } });
});
