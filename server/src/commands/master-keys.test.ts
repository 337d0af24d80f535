// @module-tag long-on-postgres
// Commands for local master keys: new versions beside a running server, and conditions of a retirement.
import { randomBytes } from 'node:crypto';
import { chown, mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startUpload } from '@recordproof/shared/api/chunked-uploads.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { getKeyRotationPolicy, putKeyRotationPolicy, startKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { storeProxied, toPlan } from '../../../test/support/uploads.ts';
import { countServersWrappingWith } from '../compose/announce-keys.ts';
import { openLocalKeys } from '../platform/crypto/local-keys.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, toMasterKeyLine, useMasterKey } from './master-keys.ts';

const patient = { timeout: 60_000 };

/** Published and used: the running server has it within a second, and says so within another. */
async function activate(server: Parameters<typeof addMasterKey>[0]): Promise<void> {
  const old = (await listMasterKeys(server)).find(key => key.state === 'ACTIVE');
  const { version, state } = (await addMasterKey(server)).json as { version: string; state: string };
  if (state !== 'NEW' || old === undefined) return;
  await expect.poll(() => useMasterKey(server, { version }), patient).toBeTruthy();
  await expect.poll(() => countServersWrappingWith(server.db, old), patient).toBe(0);
}

const toServer = ({ app, config, clock }: TestApp) => ({ db: app.database.db, config, clock });

test('a running server uses a new master key, and files wrapped by the old one still open', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const bytes = randomBytes(1000);
  const before = await storeProxied(ada, bytes);
  await activate(toServer(app));
  expect((await listMasterKeys(toServer(app))).map(toMasterKeyLine).join('')).toMatch(
    /version 1\tOLD.*\n.*version 2\tACTIVE/,
  );
  await storeProxied(ada, randomBytes(10));
  const rows = await app.app.database.db.selectFrom('envelope').select('provider_key_version').orderBy('id').execute();
  expect(rows.map(row => row.provider_key_version)).toEqual(['1', '2']);
  const answer = await ada.fetch(downloadFile.path.replace('{hash}', before.fileHash));
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a master key version is retired only when no file and no active upload needs it', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const server = toServer(app);
  const { clientId } = await ada.call(startUpload, { body: toPlan(randomBytes(5000)) });
  await activate(server);
  await expect(retireMasterKey(server, { version: '1' })).rejects.toThrow('less than a minute');
  app.clock.advance(61_000);
  await expect(retireMasterKey(server, { version: '1' })).rejects.toThrow(
    /^1 unfinished uploads need master key version 1; .* they expire by 20\d\d-.*Z\.$/,
  );
  await app.app.database.db
    .updateTable('upload')
    .set({ status: 'CANCELLED' })
    .where('client_id', '=', clientId)
    .execute();
  await storeProxied(ada, randomBytes(10));
  await activate(server);
  app.clock.advance(61_000);
  await expect(retireMasterKey(server, { version: '2' })).rejects.toThrow('still wrapped by master key version 2');
  expect((await retireMasterKey(server, { version: '1' })).text).toContain('forgotten');
  expect((await listMasterKeys(server)).map(({ version }) => version)).not.toContain('1');
  await expect(retireMasterKey(server, { version: '3' })).rejects.toThrow('active master key cannot be removed');
  await expect(retireMasterKey(server, {})).rejects.toThrow('--version N');
  await expect(retireMasterKey(server, { version: '9' })).rejects.toThrow('there is no master key version 9');
});

test('a version that a key rotation policy needs is kept, with the reason, except with --despite-grace', async () => {
  await using app = await startApp({ env: { KEY_ROTATION_ENABLED: 'true' } });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const server = toServer(app);
  await storeProxied(ada, randomBytes(10));
  await activate(server);
  const graceSeconds = 3600;
  const target = { expectedProvider: 'local', expectedProviderContract: 1, expectedProviderKeyVersion: '2' };
  const body = { ...target, targetLogicalKeyVersion: 2, gracePeriodSeconds: graceSeconds };
  await root.call(putKeyRotationPolicy, { body });
  await root.call(startKeyRotation, { body: { requestId: 'now', mode: 'APPLY' } });
  await app.drain();
  const { retirement } = await root.call(getKeyRotationPolicy);
  expect(retirement.reason).toBe('GRACE_PERIOD');
  app.clock.advance(61_000);
  const retired = retireMasterKey(server, { version: '1' });
  await expect(retired).rejects.toThrow(
    `tenant "default" still needs it: the grace period is not over (until ${retirement.readyAt})`,
  );
  await expect(retireMasterKey(server, { version: '2' })).rejects.toThrow('still wrapped by master key version 2');
  app.clock.advance(graceSeconds * 1000);
  expect((await retireMasterKey(server, { version: '1' })).json).toEqual({ version: '1', retired: true });
  await activate(server);
  app.clock.advance(61_000);
  await app.app.database.db.deleteFrom('envelope').execute();
  await expect(retireMasterKey(server, { version: '2' })).rejects.toThrow('names this version as its target');
  await retireMasterKey(server, { version: '2', 'despite-grace': true });
  expect((await listMasterKeys(server)).map(({ version }) => version)).toEqual(['3']);
});

test.runIf(process.getuid?.() === 0)('a key file changed by root keeps its owner', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-'));
  const path = join(folder.path, 'master-keys.json');
  await chown(folder.path, 1234, 4321);
  const keys = await openLocalKeys({ path, createIfMissing: true });
  const ownerOf = async () => {
    const { uid, gid, mode } = await stat(path);
    return { uid, gid, mode: mode & 0o777 };
  };
  expect(await ownerOf()).toEqual({ uid: 1234, gid: 4321, mode: 0o600 });
  await chown(path, 2345, 5432);
  await keys.addVersion();
  expect(await ownerOf()).toEqual({ uid: 2345, gid: 5432, mode: 0o600 });
});
