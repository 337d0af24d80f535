// Short and bulk uploads: separate results per file, repetition with a requestId, and aborts.
import * as filesApi from '@recordproof/shared/api/files.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern, toList } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { digestOf, sendFile, sendMany, sendRepeatable, toBulkForm, toPlan } from '../../../../test/support/uploads.ts';
import { toSealedSize } from '../../platform/crypto/content-suite.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';

let app: TestApp;
let alice: Person;

beforeAll(async () => {
  app = await startApp({ env: { QUOTA_MODE: 'ENFORCE', QUOTA_USER_FILES: '60' } });
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const many = (count: number, seed: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => pattern(1000 + index, seed + index)));
const codesOf = (results: readonly { status: string; code?: number }[]) =>
  results.map(result => (result.status === 'STORED' ? 'STORED' : result.code));
const countFiles = async () =>
  (await app.app.database.db.selectFrom('file').select('id').where('status', '=', 1).execute()).length;

test('concurrent uploads each get their own record, and only the one past the quota is rejected', async () => {
  const bob = await app.person('bob');
  const contents = await many(61, 1);
  const answers = await Promise.all(contents.map(bytes => sendFile(bob, bytes)));
  const stored = answers.filter(({ status }) => status === 200);
  expect(stored).toHaveLength(60);
  expect(answers.filter(({ status }) => status !== 200).map(({ code }) => code)).toEqual([50013]);
  expect(new Set(stored.map(({ data }) => data.fileHash)).size).toBe(60);
  for (const [index, { status, data }] of answers.entries())
    if (status === 200) expect(data.contentHash).toBe(digestOf(contents[index] ?? new Uint8Array()));
});

test('a short upload is counted as a saga like a chunked one; a rejected one is not', {
  tags: 'long-on-postgres',
}, async () => {
  const carl = await app.person('carl');
  const read = async () => {
    const families = parseMetrics((await app.app.server.metrics.scrape()).body);
    const sampleOf = (family: string, sample: string) => families.get(family)?.samples.get(sample) ?? 0;
    return [
      sampleOf('saga_total', 'saga_total{status="completed"}'),
      sampleOf('saga_total', 'saga_total{status="failed"}'),
      sampleOf('saga_duration', 'saga_duration_count'),
    ] as const;
  };
  const [completed, failed, count] = await read();
  const [single = new Uint8Array(), ...bulk] = await many(4, 900);
  expect((await sendFile(carl, single)).status).toBe(200);
  expect(await read()).toEqual([completed + 1, failed, count + 1]);
  const files = bulk.map((bytes, index) => ({ name: `${index}.bin`, bytes }));
  for (let time = 0; time < 2; time += 1) await sendMany(carl, files, 'counted');
  expect((await sendFile(carl, new Uint8Array())).status).toBe(400);
  expect(await read()).toEqual([completed + 4, failed, count + 4]);
});

test('a bulk upload returns its results in order, and each file is rejected separately', {
  tags: 'long-on-postgres',
}, async () => {
  const [first, second, third, last] = await many(4, 100);
  if (!first || !second || !third || !last) throw new Error('there are four');
  const { status, data } = await sendMany(alice, [
    { bytes: first, name: 'one.txt', path: 'a/b' },
    { bytes: new Uint8Array() },
    { bytes: second, contentHash: digestOf(third) },
    { bytes: third, fileSize: third.length + 1 },
    { bytes: third, fileSize: third.length - 1 },
    { bytes: third, targetFileId: '999999' },
    { bytes: last, contentHash: digestOf(last) },
  ]);
  expect(status).toBe(200);
  expect(codesOf(data.results)).toEqual(['STORED', 50018, 50002, 10001, 10001, 50016, 'STORED']);
  expect(data.results[0]).toMatchObject({ contentHash: digestOf(first), version: 1 });
  expect(data.results[6]).toMatchObject({ contentHash: digestOf(last) });
});

test('an invalid file name or folder rejects only its file', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(1000, 110);
  const large = await pattern(2 ** 20 + 1, 111);
  const files = [
    { bytes, name: 'good.txt' },
    { bytes, name: '' },
    { bytes, name: 'a/b' },
    { bytes: large, name: 'two\nlines' },
    { bytes, name: 'x'.repeat(300) },
    { bytes, path: '../up' },
    { bytes: large, path: '/root' },
    { bytes: large, name: 'also good.txt', path: 'a' },
  ];
  const { status, data } = await sendMany(alice, files, 'bad-names');
  expect(status).toBe(200);
  expect(codesOf(data.results)).toEqual(['STORED', 10002, 10001, 10001, 10001, 10001, 10001, 'STORED']);
  expect(data.results[2]).toMatchObject({ status: 'REFUSED', message: expect.stringContaining('fileName') });
  expect(data.results[5]).toMatchObject({ status: 'REFUSED', message: expect.stringContaining('path') });
  expect((await sendMany(alice, files, 'bad-names')).data).toEqual(data);
});

test('a file with unknown outcome is reported as such, and a retry with the same requestId resolves it', {
  tags: 'long-on-postgres',
}, async () => {
  const { objects } = app.app.server;
  const { put } = objects;
  const files = (await many(3, 120)).map(bytes => ({ bytes }));
  const failingSize = toSealedSize(files[1]?.bytes.length ?? 0);
  Object.assign(objects, {
    put: async (...[key, source, options]: Parameters<typeof put>) => {
      if (options?.size === failingSize) throw new ObjectStoreError('DISK_FAILED', 'the disk failed with EIO');
      return put.call(objects, key, source, options);
    },
  });
  const { status, data } = await sendMany(alice, files, 'not-known').finally(() => Object.assign(objects, { put }));
  expect(status).toBe(200);
  expect(data.results.map(result => result.status)).toEqual(['STORED', 'UNKNOWN', 'STORED']);
  expect(data.results[1]).toMatchObject({ code: 40005, message: expect.stringContaining('requestId "not-known"') });
  const before = await countFiles();
  const { data: again } = await sendMany(alice, files, 'not-known');
  expect(codesOf(again.results)).toEqual(Array(3).fill('STORED'));
  expect([again.results[0], again.results[2]]).toEqual([data.results[0], data.results[2]]);
  expect(await countFiles()).toBe(before + 1);
});

test('a stored file is reported as stored, even if the object of a rejected one cannot be deleted', {
  tags: 'long-on-postgres',
}, async () => {
  await using tight = await startApp({ env: { QUOTA_MODE: 'ENFORCE', QUOTA_USER_FILES: '1' } });
  const dora = await tight.person('dora');
  const { objects, sharedCommits } = tight.app.server;
  const failing = () => Promise.reject(new ObjectStoreError('DENIED', 'the disk is read-only'));
  Object.assign(objects, { delete: failing });
  const files = (await many(3, 260)).map(bytes => ({ bytes }));
  const store = sharedCommits.store.bind(sharedCommits);
  const allSealed = Promise.withResolvers<void>();
  let sealed = 0;
  const storeTogether: typeof store = (server, sealing) =>
    store(server, async () => {
      const file = await sealing();
      if (++sealed === files.length) allSealed.resolve();
      await allSealed.promise;
      return file;
    });
  Object.assign(sharedCommits, { store: storeTogether });
  const { data } = await sendMany(dora, files);
  expect(codesOf(data.results).sort()).toEqual([50013, 50013, 'STORED']);
});

test('a bulk upload rejects files beyond the maximum size', { tags: 'long-on-postgres' }, async () => {
  await using small = await startApp({ env: { FILES_MAX_BYTES: '1000' } });
  const eve = await small.person('eve');
  const { data } = await sendMany(eve, [{ bytes: await pattern(1000, 250) }, { bytes: await pattern(1001, 251) }]);
  expect(codesOf(data.results)).toEqual(['STORED', 40001]);
});

test('a repeated bulk upload returns the same results and stores nothing twice, also concurrently', async () => {
  const files = (await many(20, 200)).map(bytes => ({ bytes }));
  const before = await countFiles();
  const answers = await Promise.all(Array.from({ length: 4 }, () => sendMany(alice, files, 'again-1')));
  answers.push(await sendMany(alice, files, 'again-1'));
  for (const { status, data } of answers) {
    expect(status).toBe(200);
    expect(data).toEqual(answers[0]?.data);
  }
  expect(await countFiles()).toBe(before + 20);
  expect(await sendMany(alice, files.slice(1), 'again-1')).toMatchObject({ status: 409, code: 50021 });
  app.clock.advance(24 * 3600_000);
  alice = await app.person('alice-tomorrow');
  expect((await sendMany(alice, files.slice(1), 'again-1')).status).toBe(200);
});

test('an aborted bulk upload keeps the stored files, and a retry stores the rest', {
  tags: 'long-on-postgres',
}, async () => {
  const files = (await many(10, 300)).map(bytes => ({ bytes }));
  const before = await countFiles();
  const whole = new Request('http://x', { method: 'POST', body: toBulkForm(files, 'broken-1') });
  const type = whole.headers.get('content-type') ?? '';
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const broken = await alice.fetch('/api/v1/files/upload/bulk', {
    method: 'POST',
    headers: { 'content-type': type },
    body: bytes.subarray(0, bytes.length - 1500),
  });
  expect(broken.status).toBe(400);
  const kept = await countFiles();
  expect(kept).toBeGreaterThan(before);
  const { data } = await sendMany(alice, files, 'broken-1');
  expect(codesOf(data.results)).toEqual(Array(10).fill('STORED'));
  expect(await countFiles()).toBe(before + 10);
});

test('a malformed bulk upload is rejected as a whole', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(10, 400);
  const form = toBulkForm([{ bytes }]);
  form.append('file', new Blob(['more']), 'more');
  const send = async (body: FormData) =>
    (await alice.fetch('/api/v1/files/upload/bulk', { method: 'POST', body })).status;
  expect(await send(form)).toBe(400);
  expect(await send(toBulkForm([]))).toBe(400);
  expect(await send(toBulkForm([{ bytes, path: 5 as never }]))).toBe(400);
  expect(await send(toBulkForm([{ bytes, fileSize: 9 * 1024 * 1024 }]))).toBe(400);
  const without = new FormData();
  without.append('file', new Blob(['x']), 'x');
  expect(await send(without)).toBe(400);
  const saidTwice = toBulkForm([{ bytes }]);
  saidTwice.set('manifest', String(saidTwice.get('manifest')).replace('{', '{"requestId":"another",'));
  expect(await send(saidTwice)).toBe(400);
});

test('objects left in a staging area by a server that died are deleted, and no others', {
  tags: 'long-on-postgres',
}, async () => {
  const { stagingAreas, objects } = app.app.server;
  await sendFile(alice, await pattern(100, 500));
  const { path } = await stagingAreas.take();
  await objects.put(path, [Buffer.from('left behind')]);
  const before = await toList(objects.list('short/'));
  app.clock.advance(3 * 3600_000);
  await app.drain();
  const after = (await toList(objects.list('short/'))).map(({ key }) => key);
  expect(after).toHaveLength(before.length - 1);
  expect(after).not.toContain(path);
});

test('every kind of upload stores the folder, and lists filter by whole path segments', {
  tags: 'long-on-postgres',
}, async () => {
  const carol = await app.person('carol');
  const bytes = await pattern(100, 600);
  await sendFile(carol, bytes, 'single.txt', { path: 'Fotos/2026' });
  await sendRepeatable(carol, 'key-1', bytes, 'keyed.txt', { path: 'Fotos/2026/mai' });
  await sendMany(carol, [
    { bytes, name: 'bulk.txt', path: 'Fotos' },
    { bytes, name: 'other.txt', path: 'Fotos2' },
  ]);
  const { fileHash } = (await sendFile(carol, bytes, 'none.txt')).data;
  const list = async (path: string) => {
    const query = { path, sort: 'fileName,asc' };
    const { records, total } = await carol.call(filesApi.listFiles, { query });
    expect(total).toBe(records.length);
    const found = await carol.call(filesApi.searchFiles, { query: { ...query, keyword: 'txt' } });
    expect(found.records.map(({ fileName }) => fileName)).toEqual(records.map(({ fileName }) => fileName));
    return records.map(record => [record.fileName, record.path]);
  };
  expect(await list('Fotos')).toEqual([
    ['bulk.txt', 'Fotos'],
    ['keyed.txt', 'Fotos/2026/mai'],
    ['single.txt', 'Fotos/2026'],
  ]);
  expect(await list('Fotos/2026')).toHaveLength(2);
  expect(await list('Foto')).toEqual([]);
  expect((await carol.call(filesApi.getFile, { params: { hash: fileHash } })).path).toBeNull();
});

test('an invalid folder is rejected', { tags: 'long-on-postgres' }, async () => {
  const bytes = await pattern(10, 700);
  for (const path of ['/abs', 'a//b', 'a/../b', './a', 'a/', 'e\u0301', 'x'.repeat(1025), 'tab\t'])
    expect((await sendFile(alice, bytes, 'a.txt', { path })).status, path).toBe(400);
  const json = { ...toPlan(bytes), path: '..' };
  const started = await alice.fetch('/api/v1/files/upload/start', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  expect(started.status).toBe(400);
});
