// Restoration of an older version as the newest, over real HTTP.
import { deleteFile, listFiles, listVersions } from '@recordproof/shared/api/files.ts';
import { move } from '@recordproof/shared/api/folders.ts';
import { restoreVersion } from '@recordproof/shared/api/uploads.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';

let app: TestApp;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  app = await startApp();
  [alice, bob] = [await app.person('alice'), await app.person('bob')];
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const restore = (id: string) => alice.call(restoreVersion, { params: { id } });
const bytesOf = async (hash: string) =>
  Buffer.from(await (await alice.fetch(`/api/v1/files/${hash}/download`)).arrayBuffer());

test.each([
  ['a small file', 5000],
  ['a file that is stored in parts', 3_000_000],
])('%s: its first version is restored as the newest, with the present name and folder', async (name, size) => {
  const contents = [await pattern(size, 1), await pattern(size + 10, 2)] as const;
  const given = { name: `${name}.txt`, chunkSize: 1_000_000 };
  const first = await storeProxied(alice, contents[0], given);
  const second = await storeProxied(alice, contents[1], { ...given, targetFileId: first.fileId });
  const renamed = { fileHash: [second.fileHash], fileName: `${name}, renamed.txt`, path: 'kept', onConflict: 'fail' };
  await alice.call(move, { body: renamed as { fileHash: string[]; fileName: string; path: string } });
  const restored = await restore(first.fileId);
  expect(restored).toMatchObject({ version: 3, contentHash: first.contentHash });
  expect(restored.fileHash).not.toBe(first.fileHash);
  expect((await bytesOf(restored.fileHash)).equals(Buffer.from(contents[0]))).toBe(true);
  const versions = await alice.call(listVersions, { params: { id: first.fileId } });
  expect(versions.map(({ version, isLatest }) => [version, isLatest])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ]);
  const { records } = await alice.call(listFiles, { query: { path: 'kept', size: 100 } });
  expect(records.filter(({ id }) => id === restored.fileId)).toMatchObject([
    { fileName: renamed.fileName, path: 'kept' },
  ]);
  expect(await alice.expectError(restoreVersion, { params: { id: restored.fileId } })).toMatchObject({
    kind: 'VERSION_CONFLICT',
    message: 'version 3 is already the newest',
  });
  expect(await bob.expectError(restoreVersion, { params: { id: first.fileId } })).toMatchObject({
    kind: 'FILE_NOT_EXIST',
  });
});

test('concurrent restores leave one newest version, and a deleted version cannot be restored', async () => {
  const first = await storeProxied(alice, await pattern(100, 3), { name: 'twice.txt' });
  const second = await storeProxied(alice, await pattern(101, 4), { name: 'twice.txt', targetFileId: first.fileId });
  const both = await Promise.allSettled([restore(first.fileId), restore(first.fileId)]);
  expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  const versions = await alice.call(listVersions, { params: { id: second.fileId } });
  expect(versions.filter(({ isLatest }) => isLatest)).toHaveLength(1);
  await alice.call(deleteFile, { params: { hash: first.fileHash } });
  expect(await alice.expectError(restoreVersion, { params: { id: first.fileId } })).toMatchObject({
    kind: 'FILE_NOT_EXIST',
  });
});

test('a restore without room for the bytes opens no object', { tags: 'long-on-postgres' }, async () => {
  const first = await storeProxied(alice, await pattern(3_000_000, 30), { chunkSize: 3_000_000 });
  await storeProxied(alice, await pattern(10, 31), { targetFileId: first.fileId });
  const { reserve, objects } = app.app.server;
  const get = vi.spyOn(objects, 'get');
  const assertRoom = vi.spyOn(reserve, 'assertRoom').mockImplementation(() => {
    throw new ObjectStoreError('NO_SPACE', 'the disk is full');
  });
  const rejection = await alice.expectError(restoreVersion, { params: { id: first.fileId } });
  expect(rejection).toMatchObject({ status: 503, detail: { reason: 'STORAGE_FULL' } });
  expect(get.mock.calls.filter(([path]) => !path.startsWith('ledger/'))).toEqual([]); // the ledger publishes meanwhile
  for (const spy of [get, assertRoom]) spy.mockRestore();
});
