// Backups are sealed with their passphrase; those of earlier versions, in the clear, are still restored.
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { objectEntry } from '../../server/src/commands/backup/copy-objects.ts';
import { findBackup } from '../../server/src/commands/backup/restore-backup.ts';
import { computeMac, deriveBackupKeys, newSalt, seal, unseal } from '../../server/src/platform/backup/backup-keys.ts';
import { type BackupTarget, openFolderTarget } from '../../server/src/platform/backup/backup-target.ts';
import { listDatabasePieces } from '../../server/src/platform/backup/database-part.ts';
import { readPages } from '../../server/src/platform/backup/lists.ts';
import { type Piece, PieceDamaged, Pieces } from '../../server/src/platform/backup/pieces.ts';
import type { Person, TestApp } from '../support/app.ts';
import {
  BackupTargets,
  backUp,
  checkPieces,
  findPieces,
  keyringOf,
  listBackups,
  listFilesOf,
  openNewest,
  passphrase,
  restoreTo,
  verify,
} from '../support/backups.ts';
import { eachApp } from '../support/each-app.ts';
import { stopPostgres } from '../support/postgres.ts';
import { databaseOf, runServerCommand } from '../support/run-server-command.ts';
import { runCommand } from '../support/server-commands.ts';
import { sendFile } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 600_000 }); // each passphrase is stretched for half a second and more

const otherPassphrase = 'five large white dogs';
const targets = new BackupTargets();
afterEach(() => targets[Symbol.asyncDispose]());
afterAll(stopPostgres);

const secretName = 'merger-of-the-two-companies.txt';

async function storeTwo(original: TestApp): Promise<Person> {
  const alice = await original.person('alice');
  await sendFile(alice, Buffer.from('the text of the first file\n'.repeat(100)), secretName);
  await sendFile(alice, Buffer.from('the text of the second file\n'.repeat(100)), 'second.txt');
  await original.drain();
  return alice;
}

/** As an earlier version wrote it: every piece in the clear, under its own digest. */
async function writePlainCopy(target: BackupTarget): Promise<void> {
  const { content, pieces, keys } = await findBackup(target, undefined, keyringOf());
  const plain = new Pieces(target.pieces, null);
  const copy = async (one: Piece) => plain.copyIn(one, [await pieces.read(one)]);
  for (const page of [...content.database.pages, ...content.objects.pages]) await copy(page);
  for await (const some of listDatabasePieces(pieces, content)) for (const one of some) await copy(one);
  for await (const some of readPages(pieces, content.objects.pages, objectEntry))
    for (const { sha256, size } of some) await copy({ sha256, size });
  const own = await deriveBackupKeys(passphrase, newSalt());
  const keyFiles = unseal(keys.sealing, content.keys) ?? Buffer.alloc(0);
  const { format, ...rest } = content;
  const first = { ...rest, salt: own.salt, keys: seal(own.sealing, keyFiles) };
  const text = JSON.stringify({ format, formatVersion: 1, ...first });
  await target.createFile('backups/20200101T000000-000Z.json', Buffer.from(`${text}\n${computeMac(own, text)}\n`));
}

eachApp((start, engine) => {
  test('a backup holds no plain text of the installation, and no temporary database file is left', async () => {
    await using original = await start();
    await storeTwo(original);
    const { password_hash: hash } = await original.app.database.db
      .selectFrom('account')
      .select('password_hash')
      .executeTakeFirstOrThrow();
    const to = await targets.newFolder();
    await backUp(original, to);
    const telling = [secretName, 'alice', 'password_hash', 'SQLite format 3', 'tenant-', hash ?? ''];
    for (const path of await listFilesOf(to)) {
      const bytes = await readFile(path);
      expect(
        telling.filter(word => word !== '' && bytes.includes(word)),
        path,
      ).toEqual([]);
    }
    const folder = original.config.dataFolder;
    expect((await listFilesOf(folder)).filter(path => path.includes('database.part'))).toEqual([]);
  });

  test('a piece replaced by another piece is damaged', async () => {
    await using original = await start();
    await storeTwo(original);
    const to = await targets.newFolder();
    await backUp(original, to);
    await using target = openFolderTarget(to);
    const { content, pieces } = await findBackup(target, undefined, keyringOf());
    const [entries = []] = await Array.fromAsync(readPages(pieces, content.objects.pages, objectEntry));
    const [first, second] = await findPieces(to, entries.slice(0, 2));
    await copyFile(first ?? '', second ?? '');
    await expect(checkPieces({ content, pieces })).rejects.toThrow(PieceDamaged);
  });

  test('an unencrypted backup of an earlier version is restored, and pruned beside new ones', async () => {
    await using original = await start();
    await storeTwo(original);
    const to = await targets.newFolder();
    await backUp(original, to);
    {
      await using target = openFolderTarget(to);
      await writePlainCopy(target);
    }
    const [oldest = '', newest = ''] = await listBackups(to);
    expect(oldest).toMatch(/^2020/);
    const { config } = await restoreTo(await targets.newTarget(engine), to, { named: oldest });
    expect(await verify(config)).toMatchObject({ files: 2, problems: [] });

    const isPlain = (path: string) => basename(path).startsWith('pieces,');
    expect((await listFilesOf(to)).filter(isPlain)).not.toEqual([]);
    expect((await backUp(original, to, { keep: 3 })).otherPassphrase).toEqual([]);
    expect((await listFilesOf(to)).filter(isPlain)).not.toEqual([]);
    expect((await backUp(original, to, { keep: 3 })).removed).toBe(1);
    expect((await listFilesOf(to)).filter(isPlain)).toEqual([]);
    expect(await listBackups(to)).toContain(newest);
    const { config: again } = await restoreTo(await targets.newTarget(engine), to);
    expect(await verify(again)).toMatchObject({ files: 2, problems: [] });
  });

  test('backups with another passphrase are reported, and open with their own until they are pruned', async () => {
    await using original = await start();
    await storeTwo(original);
    const to = await targets.newFolder();
    expect(await backUp(original, to)).toMatchObject({ otherPassphrase: [], added: 2 });
    await backUp(original, to);
    const old = await listBackups(to);
    const [first = ''] = old;
    const told = await backUp(original, to, { passphrase: otherPassphrase, keep: 3 });
    expect(told).toMatchObject({ otherPassphrase: old, added: 2, removed: 0 });
    const { config } = await restoreTo(await targets.newTarget(engine), to, { named: first });
    expect((await verify(config)).problems).toEqual([]);
    const again = await backUp(original, to, { passphrase: otherPassphrase, keep: 2 });
    expect(again).toMatchObject({ otherPassphrase: [], added: 0, removed: 2 });
    const areas = new Set((await listFilesOf(join(to, 'objects'))).map(path => basename(path).split(',')[1]));
    expect(areas.size).toBe(1);
    await checkPieces(await openNewest(to, otherPassphrase));
  });

  test('a check with every passphrase in use opens all backups and reports which passphrase opens each', async () => {
    await using original = await start();
    await storeTwo(original);
    const [to, secrets] = [await targets.newFolder(), await targets.newFolder()];
    const files = await Promise.all(
      [passphrase, otherPassphrase, 'six very tiny mice'].map(async (text, nth) => {
        const file = join(secrets, `passphrase-${nth}`);
        await writeFile(file, `${text}\n`, { mode: 0o600 });
        return file;
      }),
    );
    for (const word of [passphrase, otherPassphrase]) await backUp(original, to, { passphrase: word });
    const [older = '', newer = ''] = await listBackups(to);
    const [oldFile = '', newFile = '', wrongFile = ''] = files;
    const check = async (...given: string[]) => {
      const flags = given.flatMap(file => ['--passphrase-file', file]);
      const { code, out } = await runCommand(['restore', '--check', '--json', '--from', to, ...flags], {});
      const { backups } = JSON.parse(out.slice(out.indexOf('{\n'))) as { backups: Record<string, unknown>[] };
      return [code, ...backups.map(({ backup, passphrase: file, problem }) => [backup, file ?? problem])];
    };
    const none = expect.stringMatching(/^none of the 2 passphrases is the one of /);
    expect(await check(wrongFile, oldFile, newFile)).toEqual([0, [newer, newFile], [older, oldFile]]);
    expect(await check(wrongFile, newFile)).toEqual([1, [newer, newFile], [older, none]]);
  });

  test('an altered manifest and a wrong passphrase are reported as different errors', async () => {
    await using original = await start();
    const to = await targets.newFolder();
    const { path } = await backUp(original, to);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"program":"', '"program":"x'));
    await expect(findBackup(openFolderTarget(to), undefined, keyringOf())).rejects.toThrow('was altered after');
    await expect(findBackup(openFolderTarget(to), undefined, keyringOf(otherPassphrase))).rejects.toThrow(
      'is not the one',
    );
  });

  test('a backup address with an unknown scheme is rejected, and no folder is created', async () => {
    await using original = await start();
    for (const target of ['s4://bucket/prefix', 'sftp://host/folder', 's3:bucket', 's3://B/x', 'file:///tmp/x']) {
      const command = ['backup', '--to', target, '--data', original.folder];
      const ended = await runServerCommand(command, {
        RECORDPROOF_BACKUP_PASSPHRASE: passphrase,
        ...databaseOf(original),
      }).ended;
      expect(ended, target).toMatchObject({ code: 64 });
      expect(existsSync(target.split('/')[0] ?? ''), target).toBe(false);
    }
  });
});
