// Shares of folders: a fixed set and one that also gives what comes later, over real HTTP.
import { deleteFile, listFiles } from '@recordproof/shared/api/files.ts';
import { createFolder, deleteFolder, move } from '@recordproof/shared/api/folders.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { countEnvelopes, fetchShared } from '../../../../test/support/shares.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

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

let seed = 0;
/** Sealed at rest. */
async function store(name: string, path: string) {
  seed += 1;
  return storeProxied(alice, await pattern(4000, seed), { name, path });
}

const terms = { expireMinutes: 60, shareType: 0 as const };
const shareFolder = (folder: string, includesLater: boolean) =>
  alice.call(api.createShare, { body: { folder, includesLater, ...terms } });
const open = (shareCode: string) => app.anonymous.call(accessApi.openShare, { params: { code: shareCode }, body: {} });
const pathsOf = async (shareCode: string) =>
  (await open(shareCode)).files.map(({ path, fileName }) => `${path}/${fileName}`);
const statusOf = async (code: string, { fileHash }: { fileHash: string }) =>
  (await fetchShared(app.anonymous, code, fileHash)).status;

test('a fixed share has the files of its creation, a living share the present ones, with relative paths', async () => {
  const [one, two] = [await store('a.txt', 'clients/north/plans'), await store('b.txt', 'clients/north/plans/old')];
  const fixed = await shareFolder('clients/north/plans', false);
  const living = await shareFolder('clients/north/plans', true);
  expect(fixed).toMatchObject({ folder: { path: 'clients/north/plans', includesLater: false }, more: false });
  const first = ['plans/a.txt', 'plans/old/b.txt'];
  expect([await pathsOf(fixed.shareCode), await pathsOf(living.shareCode)]).toEqual([first, first]);
  const later = await store('c.txt', 'clients/north/plans');
  await store('beside.txt', 'clients/north/plans and more');
  expect([await pathsOf(fixed.shareCode), (await pathsOf(living.shareCode)).sort()]).toEqual([
    first,
    [...first, 'plans/c.txt'].sort(),
  ]);
  expect([await statusOf(fixed.shareCode, later), await statusOf(living.shareCode, later)]).toEqual([404, 200]);
  expect(await open(living.shareCode)).toMatchObject({ folder: { path: 'plans', includesLater: true } });
  expect(await countEnvelopes(app.app.database.db, living.shareCode)).toEqual({ ACTIVE: 1 });
  const zip = await app.anonymous.fetch(`/s/${living.shareCode}/all.zip`);
  const text = Buffer.from(await zip.arrayBuffer()).toString('latin1');
  expect([zip.status, text.includes('plans/old/b.txt'), text.includes('north')]).toEqual([200, true, false]);
  await alice.call(move, { body: { fileHash: [one.fileHash], path: 'elsewhere' } });
  await alice.call(deleteFile, { params: { hash: two.fileHash } });
  expect(await pathsOf(living.shareCode)).toEqual(['plans/c.txt']);
  expect(await pathsOf(fixed.shareCode)).toEqual(['elsewhere/a.txt']);
  expect([await statusOf(living.shareCode, one), await statusOf(fixed.shareCode, one)]).toEqual([404, 200]);
  const page = await (await app.anonymous.fetch(`/s/${living.shareCode}`)).text();
  expect(page).toContain('Files that come into this folder later appear here, too');
  expect(page).not.toContain('north');
  const records = (await alice.call(api.listShares)).records.filter(({ folder }) => folder !== null);
  expect(records.map(({ folder, files }) => [folder?.includesLater, files.length])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});

test('a share follows its moved folder, and ignores another folder of the same name', {
  tags: 'long-on-postgres',
}, async () => {
  const file = await store('d.txt', 'move/me');
  const { shareCode } = await shareFolder('move/me', true);
  await alice.call(move, { body: { from: 'move', path: 'moved', onConflict: 'fail' } });
  expect(await pathsOf(shareCode)).toEqual(['me/d.txt']);
  expect(await statusOf(shareCode, file)).toBe(200);
  const shown = (await alice.call(api.listShares)).records.find(one => one.shareCode === shareCode);
  expect(shown?.folder?.path).toBe('moved/me');
  await alice.call(createFolder, { body: { path: 'move/me' } });
  const other = await store('other.txt', 'move/me');
  expect(await statusOf(shareCode, other)).toBe(404);
  await alice.call(deleteFolder, { query: { path: 'moved/me', recursive: true } });
  app.clock.advance(1000);
  const again = await store('secret.txt', 'moved/me');
  expect([await pathsOf(shareCode), await statusOf(shareCode, again)]).toEqual([[], 404]);
});

test('files of a shared folder are listed as shared, and can be saved by other users of the tenant', async () => {
  const file = await store('e.txt', 'for bob');
  const { shareCode } = await shareFolder('for bob', true);
  const late = await store('f.txt', 'for bob');
  const shared = await alice.call(listFiles, { query: { shared: true, path: 'for bob', size: 100 } });
  expect(shared.records.map(({ fileHash }) => fileHash).sort()).toEqual([file.fileHash, late.fileHash].sort());
  const saved = await bob.call(accessApi.saveSharedFiles, { params: { code: shareCode }, body: {} });
  expect(saved.map(({ fileName }) => fileName).sort()).toEqual(['e.txt', 'f.txt']);
});

test('an expired living share serves its files after an extension, and loses its keys when revoked', {
  tags: 'long-on-postgres',
}, async () => {
  const file = await store('g.txt', 'revived');
  const { shareCode } = await shareFolder('revived', true);
  expect(await statusOf(shareCode, file)).toBe(200);
  app.clock.advance(61 * 60_000);
  await app.drain();
  expect(await statusOf(shareCode, file)).toBe(410);
  await alice.call(api.updateShare, { params: { code: shareCode }, body: { expireMinutes: 60 } });
  expect(await Promise.all([1, 2, 3].map(() => statusOf(shareCode, file)))).toEqual([200, 200, 200]);
  await alice.call(api.revokeShare, { params: { code: shareCode } });
  expect(await statusOf(shareCode, file)).toBe(410);
  expect((await countEnvelopes(app.app.database.db, shareCode)).ACTIVE).toBeUndefined();
});

test('invalid combinations, foreign folders and missing folders are rejected', {
  tags: 'long-on-postgres',
}, async () => {
  const file = await store('h.txt', 'mine');
  await alice.call(createFolder, { body: { path: 'empty' } });
  const reject = async (person: Person, body: object) =>
    (await person.expectError(api.createShare, { body: { ...terms, ...body } })).status;
  for (const [body, status] of [
    [{}, 400],
    [{ fileHash: [file.fileHash], folder: 'mine', includesLater: true }, 400],
    [{ folder: 'mine' }, 400],
    [{ fileHash: [file.fileHash], includesLater: true }, 400],
    [{ folder: '../mine', includesLater: false }, 400],
    [{ folder: 'nowhere', includesLater: true }, 404],
    [{ folder: 'empty', includesLater: false }, 422],
  ] as const)
    expect(await reject(alice, body), JSON.stringify(body)).toBe(status);
  expect(await reject(bob, { folder: 'mine', includesLater: true })).toBe(404);
});

test('parents of a shared folder are not told to those who save its files, nor its name before the password', {
  tags: 'long-on-postgres',
}, async () => {
  const { fileHash } = await store('i.txt', 'lawsuits/confidential/offer/old');
  const body = { folder: 'lawsuits/confidential/offer', includesLater: false, ...terms };
  const { shareCode: code } = await alice.call(api.createShare, { body: { ...body, password: 'open sesame' } });
  const info = await app.anonymous.call(accessApi.getShareInfo, { params: { code } });
  expect(info).toMatchObject({ hasPassword: true, folder: null, files: [] });
  const opened = await app.anonymous.call(accessApi.openShare, { params: { code }, body: { password: 'open sesame' } });
  expect(opened.folder).toMatchObject({ path: 'offer' });

  const shares = [await alice.call(api.createShare, { body }), await shareFolder('lawsuits/confidential', true)];
  const [fixed = '', living = ''] = shares.map(({ shareCode }) => shareCode);
  const save = async (name: string, shareCode: string, named: { fileHash?: string[] }) => {
    const person = await app.person(name);
    const saved = await person.call(accessApi.saveSharedFiles, { params: { code: shareCode }, body: named });
    return saved.map(({ path }) => path);
  };
  expect(await save('cara', fixed, {})).toEqual(['offer/old']);
  expect(await save('dave', living, { fileHash: [fileHash] })).toEqual(['confidential/offer/old']);
});
