// @module-tag long-on-postgres
// Uploads of one file in one request: sizes, names, form errors, limits and the declared content hash.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { findInFiles } from '../../../../test/support/find-in-files.ts';
import { digestOf, postForm, sendFile, toForm } from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;

beforeAll(async () => {
  app = await startApp({ env: { FILES_MAX_BYTES: String(20 * 1024 * 1024) } });
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

test('a file sent in one request is stored', async () => {
  const bytes = await pattern(3_000_000);
  const { status, data } = await sendFile(alice, bytes, 'Vertrag 2026.pdf');
  expect(status).toBe(200);
  expect(data).toMatchObject({ contentHash: digestOf(bytes), version: 1, status: 'SUCCESS' });
  const row = await app.app.database.db
    .selectFrom('file')
    .selectAll()
    .where('file_hash', '=', data.fileHash)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ file_name: 'Vertrag 2026.pdf', status: 1, encryption: 'RP-AES256-GCM-CHUNK-CHAIN-V1' });
});

test('files of one byte, and of one chunk and one byte, are stored', async () => {
  for (const size of [1, 2 * 1024 * 1024 + 1]) {
    const bytes = await pattern(size, size);
    expect((await sendFile(alice, bytes)).data.contentHash).toBe(digestOf(bytes));
  }
});

test('equal bytes sent twice are two records with one content hash', async () => {
  const bytes = await pattern(1000, 7);
  const [first, second] = [await sendFile(alice, bytes), await sendFile(alice, bytes)];
  expect(second.data.contentHash).toBe(first.data.contentHash);
  expect(second.data.fileHash).not.toBe(first.data.fileHash);
});

test('the short form of the endpoint behaves like the long one', async () => {
  const answer = await postForm(alice, '/file/upload', toForm('file', await pattern(10, 3), {}, {}, 'x.txt'));
  expect(answer.data).toMatchObject({ status: 'SUCCESS' });
});

test('file names keep all characters, and a path is reduced to its file name', async () => {
  const names = [
    '合同 – 终版.pdf',
    'a "quoted" name.txt',
    'semi;colon=x.txt',
    "l'été 🌞.txt",
    '.hidden',
    'C:\\tmp\\up.txt',
  ];
  for (const [index, name] of names.entries()) {
    const { data } = await sendFile(alice, await pattern(20, 100 + index), name);
    const { file_name } = await app.app.database.db
      .selectFrom('file')
      .select('file_name')
      .where('file_hash', '=', data.fileHash)
      .executeTakeFirstOrThrow();
    expect(file_name).toBe(name.split('\\').at(-1));
  }
});

test('invalid file names are rejected', async () => {
  for (const name of ['..', 'a/..', `${'n'.repeat(256)}`, 'tab\there']) {
    expect((await sendFile(alice, await pattern(5), name)).status, name).toBe(400);
  }
});

test('an empty file, a missing file and a body that is no form are rejected', async () => {
  expect(await sendFile(alice, new Uint8Array())).toMatchObject({ status: 400, code: 50018 });
  expect(await postForm(alice, '/api/v1/files/upload', new FormData())).toMatchObject({ status: 400 });
  const other = await postForm(alice, '/api/v1/files/upload', toForm('other', await pattern(5), {}));
  expect(other).toMatchObject({ status: 400, code: 10004 });
  const bare = await alice.fetch('/api/v1/files/upload', { method: 'POST', body: 'bytes' });
  expect(bare.status).toBe(400);
});

test('a file beyond the maximum size is rejected during the transfer, and the response arrives', async () => {
  const { status, code } = await sendFile(alice, new Uint8Array(25 * 1024 * 1024));
  expect({ status, code }).toEqual({ status: 413, code: 40001 });
});

test('a declared content hash is verified', async () => {
  const bytes = await pattern(5000, 9);
  const right = await sendFile(alice, bytes, 'a', { contentHash: digestOf(bytes) });
  expect(right.data.contentHash).toBe(digestOf(bytes));
  const wrong = await sendFile(alice, bytes, 'a', { contentHash: digestOf(await pattern(5000, 10)) });
  expect(wrong).toMatchObject({ status: 400, code: 50002 });
});

test('a spool file left by a server that died is deleted', async () => {
  const folder = join(app.folder, 'spool');
  await sendFile(alice, await pattern(1000, 11));
  await writeFile(join(folder, '0123456789abcdef01234567.spool'), '');
  app.clock.advance(3600_000);
  await app.drain();
  expect(await readdir(folder)).toEqual([]);
});

test('no plain text of an upload is in the store, the spool or the database', async () => {
  const marker = 'MARKER-that-must-not-be-found-anywhere-0451';
  const bytes = Buffer.concat([await pattern(1_500_000), Buffer.from(marker), await pattern(1_500_000, 2)]);
  expect((await sendFile(alice, bytes)).status).toBe(200);
  await app.drain();
  expect(await findInFiles(app.folder, marker)).toEqual([]);
  expect(await readdir(join(app.folder, 'spool'))).toEqual([]);
});

test('two files in one request are rejected', async () => {
  const form = toForm('file', await pattern(10, 8), {}, {}, 'a.txt');
  form.append('file', new Blob(['more']), 'b.txt');
  expect(await postForm(alice, '/api/v1/files/upload', form)).toMatchObject({ status: 400, code: 10000 });
});

test('a file without a name is rejected with the field name', async () => {
  const { status, code, message } = await sendFile(alice, await pattern(10, 9), 'folder/');
  expect({ status, code }).toEqual({ status: 400, code: 10002 });
  expect(message).toContain('fileName: must not be empty');
});
