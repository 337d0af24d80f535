// Backups beside a working server: completeness, incremental copies, pruning, damage detection and restore.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteFile, downloadFile } from '@recordproof/shared/api/files.ts';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Person, startApp } from '../../../../test/support/app.ts';
import {
  alter,
  BackupTargets,
  backUp,
  checkPieces,
  keyringOf,
  listBackups,
  listFilesOf,
  openNewest,
  restoreTo,
  verify,
} from '../../../../test/support/backups.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { stopPostgres } from '../../../../test/support/postgres.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { sendFile, sendProxied } from '../../../../test/support/uploads.ts';
import { readConfig } from '../../config/config.ts';
import { withoutDeletions } from '../../features/stored-objects/index.ts';
import { openFolderTarget } from '../../platform/backup/backup-target.ts';
import { PieceDamaged } from '../../platform/backup/pieces.ts';
import { StartError } from '../../platform/installation.ts';
import { readKeyFiles } from './key-files.ts';
import { findBackup, restoreBackup } from './restore-backup.ts';

vi.setConfig({ testTimeout: 600_000 }); // each passphrase is stretched for half a second and more

const hourMs = 3_600_000;
const tell = () => {};
const targets = new BackupTargets();

afterEach(() => targets[Symbol.asyncDispose]());
afterAll(stopPostgres);

const textOf = (index: number) => Buffer.from(`the text of file number ${index}\n`.repeat(50));

async function storeSome(person: Person, count: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { data } = await sendFile(person, textOf(index), `file-${index}.txt`);
    hashes.push(data.fileHash);
  }
  return hashes;
}

async function read(person: Person, fileHash: string): Promise<Buffer> {
  const answer = await person.fetch(downloadFile.path.replace('{hash}', fileHash));
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

const maxTurns = 40;

/** Runs beside the work, again and again. */
async function whileDoing<T>(work: Promise<T>, load: (turn: number) => Promise<void>): Promise<T> {
  let isOver = false;
  const loading = (async () => {
    for (let turn = 0; !isOver && turn < maxTurns; turn += 1) await load(turn);
  })();
  try {
    return await work;
  } finally {
    isOver = true;
    await loading;
  }
}

eachApp(start => {
  test('a backup made during uploads and deletions restores the same installation elsewhere', async () => {
    await using original = await start();
    const alice = await original.person('alice');
    const hashes = await storeSome(alice, 5);
    await sendProxied(alice, Buffer.alloc(9000, 'u'), { chunkSize: 4096, name: 'unfinished.bin' });
    await original.drain();

    const to = await targets.newFolder();
    const { manifest } = await whileDoing(backUp(original, to), async turn => {
      const { data } = await sendFile(alice, textOf(100 + turn), `later-${turn}.txt`);
      if (turn % 2 === 0) await alice.call(deleteFile, { params: { hash: data.fileHash } });
      await original.drain();
    });
    expect(manifest.lost).toEqual({ count: 0, first: [] });

    const env = await targets.newTarget();
    const { config } = await restoreTo(env, to);
    const { problems, files } = await verify(config);
    expect(problems).toEqual([]);
    expect(files).toBeGreaterThanOrEqual(5);

    await using restored = await startApp({ folder: config.dataFolder, env, clock: original.clock });
    await restored.drain();
    await checkEverything(restored);
    // Sessions go on: it is the same server, with the same keys.
    const again = new Person('alice', restored.app.url, alice.token);
    for (const [index, hash] of hashes.entries()) expect(await read(again, hash)).toEqual(textOf(index));
    await sendFile(again, textOf(999), 'after.txt');
    await restored.drain();
    await checkEverything(restored);
  });

  test('a second backup copies only new objects, and each backup can be restored', {
    tags: 'long-on-postgres',
  }, async () => {
    await using original = await start();
    const alice = await original.person('alice');
    await storeSome(alice, 4);
    await original.drain();
    const to = await targets.newFolder();
    const first = await backUp(original, to);
    expect(first.added).toBe(4);
    const { data } = await sendFile(alice, textOf(77), 'new.txt');
    await original.drain();
    const second = await backUp(original, to, { isQuick: true });
    expect(second.added).toBe(1);
    expect(await listBackups(to)).toHaveLength(2);

    const config = await readConfig([], await targets.newTarget());
    const older = await findBackup(openFolderTarget(to), (await listBackups(to))[0], keyringOf());
    await restoreBackup(config, older, { from: openFolderTarget(to), tell });
    expect((await verify(config)).problems).toEqual([]);
    expect((await verify(config)).files).toBe(4);
    const { config: newer } = await restoreTo(await targets.newTarget(), to);
    expect(await verify(newer)).toMatchObject({ files: 5, problems: [] });
    expect(data.fileHash).toBeDefined();
  });

  test('pruned backups are removed with the objects that only they referenced', { tags: 'long' }, async () => {
    await using original = await start();
    const alice = await original.person('alice');
    const [first = ''] = await storeSome(alice, 2);
    await original.drain();
    const to = await targets.newFolder();
    await backUp(original, to);
    const { db } = original.app.database;
    await db.updateTable('account').set({ nickname: 'another' }).where('username', '=', 'alice').execute();
    await alice.call(deleteFile, { params: { hash: first } });
    const count = async () => (await listFilesOf(join(to, 'objects'))).length;
    await backUp(original, to);
    const before = await count();
    const { removed } = await backUp(original, to, { keep: 1 });
    expect(removed).toBe(2);
    expect(await listBackups(to)).toHaveLength(1);
    expect(await count()).toBeLessThan(before);
    expect((await verify((await restoreTo(await targets.newTarget(), to)).config)).problems).toEqual([]);
  });

  test('a backup that was just made is never pruned, even beside one with a later date', { tags: 'long' }, async () => {
    await using original = await start();
    const to = await targets.newFolder();
    await backUp(original, to);
    const [first = ''] = await listBackups(to);
    await rename(join(to, 'backups', first), join(to, 'backups', '29990101T000000-000Z.json'));
    const { path, removed } = await backUp(original, to, { keep: 1 });
    expect(removed).toBe(1);
    expect((await listBackups(to)).map(name => join(to, 'backups', name))).toEqual([path]);
    await checkPieces(await openNewest(to));
  });

  test('a backup is complete and recorded although an earlier one is damaged and cannot be pruned', {
    tags: 'long',
  }, async () => {
    await using original = await start();
    const to = await targets.newFolder();
    await backUp(original, to);
    const [damaged = ''] = await listBackups(to);
    await writeFile(join(to, 'backups', damaged), 'nonsense');
    const { removed, pruneProblem } = await backUp(original, to, { keep: 2 });
    expect({ removed, pruneProblem }).toEqual({ removed: 0, pruneProblem: expect.stringContaining('is damaged') });
    await checkPieces(await openNewest(to));
    expect(await listBackups(to)).toHaveLength(2);
  });

  test('the draft of a key that is being written is not backed up', { tags: 'long-on-postgres' }, async () => {
    await using original = await start();
    const { keysFolder } = original.config;
    await writeFile(join(keysFolder, 'master-keys.json.0123456789ab.part'), 'half');
    expect(Object.keys(await readKeyFiles(keysFolder)).filter(name => name.endsWith('.part'))).toEqual([]);
  });

  test('concurrent backups into one folder: all but one are rejected as under way', async () => {
    await using original = await start();
    const to = await targets.newFolder();
    const rivals = await Promise.allSettled([backUp(original, to), backUp(original, to), backUp(original, to)]);
    const rejected = rivals.flatMap(rival => (rival.status === 'rejected' ? [rival.reason] : []));
    expect(rejected.length).toBeGreaterThan(0);
    for (const reason of rejected) expect(String(reason)).toContain('is under way');
    expect(await listBackups(to)).toHaveLength(rivals.length - rejected.length);
  });

  test('objects deleted during a backup keep their bytes until the backup is complete', {
    tags: 'long-on-postgres',
  }, async () => {
    await using original = await start({ env: { FILES_RETENTION_DAYS: '0' } });
    const alice = await original.person('alice');
    const [hash = ''] = await storeSome(alice, 1);
    await original.drain();
    await using objects = await openConfiguredStore(original.config);
    const count = async () => (await Array.fromAsync(objects.list('short/'))).length;
    const { db, kind: engine } = original.app.database;
    // Held from a machine whose clock is ahead: the hours that pass here do not end it.
    const clock = { now: () => original.clock.now() + 4 * hourMs };
    await withoutDeletions({ db, engine, clock }, async () => {
      await alice.call(deleteFile, { params: { hash } });
      original.clock.advance(hourMs);
      await original.drain();
      expect(await count()).toBe(1);
    });
    original.clock.advance(hourMs);
    await original.drain();
    expect(await count()).toBe(0);
  });

  test('a flipped bit in any file of a backup is detected, and a restore of it does not start', {
    tags: 'long-on-postgres',
  }, async () => {
    await using original = await start();
    await storeSome(await original.person('alice'), 2);
    await original.drain();
    const to = await targets.newFolder();
    await backUp(original, to);
    const opened = await openNewest(to);
    await checkPieces(opened);
    const files = await listFilesOf(join(to, 'objects'));
    expect(files.length).toBeGreaterThan(4);
    for (const path of files) {
      await alter(path);
      await expect(checkPieces(opened), path).rejects.toThrow(PieceDamaged);
      await alter(path);
    }
    await checkPieces(opened);
    const [manifest = ''] = await listFilesOf(join(to, 'backups'));
    await alter(manifest);
    await expect(findBackup(openFolderTarget(to), undefined, keyringOf())).rejects.toThrow(/altered|damaged/);
    await alter(manifest);

    await alter(files.at(-1) ?? '');
    const env = await targets.newTarget();
    await expect(restoreTo(env, to)).rejects.toThrow('damaged');
    await expect(startApp({ folder: env.RECORDPROOF_DATA ?? '', env })).rejects.toThrow(StartError);
  });

  test('damaged pieces are written again by the next backup, and earlier backups are complete again', {
    tags: 'long',
  }, async () => {
    await using original = await start();
    await storeSome(await original.person('alice'), 2);
    await original.drain();
    const to = await targets.newFolder();
    await backUp(original, to);
    const { content, pieces } = await findBackup(openFolderTarget(to), undefined, keyringOf());
    const before = await listFilesOf(join(to, 'objects'));
    for (const path of before) await alter(path);
    const { mended } = await backUp(original, to);
    expect(mended).toBeGreaterThanOrEqual(2);
    await checkPieces(await openNewest(to));
    for (const page of content.objects.pages) await pieces.check(page);
    expect((await verify((await restoreTo(await targets.newTarget(), to)).config)).problems).toEqual([]);
    expect((await backUp(original, to)).mended).toBe(0);
  });

  test('a backup needs its passphrase, an empty folder to restore into, and a folder of its own', {
    tags: 'long-on-postgres',
  }, async () => {
    await using original = await start();
    await storeSome(await original.person('alice'), 1);
    await original.drain();
    const to = await targets.newFolder();
    await backUp(original, to);
    await expect(findBackup(openFolderTarget(to), undefined, keyringOf('five small grey dogs'))).rejects.toThrow(
      'passphrase is not the one',
    );
    const backup = await findBackup(openFolderTarget(to), undefined, keyringOf());
    await expect(restoreBackup(original.config, backup, { from: openFolderTarget(to), tell })).rejects.toThrow(
      'is not empty',
    );
    await expect(backUp(original, original.config.keysFolder)).rejects.toThrow('contains other files');
    await using other = await start();
    await expect(backUp(other, to)).rejects.toThrow('another installation');
  });

  test('missing and damaged objects of the installation are reported, and the rest is backed up', {
    tags: 'long',
  }, async () => {
    await using original = await start();
    const alice = await original.person('alice');
    await storeSome(alice, 3);
    await original.drain();
    const { db } = original.app.database;
    const [lost, altered] = await db.selectFrom('stored_object').selectAll().orderBy('id').execute();
    await using objects = await openConfiguredStore(original.config);
    await objects.delete(lost?.path ?? '');
    await alter(objects.files?.pathOf(altered?.path ?? '') ?? '');
    const to = await targets.newFolder();
    const { manifest } = await backUp(original, to);
    expect(manifest.lost).toEqual({ count: 2, first: [`${altered?.path} is damaged`, `${lost?.path} is missing`] });
    const { config } = await restoreTo(await targets.newTarget(), to);
    expect((await verify(config)).problems).toHaveLength(2);
  });

  test('files in a database without a ledger are no sound installation', async () => {
    await using original = await start();
    await storeSome(await original.person('alice'), 1);
    await original.drain();
    await original.app.database.db.deleteFrom('ledger_log').execute();
    expect((await verify(original.config)).problems).toEqual([
      'the files of default could not be checked: the database has no ledger',
    ]);
  });

  test('a file whose key cannot be opened is a problem of the restored installation', { tags: 'long' }, async () => {
    await using original = await start({ env: laptop });
    const alice = await original.person('alice');
    await storeSome(alice, 4);
    await original.drain();
    const { db } = original.app.database;
    const [gone, altered, unsigned] = await db.selectFrom('file').select('id').orderBy('id').execute();
    const envelope = db.updateTable('envelope').set({ wrapped_key: Buffer.alloc(60) });
    await db
      .deleteFrom('envelope')
      .where('file_id', '=', gone?.id ?? 0)
      .execute();
    await envelope.where('file_id', '=', altered?.id ?? 0).execute();
    const proof = db.updateTable('proof').set({ signature: 'AAAA' });
    await proof.where('file_id', '=', unsigned?.id ?? 0).execute();
    const to = await targets.newFolder();
    await backUp(original, to);
    const { config } = await restoreTo(await targets.newTarget(), to);
    expect((await verify(config)).problems).toEqual([
      `file ${gone?.id}: MANIFEST_INVALID: no envelope has the key of this file for its owner`,
      expect.stringMatching(`^file ${altered?.id}: MANIFEST_INVALID: the key of this file cannot be opened: `),
      expect.stringMatching(`^file ${unsigned?.id}: MANIFEST_INVALID: the proof does not match: `),
    ]);
  });
});
