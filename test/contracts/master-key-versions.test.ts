// A new master key on two servers that share PostgreSQL, each with its own key file: no server meets an envelope of a
// version that it has not loaded.
import { createSecretKey, randomBytes } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtempDisposable, rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addMasterKey,
  listMasterKeys,
  retireMasterKey,
  useMasterKey,
} from '@recordproof/server/commands/master-keys.ts';
import { countServersWithoutKey, countServersWrappingWith } from '@recordproof/server/compose/announce-keys.ts';
import { masterKeyFile } from '@recordproof/server/platform/crypto/local-keys.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { afterAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../support/app.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { storeProxied } from '../support/uploads.ts';

afterAll(stopPostgres);

const patient = { timeout: 60_000 };
const toServer = ({ app, config, clock }: TestApp) => ({ db: app.database.db, config, clock });
const fileOf = ({ config }: TestApp): string => join(config.keysFolder, masterKeyFile);

function localKeysOf({ app }: TestApp) {
  const provider = app.server.keyProviders.find(({ id }) => id === 'local');
  if (provider === undefined) throw new Error('the server has no local keys');
  return provider;
}

/** The version with which the server wraps keys. */
const activeOf = (server: TestApp) => localKeysOf(server).activeKeyVersion();

/** Wraps a key on one server, unwraps it on the other, and returns the version that wrapped it. */
async function passKey(from: TestApp, to: TestApp): Promise<string> {
  const [key, binding] = [createSecretKey(randomBytes(32)), randomBytes(32)];
  const wrapped = await localKeysOf(from).wrap(key, binding);
  expect((await localKeysOf(to).unwrap(wrapped, binding)).equals(key)).toBe(true);
  return wrapped.keyVersion;
}

/** Replaces the key file atomically, as an administrator does. */
async function copyKeys(from: TestApp, to: TestApp): Promise<void> {
  await copyFile(fileOf(from), `${fileOf(to)}.new`);
  await rename(`${fileOf(to)}.new`, fileOf(to));
}

async function startTwo(folder: string) {
  const { url } = await (await postgres()).freshDatabase();
  const env = { DATABASE_URL: url, RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const one = await startApp({ env, folder: first });
  await mkdir(second);
  await cp(join(first, 'keys'), join(second, 'keys'), { recursive: true });
  await symlink(join(first, 'objects'), join(second, 'objects'));
  return { one, two: await startApp({ env, folder: second }) };
}

/**
 * Stores a file on one server, reads it on the other, and returns the version that wrapped its key: of either server,
 * since the job that completes an upload runs on the one that claims it first.
 */
async function exchange(writer: Person, reader: Person, { app }: TestApp): Promise<string | undefined> {
  const bytes = randomBytes(2000);
  const { fileHash } = await storeProxied(writer, bytes);
  const answer = await reader.fetch(downloadFile.path.replace('{hash}', fileHash));
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  const newest = app.database.db.selectFrom('envelope').select('provider_key_version').orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.provider_key_version;
}

test('a new version is used once both servers have loaded it; each unwraps the keys of the other', {
  tags: 'long',
}, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-two-'));
  const { one, two } = await startTwo(folder.path);
  await using _one = one;
  await using _two = two;
  const ada = await one.person('ada');
  const there = new Person('ada', two.app.url, ada.token);
  const [here, beside] = [toServer(one), toServer(two)];
  const newKeyOf = async (server: typeof here) => {
    const key = (await listMasterKeys(server)).find(({ state }) => state === 'NEW');
    if (key === undefined) throw new Error('no key was published');
    return key;
  };
  const withoutKeyOf = async (server: typeof here) => countServersWithoutKey(here.db, await newKeyOf(server));

  expect((await addMasterKey(here)).json).toEqual({ version: '2', state: 'NEW' });
  await expect.poll(() => withoutKeyOf(here), patient).toEqual({ servers: 2, without: 1 });
  await expect(useMasterKey(here, { version: '2' })).rejects.toThrow('1 of 2 running servers have not loaded');
  expect(await exchange(ada, there, one)).toBe('1');

  // A different key under the same number is rejected.
  await addMasterKey(beside);
  await expect.poll(() => withoutKeyOf(beside), patient).toEqual({ servers: 2, without: 1 });
  await expect(useMasterKey(here, { version: '2' })).rejects.toThrow('1 of 2 running servers have not loaded');

  await copyKeys(one, two);
  await expect.poll(() => withoutKeyOf(here), patient).toEqual({ servers: 2, without: 0 });
  await useMasterKey(here, { version: '2' });
  expect([await activeOf(one), await activeOf(two)]).toEqual(['2', '1']);
  expect([await passKey(one, two), await passKey(two, one)]).toEqual(['2', '1']);
  expect(['1', '2']).toContain(await exchange(ada, there, one));
  await useMasterKey(beside, { version: '2' });
  expect([await activeOf(one), await activeOf(two)]).toEqual(['2', '2']);
  expect(await exchange(ada, there, one)).toBe('2');
  expect(await exchange(there, ada, one)).toBe('2');
  await expect(useMasterKey(here, { version: '2' })).rejects.toThrow('is ACTIVE, not NEW');
});

test('a version is not retired while a server still wraps with it', { tags: 'long' }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-two-'));
  const { one, two } = await startTwo(folder.path);
  await using _one = one;
  await using _two = two;
  const [here, beside] = [toServer(one), toServer(two)];
  await addMasterKey(here);
  await copyKeys(one, two);
  await expect.poll(() => useMasterKey(here, { version: '2' }).then(() => 'used', String), patient).toBe('used');
  one.clock.advance(120_000);
  const [old] = await listMasterKeys(here);
  if (old === undefined) throw new Error('there is no key');
  await expect.poll(() => countServersWrappingWith(here.db, old), patient).toBe(1);
  const retire = () => retireMasterKey(here, { version: '1' });
  await expect(retire()).rejects.toThrow('1 of the running servers wrap with master key version 1');
  await useMasterKey(beside, { version: '2' });
  await expect.poll(() => retire().then(({ json }) => json, String), patient).toEqual({ version: '1', retired: true });
});
