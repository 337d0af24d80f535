import { randomBytes } from 'node:crypto';
import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { putKeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { startUpload } from '@recordproof/shared/api/uploads.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { beginRotation, rotating, toLocal } from '../../../test/support/rotations.ts';
import { storeProxied, toPlan } from '../../../test/support/uploads.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, useMasterKey } from './master-keys.ts';

const toPlace = ({ app, config, clock }: TestApp) => ({ database: app.database, config, clock });

test('a new master key is taken up by the running server, and what the old one wrapped still opens', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const bytes = randomBytes(1000);
  const before = await storeProxied(ada, bytes);
  expect(await addMasterKey(toPlace(app))).toContain('version 2');
  expect(await listMasterKeys(toPlace(app))).toMatch(/version 1\tOLD.*\n.*version 2\tACTIVE/);
  await storeProxied(ada, randomBytes(10));
  const rows = await app.app.database.db.selectFrom('envelope').select('provider_key_version').orderBy('id').execute();
  expect(rows.map(row => row.provider_key_version)).toEqual(['1', '2']);
  const answer = await ada.fetch(downloadFile.path.replace('{hash}', before.fileHash));
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a version that files or uploads under way need is not retired, and one that nothing needs is', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const place = toPlace(app);
  const { clientId } = await ada.call(startUpload, { body: toPlan(randomBytes(5000)) });
  await addMasterKey(place);
  await expect(retireMasterKey(place, { version: '1' })).rejects.toThrow('less than a minute ago');
  app.clock.advance(61_000);
  await expect(retireMasterKey(place, { version: '1' })).rejects.toThrow('uploads under way');
  await app.app.database.db
    .updateTable('upload')
    .set({ status: 'CANCELLED' })
    .where('client_id', '=', clientId)
    .execute();
  await storeProxied(ada, randomBytes(10));
  await addMasterKey(place);
  app.clock.advance(61_000);
  await expect(retireMasterKey(place, { version: '2' })).rejects.toThrow('still wrapped by master key version 2');
  expect(await retireMasterKey(place, { version: '1' })).toContain('forgotten');
  expect(await listMasterKeys(place)).not.toContain('version 1\t');
  await expect(retireMasterKey(place, { version: '3' })).rejects.toThrow('active master key cannot be removed');
  await expect(retireMasterKey(place, { version: undefined })).rejects.toThrow('--version N');
});

test('servers that may share a database get a new master key first, and use it when all have it', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const place = toPlace(app);
  const shared = { ...place, database: { db: app.app.database.db, kind: 'postgres' as const } };
  expect(await addMasterKey(shared)).toContain('wraps nothing yet');
  expect(await listMasterKeys(place)).toMatch(/version 1\tACTIVE.*\n.*version 2\tNOT YET USED/);
  await storeProxied(ada, randomBytes(10));
  await expect(useMasterKey(place, { version: '3' })).rejects.toThrow('no master key version "3"');
  await expect(useMasterKey(place, {})).rejects.toThrow('--version N');
  expect(await useMasterKey(place, { version: '2' })).toContain('version 2');
  await storeProxied(ada, randomBytes(20));
  const rows = await app.app.database.db.selectFrom('envelope').select('provider_key_version').orderBy('id').execute();
  expect(rows.map(row => row.provider_key_version)).toEqual(['1', '2']);
});

test('a version that a key rotation keeps for a while is retired after that, or when asked for by name', async () => {
  await using app = await startApp({ env: rotating });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const place = toPlace(app);
  await storeProxied(ada, randomBytes(10));
  await addMasterKey(place);
  await root.call(putKeyRotationPolicy, toLocal('2', { gracePeriodSeconds: 7 * 86_400 }));
  await beginRotation(root, 'APPLY');
  await app.drain();
  app.clock.advance(3_600_000);
  await expect(retireMasterKey(place, { version: '1' })).rejects.toThrow(
    /of tenant ".*" keeps master key version 1 until/,
  );
  expect(await listMasterKeys(place)).toContain('version 1\t');
  app.clock.advance(7 * 86_400_000);
  expect(await retireMasterKey(place, { version: '1' })).toContain('forgotten');
});

test.skipIf(process.getuid?.() !== 0)('a key file that root changes stays that of its owner', async () => {
  await using app = await startApp();
  const path = join(app.config.keysFolder, 'master-keys.json');
  await storeProxied(await app.person('ada'), randomBytes(10));
  await chown(path, 12_345, 12_345);
  await addMasterKey(toPlace(app));
  expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_345 });
});
