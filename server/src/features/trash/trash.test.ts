// The trash: restoration of folders and versions, purge, expiry, quota, and races with moves and uploads.
import { forceDeleteFile } from '@recordproof/shared/api/admin-files.ts';
import { deleteFile, fileQuota, fileStats, listFiles, listVersions } from '@recordproof/shared/api/files.ts';
import { createFolder, deleteFolder, listFolders, move } from '@recordproof/shared/api/folders.ts';
import { emptyTrash, listTrash, moveToTrash, restoreFromTrash } from '@recordproof/shared/api/trash.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { purgeFile } from './delete-file.ts';
import { listAllTrashed } from './queries.ts';

const dayMs = 24 * 3600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const put = async (person: Person, path: string | null, name: string, text = `${path}/${name}`, more = {}) =>
  (await sendFile(person, Buffer.from(text), name, { ...(path !== null && { path }), ...more })).data;

const trashOf = async (person: Person) =>
  (await person.call(listTrash)).records.map(file => [file.path, file.fileName, file.version]);

const namesOf = async (person: Person) =>
  (await person.call(listFiles, { query: { sort: 'fileName,asc' } })).records.map(file => [file.path, file.fileName]);

test('a deleted folder is restored with files, versions and paths, and the quota counts the trash', {
  tags: 'long-on-postgres',
}, async () => {
  const ada = await app.person('ada');
  const first = await put(ada, 'a/b', 'x.txt', 'one');
  const second = await put(ada, 'a/b', 'x.txt', 'three', { targetFileId: first.fileId });
  const other = await put(ada, 'a', 'y.txt', 'yy');
  await ada.call(deleteFolder, { query: { path: 'a', recursive: true } });
  expect(await ada.call(fileStats)).toMatchObject({ totalFiles: 0, totalStorage: 0 });
  const { user } = await ada.call(fileQuota);
  expect(user).toMatchObject({ usedBytes: 10, usedFiles: 3, trashBytes: 10, trashFiles: 3 });
  expect((await trashOf(ada)).sort()).toEqual([
    ['a', 'y.txt', 1],
    ['a/b', 'x.txt', 2],
  ]);
  const [listed] = (await ada.call(listTrash)).records;
  expect(Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.deletedAt ?? '')).toBe(30 * dayMs);
  const fileHash = [second.fileHash, other.fileHash];
  const restored = await ada.call(restoreFromTrash, { body: { fileHash } });
  expect(restored.map(file => [file.path, file.fileName, file.isLatest]).sort()).toEqual([
    ['a', 'y.txt', true],
    ['a/b', 'x.txt', true],
  ]);
  const versions = await ada.call(listVersions, { params: { id: second.fileId } });
  expect(versions.map(version => version.version)).toEqual([2, 1]);
  expect((await ada.call(listFolders, { query: { path: '' } })).folders.map(each => [each.path, each.files])).toEqual([
    ['a', 2],
  ]);
  const after = await ada.call(fileQuota);
  expect(after.user).toMatchObject({ usedBytes: 10, usedFiles: 3, trashBytes: 0, trashFiles: 0 });
  expect(await ada.call(fileStats)).toMatchObject({ totalFiles: 2, totalStorage: 10 });
});

test('what was deleted with a folder is listed by its time, and restored without what was deleted before', async () => {
  const deb = await app.person('deb');
  const earlier = await put(deb, 'case/in', 'earlier.txt');
  for (const name of ['a.txt', 'b.txt']) await put(deb, 'case/in', name);
  await put(deb, 'case', 'c.txt');
  await deb.call(moveToTrash, { body: { fileHash: [earlier.fileHash] } });
  const { deletedAt } = await deb.call(deleteFolder, { query: { path: 'case', recursive: true } });
  const listed = await deb.call(listTrash, { query: { deletedAt, size: 2 } });
  expect([listed.total, listed.records.length]).toEqual([3, 2]);
  expect((await app.anonymous.fetch('/api/v1/files/trash?deletedAt=yesterday')).status).toBe(401);
  expect((await deb.fetch('/api/v1/files/trash?deletedAt=yesterday')).status).toBe(400);
  const ed = await app.person('ed');
  expect((await ed.call(listTrash, { query: { deletedAt } })).total).toBe(0);
  for (const _ of ['two files', 'one file']) {
    const { records } = await deb.call(listTrash, { query: { deletedAt, size: 2 } });
    await deb.call(restoreFromTrash, { body: { fileHash: records.map(file => file.fileHash) } });
  }
  expect(await namesOf(deb)).toEqual([
    ['case/in', 'a.txt'],
    ['case/in', 'b.txt'],
    ['case', 'c.txt'],
  ]);
  expect(await trashOf(deb)).toEqual([['case/in', 'earlier.txt', 1]]);
});

test('a single version is trashed and restored to its path; a taken name is numbered', {
  tags: 'long-on-postgres',
}, async () => {
  const bob = await app.person('bob');
  const first = await put(bob, 'd', 'x.txt', 'one');
  const second = await put(bob, 'd', 'x.txt', 'two', { targetFileId: first.fileId });
  await bob.call(deleteFile, { params: { hash: second.fileHash } });
  expect((await bob.call(listFiles)).records.map(file => [file.version, file.isLatest])).toEqual([[1, true]]);
  expect(await trashOf(bob)).toEqual([['d', 'x.txt', 2]]);
  await bob.call(move, { body: { fileHash: [first.fileHash], path: 'e' } });
  await bob.call(restoreFromTrash, { body: { fileHash: [second.fileHash] } });
  expect(await namesOf(bob)).toEqual([['e', 'x.txt']]); // the path is that of the whole chain
  await bob.call(moveToTrash, { body: { fileHash: [second.fileHash] } });
  await put(bob, 'e', 'x.txt', 'another');
  await bob.call(restoreFromTrash, { body: { fileHash: [second.fileHash] } });
  expect(await namesOf(bob)).toEqual([
    ['e', 'x (2).txt'],
    ['e', 'x.txt'],
  ]);
  expect((await bob.expectError(restoreFromTrash, { body: { fileHash: [second.fileHash] } })).kind).toBe(
    'FILE_NOT_EXIST',
  );
});

test('force-deleted files are not in the trash, and files of others cannot be restored or purged', {
  tags: 'long-on-postgres',
}, async () => {
  const eva = await app.person('eva');
  const root = await app.person('root', { role: 'admin' });
  const taken = await put(eva, null, 'taken.txt');
  const own = await put(eva, null, 'own.txt');
  await root.call(forceDeleteFile, { params: { hash: taken.fileHash } });
  await eva.call(moveToTrash, { body: { fileHash: [own.fileHash] } });
  expect(await trashOf(eva)).toEqual([[null, 'own.txt', 1]]);
  expect((await eva.expectError(restoreFromTrash, { body: { fileHash: [taken.fileHash] } })).kind).toBe(
    'FILE_NOT_EXIST',
  );
  expect((await root.expectError(restoreFromTrash, { body: { fileHash: [own.fileHash] } })).kind).toBe(
    'FILE_NOT_EXIST',
  );
  expect(await root.call(emptyTrash, { body: { fileHash: [own.fileHash] } })).toMatchObject({ files: 0 });
  expect(await trashOf(eva)).toHaveLength(1);
});

test('a purged or expired file is deleted permanently and not counted', async () => {
  const mia = await app.person('mia');
  const first = await put(mia, 'p', 'x.txt', 'one');
  const second = await put(mia, 'p', 'x.txt', 'two', { targetFileId: first.fileId });
  const other = await put(mia, 'p', 'y.txt', 'four');
  await mia.call(moveToTrash, { body: { fileHash: [second.fileHash, other.fileHash] } });
  expect(await mia.call(emptyTrash, { body: { fileHash: [second.fileHash] } })).toEqual({
    files: 2,
    bytes: 6,
    more: false,
  });
  expect(await trashOf(mia)).toEqual([['p', 'y.txt', 1]]);
  expect((await mia.expectError(restoreFromTrash, { body: { fileHash: [second.fileHash] } })).kind).toBe(
    'FILE_NOT_EXIST',
  );
  expect((await mia.call(fileQuota)).user).toMatchObject({ usedBytes: 4, trashFiles: 1 });
  app.clock.advance(31 * dayMs);
  await app.drain();
  await mia.login('mia', testPassword);
  expect(await trashOf(mia)).toEqual([]);
  expect((await mia.call(fileQuota)).user).toMatchObject({
    usedBytes: 0,
    usedFiles: 0,
    trashBytes: 0,
    trashFiles: 0,
  });
  expect(await mia.call(emptyTrash, { body: {} })).toEqual({ files: 0, bytes: 0, more: false });
});

test('a purge of named files that is interrupted, or too large for one call, is completed by the next', {
  tags: 'long-on-postgres',
}, async () => {
  const lea = await app.person('lea');
  const first = await put(lea, 'p', 'x.txt', 'one');
  const second = await put(lea, 'p', 'x.txt', 'two', { targetFileId: first.fileId });
  const third = await put(lea, 'p', 'x.txt', 'three', { targetFileId: second.fileId });
  const hashes = [third.fileHash];
  await lea.call(moveToTrash, { body: { fileHash: hashes } });
  const { database, hooks } = app.app.server;
  const { owner_id: ownerId, tenant_id: tenantId } = await database.db
    .selectFrom('file')
    .selectAll()
    .where('file_hash', '=', third.fileHash)
    .executeTakeFirstOrThrow();
  for (const file of await listAllTrashed(database.db, { tenantId, ownerId }, { hashes, limit: 1 }))
    await database.db.transaction().execute(tx => purgeFile(tx, { database, hooks }, file, app.clock.now()));
  expect(await lea.call(emptyTrash, { body: { fileHash: hashes } })).toMatchObject({ files: 2 });
  expect((await lea.call(fileQuota)).user).toMatchObject({ trashBytes: 0, trashFiles: 0 });
});

test('concurrent deletions, moves and uploads of one version chain keep it consistent', async () => {
  const kim = await app.person('kim');
  await kim.call(createFolder, { body: { path: 'r' } });
  for (let round = 0; round < 4; round += 1) {
    const first = await put(kim, 'r', 'x.txt', `one ${round}`);
    const second = await put(kim, 'r', 'x.txt', `two ${round}`, { targetFileId: first.fileId });
    await Promise.allSettled([
      kim.call(moveToTrash, { body: { fileHash: [second.fileHash] } }),
      kim.call(deleteFile, { params: { hash: second.fileHash } }),
      put(kim, 'r', 'x.txt', `three ${round}`, { targetFileId: second.fileId }),
      kim.call(move, { body: { fileHash: [second.fileHash], path: 's' } }),
    ]);
    const { records, total } = await kim.call(listFiles);
    expect(records).toHaveLength(total);
    expect(new Set(records.map(file => file.versionGroupId)).size).toBe(total);
    if (total > 0) await kim.call(moveToTrash, { body: { fileHash: records.map(file => file.fileHash) } });
    expect((await kim.call(fileStats)).totalFiles).toBe(0);
  }
});

test('records, counters, objects and ledger are consistent at the end', { tags: 'long-on-postgres' }, async () => {
  await app.drain();
  await checkEverything(app);
});
