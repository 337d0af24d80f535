// Completion of chunked uploads: idempotency, missing chunks, content hash, next versions and rollback.
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { onInsert } from '../../../../test/support/on-insert.ts';
import {
  completeDirect,
  digestOf,
  putPart,
  putSigned,
  sendDirect,
  sendFile,
  sendProxied,
  storeProxied,
  toPlan,
} from '../../../../test/support/uploads.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';

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

const complete = (clientId: string) => alice.call(sessionApi.completeUploadSession, { params: { clientId } });
const rejected = (clientId: string) => alice.expectError(sessionApi.completeUploadSession, { params: { clientId } });
const countFiles = async () => (await app.app.database.db.selectFrom('file').select('id').execute()).length;

test('a cleaning job whose upload row is gone completes', async () => {
  const clientId = await sendProxied(alice, await pattern(50_000, 9));
  await alice.call(chunkedApi.cancelUpload, { body: { clientId } });
  const { db } = app.app.database;
  const late = db.selectFrom('job').selectAll().where('kind', '=', 'uploads.clean');
  await app.drain();
  expect(await late.execute()).toHaveLength(1);
  const upload = await db.selectFrom('upload').selectAll().where('client_id', '=', clientId).executeTakeFirstOrThrow();
  await db.deleteFrom('upload').where('id', '=', upload.id).execute();
  app.clock.advance(40 * 24 * 3600_000);
  await app.drain();
  expect(await late.execute()).toEqual([]);
  await alice.login('alice', testPassword);
});

test('twenty concurrent completions store one file and return the same response', async () => {
  for (const kind of ['proxied', 'direct'] as const) {
    const bytes = await pattern(50_000, 1);
    const before = await countFiles();
    const clientId = kind === 'proxied' ? await sendProxied(alice, bytes) : (await sendDirect(alice, bytes)).clientId;
    const finish = () => (kind === 'proxied' ? complete(clientId) : completeDirect(alice, clientId));
    const answers = await Promise.all(Array.from({ length: 20 }, finish));
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
    expect(await countFiles()).toBe(before + 1);
    await app.drain();
    expect(await finish()).toEqual(answers[0]);
  }
});

test.each(['RUNNING', 'COMPENSATING'] as const)(
  'a saga whose file was stored without its knowledge ends, also after all was cleaned up (%s)',
  async status => {
    const { db } = app.app.database;
    const bytes = await pattern(10_000, 90);
    const stored = await storeProxied(alice, bytes);
    await app.drain(); // what was staged is gone now
    const saga = await db.selectFrom('saga').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
    const undoing = status === 'COMPENSATING' ? ({ ends_as: 'FAILED' } as const) : {};
    await db
      .updateTable('saga')
      .set({ status, step: 'store', ended_at: null, ...undoing })
      .where('id', '=', saga.id)
      .execute();
    const uniqueKey = `saga:${saga.id}`;
    await db
      .transaction()
      .execute(tx => enqueue(tx, { kind: 'saga', uniqueKey, payload: { saga: saga.id } }, app.clock.now()));
    await app.drain();
    const ended = await db.selectFrom('saga').selectAll().where('id', '=', saga.id).executeTakeFirstOrThrow();
    expect(ended).toMatchObject({ status: status === 'RUNNING' ? 'COMPLETED' : 'FAILED', step: null });
    const download = await alice.fetch(`/api/v1/files/${stored.fileHash}/download`);
    expect(digestOf(new Uint8Array(await download.arrayBuffer()))).toBe(digestOf(bytes));
    expect(await alice.call(chunkedApi.checkUpload, { query: { clientId: stored.clientId } })).toMatchObject({
      status: 'COMPLETED',
    });
    await db.deleteFrom('saga').where('id', '=', saga.id).execute();
  },
);

test('a rollback that is repeated after a crash leaves later attempts alone', {
  tags: 'long-on-postgres',
}, async () => {
  const { db } = app.app.database;
  const bytes = await pattern(10_000, 91);
  const { clientId, parts } = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const [part] = parts as [(typeof parts)[0]];
  await putSigned(part, await pattern(10_000, 92));
  const finish = { params: { clientId }, body: { parts: [] } };
  expect(await alice.expectError(directApi.completeDirectUpload, finish)).toMatchObject({ kind: 'CONFLICT' });
  const saga = await db.selectFrom('saga').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
  expect(saga.status).toBe('ABORTED');
  await putSigned(part, bytes);
  const stored = await completeDirect(alice, clientId);
  // As after a crash between the last rollback and its note in the saga.
  await db
    .updateTable('saga')
    .set({ status: 'COMPENSATING', step: 'check', ended_at: null })
    .where('id', '=', saga.id)
    .execute();
  const job = { kind: 'saga', uniqueKey: `saga:${saga.id}`, payload: { saga: saga.id } };
  await db.transaction().execute(tx => enqueue(tx, job, app.clock.now()));
  await app.drain();
  expect(await completeDirect(alice, clientId)).toEqual(stored);
  expect(await alice.call(chunkedApi.checkUpload, { query: { clientId } })).toMatchObject({ status: 'COMPLETED' });
});

test('a completion with missing chunks lists them, and succeeds once they are uploaded', async () => {
  const bytes = await pattern(12_000, 2);
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(bytes) });
  await putPart(alice, clientId, 1, bytes.subarray(4096, 8192));
  const rejection = await rejected(clientId);
  expect(rejection.kind).toBe('CONFLICT');
  expect(rejection.message).toBe('2 of 3 chunks are missing: 0, 2');
  await putPart(alice, clientId, 0, bytes.subarray(0, 4096));
  await putPart(alice, clientId, 2, bytes.subarray(8192));
  expect((await complete(clientId)).contentHash).toBe(digestOf(bytes));
});

test('a wrong declared content hash fails permanently with the same error, and stores nothing', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(9000, 3);
  const contentHash = digestOf(await pattern(9000, 4));
  const before = await countFiles();
  const clientId = await sendProxied(alice, bytes, { contentHash });
  const answers = await Promise.all(Array.from({ length: 5 }, () => rejected(clientId)));
  await app.drain();
  answers.push(await rejected(clientId));
  expect(new Set(answers.map(answer => `${answer.kind} ${answer.message}`)).size).toBe(1);
  expect(answers[0]).toMatchObject({ kind: 'DATA_IS_WRONG' });
  expect(await countFiles()).toBe(before);
  expect(await alice.call(chunkedApi.checkUpload, { query: { clientId } })).toMatchObject({ status: 'FAILED' });
  const direct = await sendDirect(alice, bytes, { contentHash });
  const rejection = await alice.expectError(directApi.completeDirectUpload, {
    params: { clientId: direct.clientId },
    body: { parts: [] },
  });
  expect(rejection.kind).toBe('DATA_IS_WRONG');
});

test('an upload with targetFileId becomes the next version, for every kind of upload', {
  tags: 'long-on-postgres',
}, async () => {
  const first = await storeProxied(alice, await pattern(5000, 5));
  const second = await storeProxied(alice, await pattern(5000, 6), { targetFileId: first.fileId });
  expect(second.version).toBe(2);
  const third = await sendFile(alice, await pattern(5000, 7), 'third.pdf', { targetFileId: second.fileId });
  expect(third.data.version).toBe(3);
  const fourth = await sendDirect(alice, await pattern(5000, 8), { targetFileId: third.data.fileId });
  expect((await completeDirect(alice, fourth.clientId)).version).toBe(4);
});

test('only the newest own version can get a next version, checked at start and completion', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = await pattern(5000, 9);
  const first = await storeProxied(alice, bytes);
  const late = await sendProxied(alice, bytes, { targetFileId: first.fileId });
  await storeProxied(alice, bytes, { targetFileId: first.fileId });
  const answers = [await rejected(late), await rejected(late)];
  expect(answers.map(answer => answer.kind)).toEqual(['VERSION_CONFLICT', 'VERSION_CONFLICT']);
  const bob = await app.person('bob');
  const start = (person: Person, targetFileId: string) =>
    person.expectError(sessionApi.createUploadSession, { body: { ...toPlan(bytes), targetFileId } });
  expect((await start(alice, first.fileId)).kind).toBe('VERSION_CONFLICT');
  expect((await start(bob, first.fileId)).kind).toBe('VERSION_SOURCE_INVALID');
  expect((await start(alice, '999999')).kind).toBe('VERSION_SOURCE_INVALID');
});

test('of ten concurrent next versions of one file, one is stored and nine are conflicts', async () => {
  const { fileId: targetFileId } = await storeProxied(alice, await pattern(5000, 10));
  const clientIds: string[] = [];
  for (let seed = 0; seed < 10; seed += 1) {
    clientIds.push(await sendProxied(alice, await pattern(5000, 20 + seed), { targetFileId }));
  }
  const results = await Promise.allSettled(clientIds.map(complete));
  const stored = results.flatMap(result => (result.status === 'fulfilled' ? [result.value.version] : []));
  expect(stored).toEqual([2]);
  const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason.kind] : []));
  expect(reasons).toEqual(Array(9).fill('VERSION_CONFLICT'));
});

test('starting and storing an upload are audited with account and ids', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(3000, 11);
  const clientId = await sendProxied(alice, bytes);
  const { fileId, fileHash } = await complete(clientId);
  const all = await listAuditRows(app.app.database.db, { module: 'uploads' });
  const rows = all.filter(row => row.request_param.includes(clientId));
  expect(rows).toMatchObject([
    { operation_type: 'start', username: 'alice', request_url: '/api/v1/upload-sessions', status: 0 },
    { operation_type: 'store', username: 'alice', request_url: `/api/v1/upload-sessions/${clientId}/complete` },
  ]);
  const about = { clientId, fileId: Number(fileId), fileHash, version: 1 };
  expect(JSON.parse(rows[1]?.request_param ?? '')).toEqual(about);
});

test('a stored file publishes one event', async () => {
  const { db } = app.app.database;
  // Events that were handled are gone at once, so every one is written down as it comes.
  await sql`create table told (event text)`.execute(db);
  await using _trigger = await onInsert(app.app.database, 'job', `new.payload like '%"file.stored"%'`, [
    'insert into told values (new.payload)',
  ]);
  const clientId = await sendProxied(alice, await pattern(3000, 12));
  const [{ fileId }] = await Promise.all([complete(clientId), complete(clientId), complete(clientId)]);
  await app.drain();
  const { rows } = await sql<{ event: string }>`select * from told`.execute(db);
  const payload = { fileId: Number(fileId), version: 1 };
  expect(rows.map(({ event }) => JSON.parse(event))).toMatchObject([{ type: 'file.stored', payload }]);
});
