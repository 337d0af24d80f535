// A backup does not know where the objects came from: out of a bucket and into a folder, and the other way round.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { findBackup, restoreBackup } from '../../server/src/commands/backup/restore-backup.ts';
import { takeBackup } from '../../server/src/commands/backup/take-backup.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { checkEverything } from '../support/check-everything.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { sendFile, storeProxied } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const whyNot = whyNoCeph();
const passphrase = 'five small grey cats';
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-backup-s3-'));
  folders.push(folder);
  return folder;
}

type Env = Readonly<Record<string, string>>;

/** The installation of the server, restored to where the settings say; answers those settings. */
async function move({ app, config }: TestApp, settings: Env): Promise<Env> {
  const to = await newFolder();
  const keys = openServerKeys(config.keysFolder, { create: false });
  await using objects = await openConfiguredStore(config);
  const tell = () => {};
  await takeBackup({ config, database: app.database, keys, objects }, { to, passphrase, isQuick: false, tell });
  const env = { RECORDPROOF_DATA: join(await newFolder(), 'new'), ...settings };
  const backup = await findBackup(to, undefined, passphrase);
  await restoreBackup(await readConfig([], env), backup, { from: to, tell });
  return env;
}

describe.skipIf(whyNot !== null)(`backups and S3${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  afterAll(stopS3);

  test('objects move from a bucket to a folder and from a folder to a bucket', async () => {
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
});
