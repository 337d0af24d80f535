// Signing keys of proofs: creation at the first start, concurrent servers, and new versions.
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { KeyFileError } from '../../platform/crypto/server-keys.ts';
import { listKeys } from './queries.ts';
import { openLocalSigningKeys } from './signing-keys.ts';

const keysOf = ({ app, config, clock }: TestApp) =>
  openLocalSigningKeys({ db: app.database.db, folder: config.keysFolder, clock });

test('the first key is created at the first start, is readable by its owner only, and is kept', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const path = join(app.config.keysFolder, 'proof-signing-1.pem');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const [key] = await listKeys(app.app.database.db);
  expect(key).toMatchObject({ key_version: 1, status: 'ACTIVE', provider: 'local-ed25519', provider_contract: 1 });
  expect(JSON.stringify(key)).not.toContain('PRIVATE');
  expect(await keysOf(app).current()).toEqual(key);
});

test('concurrent servers create one key', async () => {
  await using app = await startApp();
  const { db } = app.app.database;
  await db.deleteFrom('proof_key').execute();
  const made = await Promise.all(Array.from({ length: 10 }, () => keysOf(app).current()));
  expect(new Set(made.map(key => key.fingerprint)).size).toBe(1);
  expect(await listKeys(db)).toHaveLength(1);
});

test('a new key version signs from then on, and the old one stays listed', async () => {
  await using app = await startApp();
  const keys = keysOf(app);
  const old = await keys.current();
  const renewed = await keys.addVersion();
  expect(renewed).toMatchObject({ key_id: old.key_id, key_version: 2, status: 'ACTIVE' });
  expect((await keysOf(app).current()).key_version).toBe(2);
  expect((await listKeys(app.app.database.db)).map(key => key.status)).toEqual(['RETIRED', 'ACTIVE']);
});

const spoiling: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'can be read by others': path => chmod(path, 0o644),
  'is gone': path => rename(path, `${path}.gone`),
  'is no key': path => writeFile(path, 'not a key'),
  'is another key': async path => {
    await using other = await startApp();
    await writeFile(path, await readFile(join(other.config.keysFolder, 'proof-signing-1.pem')));
  },
};

test.each(Object.entries(spoiling))(
  'a server whose key file %s does not start',
  { tags: 'long-on-postgres' },
  async (_what, spoil) => {
    await using app = await startApp();
    await app.app[Symbol.asyncDispose]();
    await spoil(join(app.config.keysFolder, 'proof-signing-1.pem'));
    await expect(startApp({ folder: app.folder })).rejects.toThrow(KeyFileError);
  },
);
