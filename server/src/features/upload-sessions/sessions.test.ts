// Upload sessions: start, progress, pause, resumption, cancellation and expiry.
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import { getFile } from '@recordproof/shared/api/files.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import { cut, digestOf, putPart, sendProxied, storeProxied, toPlan } from '../../../../test/support/uploads.ts';

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

const check = (clientId: string) => alice.call(chunkedApi.checkUpload, { query: { clientId } });
const control = { pause: chunkedApi.pauseUpload, resume: chunkedApi.resumeUpload, cancel: chunkedApi.cancelUpload };
const turn = (what: keyof typeof control, clientId: string) => alice.call(control[what], { body: { clientId } });

async function listStaged(): Promise<string[]> {
  await using store = await openConfiguredStore(app.config);
  return (await Array.fromAsync(store.list('staging/'))).map(({ key }) => key);
}

/** A few days may pass: the token of the person has to be new again. */
async function wait(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  await app.drain();
  await alice.login('alice', 'correct horse battery');
}

test('parts uploaded to a session become the file', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(100_000);
  const result = await storeProxied(alice, bytes, { chunkSize: 30_000, contentHash: digestOf(bytes) });
  expect(result).toMatchObject({ contentHash: digestOf(bytes), version: 1 });
});

test('a session without a chunk size gets the default one', async () => {
  const body = { fileName: 'a.bin', fileSize: 25 * 2 ** 20 };
  const started = await alice.call(sessionApi.createUploadSession, { body });
  expect(started).toMatchObject({ chunkSize: 5 * 2 ** 20, totalChunks: 5 });
  await turn('cancel', started.clientId);
});

test.each([
  ['startUpload', chunkedApi.startUpload, {}],
  ['createUploadSession', sessionApi.createUploadSession, {}],
  ['startDirectUpload', directApi.startDirectUpload, { parts: [] }],
] as const)('an empty file is rejected as FILE_EMPTY, with any number of chunks: %s', async (_name, endpoint, more) => {
  const plan = { fileName: 'nothing.txt', fileSize: 0, contentType: 'text/plain', chunkSize: 4096, ...more };
  for (const totalChunks of [0, 1]) {
    const body = { ...plan, totalChunks } as never;
    expect(await alice.expectError(endpoint, { body })).toMatchObject({ kind: 'FILE_EMPTY', status: 400 });
  }
});

test('an empty content type counts as none', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(100, 12);
  const body = { ...toPlan(bytes, { name: 'report' }), contentType: '' };
  const { clientId } = await alice.call(chunkedApi.startUpload, { body });
  await putPart(alice, clientId, 0, bytes);
  const { fileHash } = await alice.call(chunkedApi.completeUpload, { body: { clientId } });
  expect((await alice.call(getFile, { params: { hash: fileHash } })).contentType).toBe('application/octet-stream');
});

test('check, progress and list report the state of an upload', async () => {
  const bytes = await pattern(40_000, 2);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes, { chunkSize: 10_000 }) });
  for (const index of [3, 1]) await putPart(alice, clientId, index, cut(bytes, 10_000, index));
  expect(await check(clientId)).toMatchObject({
    fileName: 'report.pdf',
    fileSize: 40_000,
    status: 'UPLOADING',
    paused: false,
    uploadedChunks: [1, 3],
    totalChunks: 4,
  });
  expect(await alice.call(chunkedApi.uploadProgress, { query: { clientId } })).toEqual({
    clientId,
    status: 'UPLOADING',
    progress: 45,
    uploadProgress: 50,
    processProgress: 0,
    uploadedChunkCount: 2,
    totalChunks: 4,
  });
  const listed = await alice.call(sessionApi.listUploads);
  expect(listed.find(upload => upload.clientId === clientId)).toMatchObject({ direct: false, uploadedChunkCount: 2 });
  for (const index of [0, 2]) await putPart(alice, clientId, index, cut(bytes, 10_000, index));
  await alice.call(sessionApi.completeUploadSession, { params: { clientId } });
  await app.drain();
  expect(await check(clientId)).toMatchObject({ status: 'COMPLETED', progress: 100, uploadedChunks: [0, 1, 2, 3] });
  expect((await alice.call(sessionApi.listUploads)).map(upload => upload.clientId)).not.toContain(clientId);
});

test('an upload past its time is reported as expired, also before the sweep', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(2000, 14);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes) });
  app.clock.advance(49 * hour);
  await alice.login('alice', 'correct horse battery');
  expect(await check(clientId)).toMatchObject({ status: 'EXPIRED', paused: false });
  expect(await alice.call(chunkedApi.uploadProgress, { query: { clientId } })).toMatchObject({ status: 'EXPIRED' });
  expect((await alice.call(sessionApi.listUploads)).map(upload => upload.clientId)).not.toContain(clientId);
  expect(await putPart(alice, clientId, 0, bytes)).toMatchObject({ status: 404, code: 40006 });
});

test('a paused upload accepts nothing until it is resumed', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(2000, 3);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes) });
  expect(await turn('pause', clientId)).toEqual({ clientId, status: 'PAUSED' });
  expect(await turn('pause', clientId)).toEqual({ clientId, status: 'PAUSED' });
  expect(await check(clientId)).toMatchObject({ paused: true });
  expect(await putPart(alice, clientId, 0, bytes)).toMatchObject({ status: 409 });
  const rejection = await alice.expectError(sessionApi.completeUploadSession, { params: { clientId } });
  expect(rejection.kind).toBe('CONFLICT');
  expect(await turn('resume', clientId)).toEqual({ clientId, status: 'UPLOADING' });
  expect((await putPart(alice, clientId, 0, bytes)).status).toBe(200);
  await alice.call(sessionApi.completeUploadSession, { params: { clientId } });
  for (const what of ['pause', 'resume', 'cancel'] as const) {
    expect((await alice.expectError(control[what], { body: { clientId } })).kind).toBe('CONFLICT');
  }
});

test('cancelling an upload deletes its chunks', { tags: 'long-on-postgres' }, async () => {
  const clientId = await sendProxied(alice, await pattern(20_000, 4));
  expect(await listStaged()).not.toEqual([]);
  expect(await turn('cancel', clientId)).toEqual({ clientId, status: 'CANCELLED' });
  await app.drain();
  expect(await listStaged()).toEqual([]);
  expect(await turn('cancel', clientId)).toEqual({ clientId, status: 'CANCELLED' });
  expect(await putPart(alice, clientId, 0, await pattern(4096))).toMatchObject({ status: 409 });
  expect((await alice.expectError(chunkedApi.resumeUpload, { body: { clientId } })).kind).toBe('CONFLICT');
  expect((await alice.expectError(chunkedApi.completeUpload, { body: { clientId } })).kind).toBe('CONFLICT');
});

test('a chunk in transit when its upload is cancelled leaves nothing', async () => {
  const bytes = await pattern(300_000, 5);
  const { clientId } = await alice.call(sessionApi.createUploadSession, {
    body: toPlan(bytes, { chunkSize: 300_000 }),
  });
  const held = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Uint8Array.from(bytes.subarray(0, 100_000)));
      await held.promise;
      controller.enqueue(Uint8Array.from(bytes.subarray(100_000)));
      controller.close();
    },
  });
  const path = `/api/v1/upload-sessions/${clientId}/parts/0`;
  const sending = alice.fetch(path, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  await turn('cancel', clientId);
  await app.drain();
  held.resolve();
  expect((await sending).status).toBe(409);
  expect(await listStaged()).toEqual([]);
});

test('an abandoned upload expires, and its objects and rows are deleted', async () => {
  const clientId = await sendProxied(alice, await pattern(20_000, 6), { clientId: 'forgotten' });
  await wait(47 * hour);
  expect(await check(clientId)).toMatchObject({ status: 'UPLOADING' });
  await wait(2 * hour);
  expect(await check(clientId)).toMatchObject({ status: 'EXPIRED' });
  expect(await listStaged()).toEqual([]);
  const { db } = app.app.database;
  const upload = await db.selectFrom('upload').select('id').where('client_id', '=', clientId).executeTakeFirst();
  const rows = await db
    .selectFrom('upload_chunk')
    .selectAll()
    .where('upload_id', '=', upload?.id ?? 0)
    .execute();
  expect(rows).toEqual([]);
  expect(await putPart(alice, clientId, 0, await pattern(4096))).toMatchObject({ status: 404, code: 40006 });
  await wait(31 * 24 * hour);
  expect((await alice.expectError(chunkedApi.checkUpload, { query: { clientId } })).kind).toBe(
    'UPLOAD_SESSION_NOT_FOUND',
  );
});

test('every chunk extends the session', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(12_000, 7);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes) });
  for (let index = 0; index < 3; index += 1) {
    await wait(40 * hour);
    expect((await putPart(alice, clientId, index, cut(bytes, 4096, index))).status).toBe(200);
  }
  expect((await alice.call(sessionApi.completeUploadSession, { params: { clientId } })).contentHash).toBe(
    digestOf(bytes),
  );
});

test('an expired upload can be restarted with its clientId, also before the sweep', async () => {
  const bytes = await pattern(9000, 8);
  for (const sweep of [true, false]) {
    const clientId = await sendProxied(alice, bytes, { clientId: `again-${sweep}` });
    app.clock.advance(50 * hour);
    if (sweep) await app.drain();
    await alice.login('alice', 'correct horse battery');
    const again = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes, { clientId }) });
    expect(again).toMatchObject({ clientId, resumed: false, uploadedChunks: [] });
    expect((await storeProxied(alice, bytes, { clientId })).contentHash).toBe(digestOf(bytes));
  }
});

test('an aborted part leaves nothing and can be sent again', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(50_000, 9);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes, { chunkSize: 50_000 }) });
  const leave = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(Uint8Array.from(bytes.subarray(0, 20_000))),
    pull: () => leave.abort(),
  });
  const path = `/api/v1/upload-sessions/${clientId}/parts/0`;
  const broken = alice.fetch(path, { method: 'PUT', body, duplex: 'half', signal: leave.signal } as RequestInit);
  await expect(broken).rejects.toThrow();
  expect((await putPart(alice, clientId, 0, bytes)).status).toBe(200);
  await alice.call(sessionApi.completeUploadSession, { params: { clientId } });
});
