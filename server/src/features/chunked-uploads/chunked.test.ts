// Receipt of chunks over HTTP: order, form fields, assignment by client key, repetition, validation, resumption.
import * as api from '@recordproof/shared/api/chunked-uploads.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { cut, digestOf, postForm, sendChunk, toForm, toPlan } from '../../../../test/support/uploads.ts';

const chunkPath = '/api/v1/files/upload/chunk';
const size = 10_000;

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

const start = (bytes: Uint8Array, more: { clientId?: string; contentHash?: string; chunkSize?: number } = {}) =>
  alice.call(api.startUpload, { body: toPlan(bytes, more) });
const complete = (clientId: string) => alice.call(api.completeUpload, { body: { clientId } });

test('chunks are accepted in any order', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(size);
  const { clientId, chunkSize, totalChunks, ...rest } = await start(bytes);
  expect({ chunkSize, totalChunks, ...rest }).toEqual({
    chunkSize: 4096,
    totalChunks: 3,
    singleChunk: false,
    uploadedChunks: [],
    resumed: false,
  });
  for (const chunkNumber of [2, 0, 1]) {
    const answer = await sendChunk(alice, cut(bytes, 4096, chunkNumber), { clientId, chunkNumber, totalChunks });
    expect(answer.data).toMatchObject({ clientId, chunkNumber, totalChunks });
  }
  expect((await complete(clientId)).contentHash).toBe(digestOf(bytes));
});

test('form fields may follow the bytes', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(size, 2);
  const { clientId, totalChunks } = await start(bytes);
  for (let chunkNumber = 0; chunkNumber < totalChunks; chunkNumber += 1) {
    const chunk = cut(bytes, 4096, chunkNumber);
    const form =
      chunkNumber === 1
        ? toForm('chunk', chunk, { clientId }, { chunkNumber, totalChunks })
        : toForm('chunk', chunk, {}, { clientId, chunkNumber, totalChunks });
    expect((await postForm(alice, chunkPath, form)).status).toBe(200);
  }
  expect((await complete(clientId)).contentHash).toBe(digestOf(bytes));
});

test('a chunk with only a client key is assigned to the newest open upload with that number of chunks', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(size, 3);
  const older = await start(bytes);
  const { clientId, totalChunks } = await start(bytes);
  for (let chunkNumber = 0; chunkNumber < totalChunks; chunkNumber += 1) {
    const chunk = cut(bytes, 4096, chunkNumber);
    const answer = await sendChunk(alice, chunk, { fileHash: 'my own key', chunkNumber, totalChunks });
    expect(answer.data).toMatchObject({ clientId });
  }
  const other = await sendChunk(alice, cut(bytes, 4096, 0), { fileHash: 'another', chunkNumber: 0, totalChunks });
  expect(other.data).toMatchObject({ clientId: older.clientId });
  const none = await sendChunk(alice, cut(bytes, 4096, 0), { fileHash: 'a third', chunkNumber: 0, totalChunks });
  expect(none).toMatchObject({ status: 404, code: 40006 });
  expect((await complete(clientId)).contentHash).toBe(digestOf(bytes));
  await alice.call(api.cancelUpload, { body: { clientId: older.clientId } });
});

test('a restarted file under the same key gets a new upload, and a continued one keeps its upload', async () => {
  const bytes = await pattern(size, 36);
  const send = async (chunkNumber: number) => {
    const fields = { fileHash: 'interrupted', chunkNumber, totalChunks: 3 };
    return (await sendChunk(alice, cut(bytes, 4096, chunkNumber), fields)).data.clientId;
  };
  const first = await start(bytes);
  expect(await send(0)).toBe(first.clientId);
  const second = await start(bytes);
  const another = await start(await pattern(size - 1, 36)); // newer still, but of another file
  expect(await send(1)).toBe(first.clientId);
  for (const chunkNumber of [0, 1, 2]) expect(await send(chunkNumber)).toBe(second.clientId);
  expect((await complete(second.clientId)).contentHash).toBe(digestOf(bytes));
  for (const { clientId } of [first, another]) await alice.call(api.cancelUpload, { body: { clientId } });
});

test('concurrent keys are each assigned to their own upload', async () => {
  const bytes = await pattern(7 * 4096, 33);
  const uploads = [];
  for (let count = 0; count < 6; count += 1) uploads.push(await start(bytes));
  const sent = await Promise.all(
    uploads.map((_upload, index) =>
      sendChunk(alice, cut(bytes, 4096, 0), { fileHash: `key ${index}`, chunkNumber: 0, totalChunks: 7 }),
    ),
  );
  expect(new Set(sent.map(({ data }) => data.clientId)).size).toBe(6);
  for (const { clientId } of uploads) await alice.call(api.cancelUpload, { body: { clientId } });
});

test('a missing or malformed chunk number is rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(size, 34);
  const { clientId, totalChunks } = await start(bytes);
  for (const chunkNumber of ['', ' ', '0x0', '1e0', '+0', '00', '-0', '0.0']) {
    const { status } = await sendChunk(alice, cut(bytes, 4096, 0), { clientId, chunkNumber, totalChunks });
    expect([chunkNumber, status]).toEqual([chunkNumber, 400]);
  }
  const part = await alice.fetch(`/api/v1/upload-sessions/${clientId}/parts/0x0`, { method: 'PUT', body: 'x' });
  expect(part.status).toBe(400);
  expect(await alice.call(api.checkUpload, { query: { clientId } })).toMatchObject({ uploadedChunks: [] });
  await alice.call(api.cancelUpload, { body: { clientId } });
});

test('two chunks in one form are rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(size, 35);
  const { clientId, totalChunks } = await start(bytes);
  const form = toForm('chunk', cut(bytes, 4096, 0), { clientId, chunkNumber: 0, totalChunks });
  form.append('chunk', new Blob(['more']), 'blob');
  expect(await postForm(alice, chunkPath, form)).toMatchObject({ status: 400, code: 10000 });
  await alice.call(api.cancelUpload, { body: { clientId } });
});

test('a repeated chunk is accepted with the same bytes, and rejected with different ones', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(size, 4);
  const { clientId, totalChunks } = await start(bytes);
  const first = { clientId, chunkNumber: 0, totalChunks };
  expect((await sendChunk(alice, cut(bytes, 4096, 0), first)).data).toMatchObject({ uploadedChunkCount: 1 });
  expect((await sendChunk(alice, cut(bytes, 4096, 0), first)).data).toMatchObject({ uploadedChunkCount: 1 });
  expect(await sendChunk(alice, await pattern(4096, 99), first)).toMatchObject({ status: 409, code: 409 });
});

test('a chunk sent ten times concurrently is stored once, and of different chunks one is accepted', async () => {
  const bytes = await pattern(size, 5);
  const { clientId, totalChunks } = await start(bytes);
  const same = await Promise.all(
    Array.from({ length: 10 }, () => sendChunk(alice, cut(bytes, 4096, 0), { clientId, chunkNumber: 0, totalChunks })),
  );
  expect(same.map(answer => answer.status)).toEqual(Array(10).fill(200));
  const rivals = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async seed =>
      sendChunk(alice, await pattern(4096, seed), { clientId, chunkNumber: 1, totalChunks }),
    ),
  );
  expect(rivals.map(answer => answer.status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  expect(await alice.call(api.checkUpload, { query: { clientId } })).toMatchObject({ uploadedChunks: [0, 1] });
});

test('a chunk with a wrong length, number or total is rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(size, 6);
  const { clientId, totalChunks } = await start(bytes);
  const rejected = async (chunk: Uint8Array, fields: Record<string, string | number>) => {
    const { status, code } = await sendChunk(alice, chunk, { clientId, totalChunks, ...fields });
    return { status, code };
  };
  const invalid = { status: 400, code: 10001 };
  expect(await rejected(bytes.subarray(0, 4095), { chunkNumber: 0 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4097), { chunkNumber: 0 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4096), { chunkNumber: 2 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4096), { chunkNumber: 3 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4096), { chunkNumber: -1 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4096), { chunkNumber: 0, totalChunks: 4 })).toEqual(invalid);
  expect(await rejected(bytes.subarray(0, 4096), {})).toMatchObject({ status: 400 });
  expect((await postForm(alice, chunkPath, toForm('x', bytes, { clientId, totalChunks, chunkNumber: 0 }))).code).toBe(
    10004,
  );
});

test('an inconsistent plan is rejected', { tags: 'long-on-postgres' }, async () => {
  const plan = toPlan(await pattern(size));
  const rejected = async (change: object) =>
    (await alice.expectError(api.startUpload, { body: { ...plan, ...change } as typeof plan })).kind;
  expect(await rejected({ totalChunks: 2 })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ totalChunks: 4 })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ fileSize: 5 * 2 ** 30, chunkSize: 2 ** 26, totalChunks: 80 })).toBe('FILE_MAX_SIZE_OVERFLOW');
  expect(await rejected({ chunkSize: 81 * 2 ** 20, totalChunks: 1 })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ fileName: 'a/b' })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ fileName: '' })).toBe('PARAM_IS_BLANK');
  expect(await rejected({ clientId: 'with space' })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ contentHash: 'abc' })).toBe('PARAM_IS_INVALID');
  expect(await rejected({ contentType: 'nonsense' })).toBe('PARAM_IS_INVALID');
});

test('a known clientId with the same plan resumes, also with twenty concurrent starts', async () => {
  const bytes = await pattern(size, 8);
  const starts = await Promise.all(Array.from({ length: 20 }, () => start(bytes, { clientId: 'resumed-1' })));
  expect(starts.filter(({ resumed }) => !resumed)).toHaveLength(1);
  await sendChunk(alice, cut(bytes, 4096, 1), { clientId: 'resumed-1', chunkNumber: 1, totalChunks: 3 });
  expect(await start(bytes, { clientId: 'resumed-1' })).toMatchObject({ uploadedChunks: [1], resumed: true });
  const other = await alice.expectError(api.startUpload, {
    body: toPlan(bytes, { clientId: 'resumed-1', chunkSize: 5000 }),
  });
  expect(other.kind).toBe('CONFLICT');
});

test('resuming a completed upload returns all chunks as uploaded', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(500, 9);
  const { clientId } = await start(bytes, { clientId: 'done-1' });
  await sendChunk(alice, bytes, { clientId, chunkNumber: 0, totalChunks: 1 });
  const first = await complete(clientId);
  await app.drain();
  expect(await start(bytes, { clientId })).toMatchObject({ resumed: true, uploadedChunks: [0], singleChunk: true });
  expect(await complete(clientId)).toEqual(first);
  expect(await sendChunk(alice, bytes, { clientId, chunkNumber: 0, totalChunks: 1 })).toMatchObject({ status: 409 });
});

test('a known clientId with another content hash is rejected, also after completion', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(500, 11);
  const [contentHash, other] = [digestOf(bytes), digestOf(await pattern(500, 12))];
  await start(bytes, { clientId: 'hashed-1', contentHash });
  const restart = (hash: string) =>
    alice.expectError(api.startUpload, { body: toPlan(bytes, { clientId: 'hashed-1', contentHash: hash }) });
  expect((await restart(other)).kind).toBe('CONFLICT');
  await sendChunk(alice, bytes, { clientId: 'hashed-1', chunkNumber: 0, totalChunks: 1 });
  await complete('hashed-1');
  expect((await restart(other)).kind).toBe('CONFLICT');
  expect(await start(bytes, { clientId: 'hashed-1', contentHash })).toMatchObject({ resumed: true });
  expect(await start(bytes, { clientId: 'hashed-1' })).toMatchObject({ resumed: true });
});
