// Backups are independent of the kind of object store: from a bucket to a folder, and from a folder to a bucket.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openBackupTarget } from '../../server/src/commands/backup/open-target.ts';
import { findBackup, restoreBackup } from '../../server/src/commands/backup/restore-backup.ts';
import { writeBackup } from '../../server/src/commands/backup/write-backup.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { openFolderTarget } from '../../server/src/platform/backup/backup-target.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { keyringOf, passphrase } from '../support/backups.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { checkEverything } from '../support/check-everything.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { runServerCommand } from '../support/run-server-command.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { sendFile, storeProxied } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const whyNot = whyNoCeph();
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-backup-s3-'));
  folders.push(folder);
  return folder;
}

type Env = Readonly<Record<string, string>>;

/** Restores the server's installation to the locations in the settings; returns those settings. */
async function move({ app, config }: TestApp, settings: Env): Promise<Env> {
  const to = await newFolder();
  const keys = openServerKeys(config.keysFolder, { create: false });
  await using objects = await openConfiguredStore(config);
  const tell = () => {};
  await using target = openFolderTarget(to);
  const source = { config, database: app.database, keys, objects };
  await writeBackup(source, { target, keyring: keyringOf(), isQuick: false, tell });
  const env = { RECORDPROOF_DATA: join(await newFolder(), 'new'), ...settings };
  const backup = await findBackup(target, undefined, keyringOf());
  await restoreBackup(await readConfig([], env), backup, { from: target, tell });
  return env;
}

describe.skipIf(whyNot !== null)(`backups and S3${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  afterAll(stopS3);

  test('objects are moved from a bucket to a folder and from a folder to a bucket', async () => {
    await using original = await startApp({ engine: 'sqlite', env: await s3Settings() });
    const alice = await original.person('alice');
    await sendFile(alice, Buffer.from('in one call'));
    await storeProxied(alice, Buffer.alloc(20_000, 'c'), { chunkSize: 8192 });
    await original.drain();

    const onDisk = await move(original, {});
    await using second = await startApp({ folder: onDisk.RECORDPROOF_DATA ?? '', env: onDisk, clock: original.clock });
    await second.drain();
    await checkEverything(second);

    const bucket = await s3Settings();
    const inBucket = await move(second, bucket);
    await using third = await startApp({ folder: inBucket.RECORDPROOF_DATA ?? '', env: inBucket, clock: second.clock });
    await third.drain();
    await checkEverything(third);
    await expect(move(second, bucket)).rejects.toThrow('is not empty');
  });

  test('backups in a bucket are created, listed, checked, removed and restored, also with damage', async () => {
    const { RECORDPROOF_S3_BUCKET: bucket = '', ...connection } = await s3Settings();
    const settings = Object.fromEntries(
      Object.entries(connection).map(([name, value]) => [name.replace('PROOF_S3', 'PROOF_BACKUP_S3'), value]),
    );
    const to = `s3://${bucket}/nightly/server-1`;
    await using original = await startApp({ engine: 'sqlite' });
    const alice = await original.person('alice');
    await sendFile(alice, Buffer.from('in one call'), 'first.txt');
    await storeProxied(alice, Buffer.alloc(20_000_000, 'c'), { chunkSize: 16_000_000, name: 'large.bin' });
    await original.drain();
    const env = { RECORDPROOF_BACKUP_PASSPHRASE: passphrase, RECORDPROOF_BACKUP_TO: to, ...settings };
    const run = (...args: string[]) => runServerCommand(args, env).ended;

    for (const keep of ['3', '2', '2'])
      expect(await run('backup', '--keep', keep, '--data', original.folder)).toMatchObject({ code: 0 });
    const listed = await run('restore', '--list', '--json');
    const { backups } = JSON.parse(listed.out) as { backups: { isEncrypted: boolean }[] };
    expect(backups.map(({ isEncrypted }) => isEncrypted)).toEqual([true, true]);
    expect(await run('restore', '--check')).toMatchObject({ code: 0 });
    const dataFolder = join(await newFolder(), 'new');
    expect(await run('restore', '--verify', '--data', dataFolder)).toMatchObject({ code: 0 });

    await using target = await openBackupTarget(to, await readConfig([], env));
    const { pieces, content } = await findBackup(target, undefined, keyringOf());
    const { db } = original.app.database;
    const object = await db.selectFrom('stored_object').selectAll().orderBy('size').executeTakeFirstOrThrow();
    await pieces.remove({ sha256: object.sha256, size: object.size });
    expect(await run('restore', '--check')).toMatchObject({ code: 2, out: expect.stringContaining(object.path) });
    const partial = await run('restore', '--keep-going', '--verify', '--data', join(await newFolder(), 'new'));
    expect(partial).toMatchObject({ code: 2, out: expect.stringContaining('alice: first.txt (11 bytes)') });
    expect(content.objects.count).toBe(3);
    await using other = await startApp({ engine: 'sqlite' });
    expect(await run('backup', '--data', other.folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('another installation'),
    });
  });

  test('the bucket that holds the objects is rejected as the backup location', async () => {
    const settings = await s3Settings();
    await using original = await startApp({ engine: 'sqlite', env: settings });
    const env = { RECORDPROOF_BACKUP_PASSPHRASE: passphrase, ...settings };
    const command = ['backup', '--to', `s3://${settings.RECORDPROOF_S3_BUCKET}/backups`, '--data', original.folder];
    expect(await runServerCommand(command, env).ended).toMatchObject({ code: 64 });
    const unset = ['restore', '--list', '--from', 's3://bucket-of-nobody'];
    expect(await runServerCommand(unset, {}).ended).toMatchObject({ code: 78 });
  });
});
