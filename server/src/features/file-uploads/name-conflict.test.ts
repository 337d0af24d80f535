// Name conflicts of uploads: next version, numbered name or rejection, in every kind of upload.
import { startUpload } from '@recordproof/shared/api/chunked-uploads.ts';
import { listFiles, listVersions } from '@recordproof/shared/api/files.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { sendFile, sendMany, storeProxied, toPlan } from '../../../../test/support/uploads.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const namesOf = async (person: Person) =>
  (await person.call(listFiles, { query: { sort: 'fileName,asc', size: 50 } })).records.map(file => [
    file.path,
    file.fileName,
    file.version,
  ]);

test('a file with a taken name becomes the next version, is numbered or rejected, in all kinds of upload', {
  tags: 'long-on-postgres',
}, async () => {
  const ada = await app.person('ada');
  const first = await sendFile(ada, Buffer.from('one'), 'Plan.txt', { path: 'd' });
  const again = { path: 'd', onConflict: 'newVersion' } as const;
  const second = await sendFile(ada, Buffer.from('two'), 'plan.txt', again);
  expect(second.data).toMatchObject({ version: 2 });
  await storeProxied(ada, await pattern(9000, 3), { name: 'plan.txt', ...again });
  const versions = await ada.call(listVersions, { params: { id: first.data.fileId } });
  expect(versions.map(version => [version.version, version.fileName])).toEqual([
    [3, 'plan.txt'],
    [2, 'plan.txt'],
    [1, 'Plan.txt'],
  ]);
  const both = { path: 'd', onConflict: 'keepBoth' } as const;
  await sendFile(ada, Buffer.from('three'), 'plan.txt', both);
  await storeProxied(ada, await pattern(9000, 4), { name: 'plan.txt', ...both });
  const skip = { path: 'd', onConflict: 'skip' } as const;
  const skipped = await sendFile(ada, Buffer.from('four'), 'PLAN.txt', skip);
  expect([skipped.status, skipped.code]).toEqual([409, 50003]);
  expect(skipped.data).toMatchObject({ detail: { fileName: 'plan.txt' } });
  const late = await ada.expectError(startUpload, { body: toPlan(Buffer.alloc(9000), { name: 'plan.txt', ...skip }) });
  expect(late.kind).toBe('DATA_ALREADY_EXISTED');
  expect(await namesOf(ada)).toEqual([
    ['d', 'plan (2).txt', 1],
    ['d', 'plan (3).txt', 1],
    ['d', 'plan.txt', 3],
  ]);
  await sendFile(ada, Buffer.from('elsewhere'), 'plan.txt', { ...skip, path: 'e' });
  await sendFile(ada, Buffer.from('as before'), 'plan.txt', { path: 'e' });
  expect((await namesOf(ada)).filter(([path]) => path === 'e')).toHaveLength(2);
});

test('files of a bulk upload resolve name conflicts separately', async () => {
  const bob = await app.person('bob');
  await sendFile(bob, Buffer.from('there'), 'a.txt', { path: 'd' });
  const file = { name: 'a.txt', path: 'd' };
  const { data } = await sendMany(bob, [
    { bytes: Buffer.from('next'), ...file, onConflict: 'newVersion' },
    { bytes: Buffer.from('skipped'), ...file, onConflict: 'skip' },
  ]);
  expect(data.results.map(end => [end.status, end.status === 'STORED' ? end.version : end.code])).toEqual([
    ['STORED', 2],
    ['REFUSED', 50003],
  ]);
});

test('a bulk upload repeated while the first call runs reports no file of the first call as a conflict', async () => {
  const fay = await app.person('fay');
  const { fileId: targetFileId } = (await sendFile(fay, Buffer.from('one'), 'v.txt')).data;
  const large = 2 ** 20 + 1; // the next file is read when it is stored
  const files = [
    { bytes: await pattern(large, 7), name: 'first.bin' },
    { bytes: await pattern(1000, 8), name: 'skip.txt', onConflict: 'skip' },
    { bytes: await pattern(1000, 9), name: 'v.txt', targetFileId },
    { bytes: await pattern(large, 10), name: 'last.bin' },
  ] as const;
  const { sharedCommits } = app.app.server;
  const store = sharedCommits.store.bind(sharedCommits);
  const pauses = new Map([
    ['first.bin', openPause()],
    ['last.bin', openPause()],
  ]);
  const pauseOnce = async (fileName: string) => {
    const pause = pauses.get(fileName);
    pauses.delete(fileName);
    pause?.reached.resolve();
    await pause?.ended.promise;
  };
  const [atFirst, atLast] = [...pauses.values()];
  const storeLate: typeof store = (server, sealing) =>
    store(server, async () => {
      const file = await sealing();
      await pauseOnce(file.record.fileName);
      return file;
    });
  Object.assign(sharedCommits, { store: storeLate });
  const second = sendMany(fay, files, 'rivals');
  await atFirst?.reached.promise; // it has found nothing stored
  const first = sendMany(fay, files, 'rivals');
  await atLast?.reached.promise;
  await expect
    .poll(async () => (await namesOf(fay)).map(([, name, version]) => [name, version]))
    .toEqual([
      ['first.bin', 1],
      ['skip.txt', 1],
      ['v.txt', 2],
    ]);
  atFirst?.ended.resolve();
  await second;
  atLast?.ended.resolve();
  for (const { data } of await Promise.all([first, second]))
    expect(data.results.map(({ status }) => status)).toEqual(Array(4).fill('STORED'));
  Object.assign(sharedCommits, { store });
});

const openPause = () => ({ reached: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() });

test('a next version without a folder stays in the folder of its file', { tags: 'long-on-postgres' }, async () => {
  const eva = await app.person('eva');
  const first = await sendFile(eva, Buffer.from('one'), 'a.txt', { path: 'deep/in' });
  const second = await sendFile(eva, Buffer.from('two'), 'b.txt', { targetFileId: first.data.fileId });
  await storeProxied(eva, await pattern(9000, 6), { name: 'c.txt', targetFileId: second.data.fileId });
  expect(await namesOf(eva)).toEqual([['deep/in', 'c.txt', 3]]);
});
