// Folders: listing, names, moves with concurrent uploads, deletion, and proofs of a folder list.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles, listVersions } from '@recordproof/shared/api/files.ts';
import {
  createFolder,
  deleteFolder,
  downloadFiles,
  filesBytesHeader,
  listFolderFiles,
  listFolders,
  listPathHistory,
  mostZippedBytes,
  mostZippedFiles,
  move,
  sealFolder,
} from '@recordproof/shared/api/folders.ts';
import { exportProof } from '@recordproof/shared/api/proofs.ts';
import { listTrash, moveToTrash } from '@recordproof/shared/api/trash.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: laptop });
});
afterAll(() => app[Symbol.asyncDispose]());

const put = async (person: Person, path: string | null, name: string, text = `${path}/${name}`, more = {}) =>
  (await sendFile(person, Buffer.from(text), name, { ...(path !== null && { path }), ...more })).data;

const listAll = async (person: Person, path: string, limit: number, between = async () => {}) => {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { path, limit, ...(cursor !== undefined && { cursor }) };
    const slice = await person.call(listFolderFiles, { query });
    expect(slice.records.length).toBeLessThanOrEqual(limit);
    found.push(...slice.records.map(one => `${one.path}/${one.fileName} ${one.version}`));
    cursor = slice.nextCursor;
    await between();
  }
  return found;
};

test('all files of a folder and below it are listed in slices, each once, while files are moved', async () => {
  const [olga, piet] = [await app.person('olga'), await app.person('piet')];
  await put(piet, 'a', 'of piet.txt');
  const first = await put(olga, 'a', '1.txt');
  for (const [path, name] of [
    ['a/b', '2.txt'],
    ['a!', 'beside.txt'],
    ['a', '3.txt'],
    ['ab', 'beside.txt'],
    ['a/b/c', '4.txt'],
    [null, 'loose.txt'],
  ] as const)
    await put(olga, path, name);
  await put(olga, 'a', '1.txt', 'newer', { targetFileId: first.fileId });
  const all = ['a/b/2.txt 1', 'a/3.txt 1', 'a/b/c/4.txt 1', 'a/1.txt 2'];
  for (const limit of [1, 2, 4, 1000]) expect(await listAll(olga, 'a', limit)).toEqual(all);
  expect(await listAll(olga, '', 1000)).toHaveLength(7);
  expect(await listAll(olga, 'nothing', 1000)).toEqual([]);
  const { records } = await olga.call(listFolderFiles, { query: { path: 'a' } });
  const hashes = records.map(({ fileHash }) => fileHash);
  let moved = 0;
  const moveNext = async () => {
    const [fileHash] = hashes.slice(moved, moved + 1);
    moved += 1;
    if (fileHash !== undefined) await olga.call(move, { body: { fileHash: [fileHash], path: 'a/z' } });
  };
  const seen = await listAll(olga, 'a', 1, moveNext);
  expect(seen.map(line => line.split('/').at(-1))).toEqual(all.map(line => line.split('/').at(-1)));
  expect(await piet.call(listFolderFiles, { query: { path: 'a' } })).toMatchObject({
    records: [{ fileName: 'of piet.txt' }],
  });
  expect((await olga.expectError(listFolderFiles, { query: { path: 'a', limit: 1001 } })).status).toBe(400);
});

const level = async (person: Person, path: string) => {
  const { folders } = await person.call(listFolders, { query: { path } });
  const { records } = await person.call(listFiles, { query: { folder: path, size: 100, sort: 'fileName,asc' } });
  return [folders.map(each => [each.path, each.files, each.folders]), records.map(file => file.fileName)];
};

test('a level lists its folders, also empty ones, and its files, of the own account only', async () => {
  const ada = await app.person('ada');
  await put(ada, null, 'loose.txt');
  await put(ada, 'a', 'in a.txt');
  await put(ada, 'a/b', 'deep.txt');
  await put(ada, 'a!', 'near.txt');
  await put(await app.person('bob'), 'his', 'his.txt');
  await put(await app.person('eve', { tenant: 'other' }), 'hers', 'hers.txt');
  expect(await ada.call(createFolder, { body: { path: 'a/empty/e\u0301' } })).toEqual({
    path: 'a/empty/\u00e9',
    created: true,
  });
  expect(await ada.call(createFolder, { body: { path: 'a/empty' } })).toEqual({ path: 'a/empty', created: false });
  expect(await level(ada, '')).toEqual([
    [
      ['a', 2, 2],
      ['a!', 1, 0],
    ],
    ['loose.txt'],
  ]);
  expect(await level(ada, 'a')).toEqual([
    [
      ['a/b', 1, 0],
      ['a/empty', 0, 1],
    ],
    ['in a.txt'],
  ]);
  const page = await ada.call(listFolders, { query: { path: 'a', limit: 1 } });
  expect([page.folders.map(each => each.path), page.more, page.folders[0]?.bytes]).toEqual([['a/b'], true, 12]);
  const next = await ada.call(listFolders, { query: { path: 'a', limit: 1, after: 'b' } });
  expect([next.folders.map(each => each.path), next.more]).toEqual([['a/empty'], false]);
  const filled = await ada.call(listFolders);
  expect(filled.folders.map(each => [each.path, each.files])).toEqual([
    ['a', 1],
    ['a!', 1],
    ['a/b', 1],
  ]);
  expect((await ada.expectError(listFolders, { query: { path: 'his' } })).kind).toBe('RESULT_DATA_NONE');
});

test('misleading, escaping and too long folder names are rejected', async () => {
  const ina = await app.person('ina');
  const names = ['a/../b', '.', 'a//b', '/a', 'a\\b', 'a/\u202egpj', 'a/ b', `a/${'x'.repeat(256)}`, 'x\u0000'];
  for (const path of names) expect((await ina.expectError(createFolder, { body: { path } })).status, path).toBe(400);
});

test('a rejected name is rejected with its own reason, and an upload accepts no name that could not be seen', async () => {
  const ivo = await app.person('ivo');
  const { fileHash } = await put(ivo, 'in', ' spaced.txt', 'kept as it was on the disk');
  const reasonOf = async (fileName: string) =>
    (await ivo.expectError(move, { body: { fileHash: [fileHash], fileName } })).message;
  expect(await reasonOf(' a')).toMatch(/must not begin or end with a space$/);
  expect(await reasonOf('a\u202egpj')).toMatch(/must not hold characters that turn text$/);
  for (const name of ['\u200b', ' \u00a0', '\u2060\ufeff', '\u3164']) {
    expect(await reasonOf(name), escape(name)).toContain('must have at least one visible character');
    const { status, message } = await sendFile(ivo, Buffer.from('unseen'), name);
    expect([status, message], escape(name)).toEqual([400, expect.stringMatching(/at least one visible character$/)]);
  }
});

test('files are moved and renamed with all versions; record and proof stay, and the history shows it', async () => {
  const mia = await app.person('mia');
  const first = await put(mia, 'in', 'one.txt', 'first');
  const second = await put(mia, 'in', 'one.txt', 'second', { targetFileId: first.fileId });
  await app.drain();
  const proof = async () => {
    const response = await mia.fetch(exportProof.path.replace('{id}', second.fileId));
    return Buffer.from(await response.arrayBuffer()).toString('base64');
  };
  const before = await proof();
  const moved = await mia.call(move, { body: { fileHash: [second.fileHash], path: 'out/deep', fileName: 'uno.txt' } });
  expect(moved).toMatchObject({ moved: 1, skipped: [], renamed: [] });
  expect(await level(mia, 'out/deep')).toEqual([[], ['uno.txt']]);
  expect(await level(mia, 'in')).toEqual([[], []]);
  expect(await proof()).toBe(before);
  const versions = await mia.call(listVersions, { params: { id: second.fileId } });
  expect(versions.map(each => [each.version, each.fileName, each.fileSize, each.proofStatus, each.ownerName])).toEqual([
    [2, 'uno.txt', 6, 'ISSUED', 'mia'],
    [1, 'one.txt', 5, 'ISSUED', 'mia'],
  ]);
  await mia.call(move, { body: { fileHash: [second.fileHash], path: '' } });
  const history = await mia.call(listPathHistory, { params: { hash: first.fileHash } });
  expect(history.map(each => [each.path, each.fileName, each.changedBy])).toEqual([
    ['out/deep', 'uno.txt', 'mia'],
    ['in', 'one.txt', 'mia'],
  ]);
  expect((await mia.expectError(move, { body: { fileHash: [first.fileHash], path: 'x' } })).kind).toBe(
    'FILE_NOT_EXIST',
  );
});

test('name conflicts are rejected, renamed or skipped, and a rejected move moves nothing', async () => {
  const zoe = await app.person('zoe');
  await put(zoe, 'to', 'Plan.pdf', 'there');
  await put(zoe, 'to', 'plan (2).pdf', 'there too');
  const same = await put(zoe, 'from', 'plan.pdf', 'mine');
  const other = await put(zoe, 'from', 'other.pdf', 'other');
  const body = { fileHash: [other.fileHash, same.fileHash], path: 'to' };
  const rejection = await zoe.expectError(move, { body });
  expect([rejection.kind, rejection.detail]).toEqual([
    'DATA_ALREADY_EXISTED',
    { conflicts: [{ fileHash: same.fileHash, fileName: 'plan.pdf', path: 'to' }] },
  ]);
  expect((await level(zoe, 'from'))[1]).toEqual(['other.pdf', 'plan.pdf']);
  expect(await zoe.call(move, { body: { ...body, onConflict: 'skip' } })).toMatchObject({
    moved: 1,
    skipped: [same.fileHash],
  });
  expect(await zoe.call(move, { body: { ...body, onConflict: 'keepBoth' } })).toMatchObject({
    moved: 1,
    renamed: [{ fileHash: same.fileHash, fileName: 'plan (3).pdf' }],
  });
  expect((await level(zoe, 'to'))[1]).toEqual(['other.pdf', 'plan (2).pdf', 'plan (3).pdf', 'Plan.pdf']);
  expect(await zoe.call(move, { body: { fileHash: [same.fileHash], fileName: 'Plan (3).pdf' } })).toMatchObject({
    moved: 1,
  });
});

test('a folder moves with its content, never into itself, and concurrent moves leave one tree', async () => {
  const kim = await app.person('kim');
  await put(kim, 'top/sub', 'a.txt');
  await put(kim, 'top', 'b.txt');
  await kim.call(createFolder, { body: { path: 'top/empty' } });
  for (const path of ['top/sub/top', 'top/new'])
    expect((await kim.expectError(move, { body: { from: 'top', path } })).kind).toBe('CONFLICT');
  const ends = await Promise.allSettled(
    ['x/left', 'x/right', 'x/left'].map(path => kim.call(move, { body: { from: 'top', path } })),
  );
  expect(ends.filter(end => end.status === 'fulfilled')).toHaveLength(1);
  const [[won] = []] = (await level(kim, 'x')) as [[string][], string[]];
  expect(won?.slice(1)).toEqual([2, 2]);
  await kim.call(move, { body: { from: won?.[0] ?? '', path: 'back' } });
  expect(await level(kim, 'back')).toEqual([
    [
      ['back/empty', 0, 0],
      ['back/sub', 1, 0],
    ],
    ['b.txt'],
  ]);
  expect(await level(kim, '')).toEqual([
    [
      ['back', 2, 2],
      ['x', 0, 0],
    ],
    [],
  ]);
  expect((await kim.expectError(move, { body: { from: 'back', path: 'x' } })).kind).toBe('DATA_ALREADY_EXISTED');
  expect(await kim.call(move, { body: { from: 'back', path: 'x', onConflict: 'skip' } })).toMatchObject({
    skipped: ['back'],
    path: 'back',
  });
  expect(await kim.call(move, { body: { from: 'back', path: 'x', onConflict: 'keepBoth' } })).toMatchObject({
    moved: 2,
    path: 'x (2)',
  });
});

test('uploads into a folder deleted concurrently end in an existing folder or in the trash', async () => {
  const lea = await app.person('lea');
  for (let round = 0; round < 4; round += 1) {
    await lea.call(createFolder, { body: { path: 'busy' } });
    const [stored] = await Promise.all([
      put(lea, 'busy', `${round}.txt`),
      lea.call(deleteFolder, { query: { path: 'busy', recursive: true } }),
    ]);
    const trashed = await lea.call(listTrash, { query: { size: 100 } });
    const isTrashed = trashed.records.some(file => file.fileHash === stored.fileHash);
    const [folders] = await level(lea, '');
    expect(folders).toEqual(isTrashed ? [] : [['busy', 1, 0]]);
    if (!isTrashed) await lea.call(deleteFolder, { query: { path: 'busy', recursive: true } });
  }
});

test('a non-empty folder is deleted only recursively, and is sealed as one list with a proof', {
  tags: 'long-on-postgres',
}, async () => {
  const sam = await app.person('sam');
  await put(sam, 'case/letters', 'b.txt', 'bb');
  await put(sam, 'case', 'a.txt', 'a');
  expect((await sam.expectError(deleteFolder, { query: { path: 'case' } })).kind).toBe('CONFLICT');
  const seal = await sam.call(sealFolder, { body: { path: 'case' } });
  expect(seal).toMatchObject({ fileName: 'case.folder.json', path: null, files: 2, version: 1 });
  const list = await (await sam.fetch(`/api/v1/files/${seal.fileHash}/download`)).json();
  expect(list).toMatchObject({
    schema: 'recordproof.folder.v1',
    files: [
      { path: 'a.txt', size: 1 },
      { path: 'letters/b.txt', size: 2 },
    ],
  });
  expect(await sam.call(deleteFolder, { query: { path: 'case', recursive: true } })).toMatchObject({
    files: 2,
    folders: 2,
  });
  expect(await level(sam, '')).toEqual([[], ['case.folder.json']]);
  expect((await sam.expectError(deleteFolder, { query: { path: 'case' } })).kind).toBe('RESULT_DATA_NONE');
});

async function unpack(response: Response) {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-folder-'));
  const bytes = Buffer.from(await response.arrayBuffer());
  const told = response.headers.get('content-length');
  const filesBytes = Number(response.headers.get(filesBytesHeader));
  writeFileSync(join(folder, 'box.zip'), bytes);
  const script =
    'import zipfile,sys;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print("\\n".join(z.namelist()))';
  const names = execFileSync('python3', ['-c', script, join(folder, 'box.zip')], { encoding: 'utf8' });
  return {
    names: names.trim().split('\n').sort(),
    told,
    filesBytes,
    size: readFileSync(join(folder, 'box.zip')).length,
  };
}

test('a folder is downloaded as one ZIP with safe names, a content length, and proofs if requested', {
  tags: 'long-on-postgres',
}, async () => {
  const max = await app.person('max');
  await put(max, 'box/in', 'report.pdf', 'deep');
  await put(max, 'box', '\u202egpj.exe', 'turned');
  await app.drain();
  const download = async (query: string) => unpack(await max.fetch(`/api/v1/files/folders/zip?path=box${query}`));
  const plain = await download('');
  expect(plain.names).toEqual(['box/_gpj.exe', 'box/in/report.pdf']);
  expect(plain.told).toBe(String(plain.size));
  const proven = await download('&proofs=true');
  expect([plain.filesBytes, proven.filesBytes, proven.told]).toEqual([10, 10, null]);
  expect(proven.names).toEqual([
    'box/_gpj.exe',
    'box/in/report.pdf',
    'proofs/box/_gpj.exe.proof.zip',
    'proofs/box/in/report.pdf.proof.zip',
  ]);
});

test('chosen files are downloaded as one ZIP, each once; one missing file rejects the call', async () => {
  const nia = await app.person('nia');
  const [a, b] = [await put(nia, 'left', 'same.txt', 'one'), await put(nia, 'right', 'same.txt', 'two')];
  const loose = await put(nia, null, 'loose.txt');
  await put(nia, 'left', 'not chosen.txt');
  const foreign = await put(await app.person('oda'), null, 'hers.txt');
  await app.drain();
  const fileHash = [a, b, a, loose].map(file => file.fileHash);
  const headers = { 'content-type': 'application/json' };
  const ask = (body: object) => nia.fetch('/api/v1/files/zip', { method: 'POST', headers, body: JSON.stringify(body) });
  const { names, told, filesBytes, size } = await unpack(await ask({ fileHash }));
  const listed = ['left/same.txt', 'loose.txt', 'right/same.txt'];
  expect([names, told, filesBytes]).toEqual([listed, String(size), 'onetwonull/loose.txt'.length]);
  expect((await unpack(await ask({ fileHash: [b.fileHash], proofs: true }))).names).toEqual([
    'proofs/right/same.txt.proof.zip',
    'right/same.txt',
  ]);
  const rejected = async (hashes: string[]) =>
    (await nia.expectError(downloadFiles, { body: { fileHash: hashes } })).message;
  expect(await rejected([a.fileHash, foreign.fileHash])).toMatch('1 of 2 files do not exist');
  await nia.call(moveToTrash, { body: { fileHash: [loose.fileHash] } });
  expect(await rejected(fileHash)).toMatch('1 of 3 files do not exist');
  const many = Array.from({ length: mostZippedFiles + 1 }, (_, at) => at.toString(16).padStart(64, '0'));
  expect((await nia.expectError(downloadFiles, { body: { fileHash: many } })).kind).toBe('PARAM_IS_INVALID');
  const { db } = app.app.database;
  await db.updateTable('file').set({ file_size: mostZippedBytes }).where('file_hash', '=', a.fileHash).execute();
  expect(await rejected([a.fileHash, b.fileHash])).toMatch('download fewer files at once');
  await db.updateTable('file').set({ file_size: 3 }).where('file_hash', '=', a.fileHash).execute();
});

test('records, counters, objects and ledger are consistent at the end', { tags: 'long-on-postgres' }, async () => {
  await app.drain();
  await checkEverything(app);
});
