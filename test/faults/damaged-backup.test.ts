// Restoring from a backup whose pieces are damaged: everything intact comes back, what is lost is named, and the restored
// installation knows it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { findBackup } from '../../server/src/commands/backup/restore-backup.ts';
import { BackupDamaged, openFolderTarget } from '../../server/src/platform/backup/backup-target.ts';
import type { Piece } from '../../server/src/platform/backup/pieces.ts';
import { Person, startApp, type TestApp } from '../support/app.ts';
import {
  alter,
  BackupTargets,
  backUp,
  findPieces,
  keyringOf,
  listBackups,
  passphrase,
  restoreTo,
  verify,
} from '../support/backups.ts';
import { eachApp } from '../support/each-app.ts';
import { stopPostgres } from '../support/postgres.ts';
import { runServerCommand } from '../support/run-server-command.ts';
import { sendMany } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 600_000 }); // each passphrase is stretched for half a second and more

const targets = new BackupTargets();
afterEach(() => targets[Symbol.asyncDispose]());
afterAll(stopPostgres);

const filesAtOnce = 100;
const countOfFiles = Number(process.env.BACKUP_FILES ?? 300);

type Stored = { readonly owner: Person; readonly path: string; readonly name: string; readonly hash: string };

const bytesOf = ({ owner, path, name }: Omit<Stored, 'hash'>): Buffer => Buffer.from(`${owner.name} ${path} ${name}`);

async function storeMany(owner: Person, count: number, path: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (let from = 0; from < count; from += filesAtOnce) {
    const files = Array.from({ length: Math.min(filesAtOnce, count - from) }, (_, index) => {
      const name = `${from + index}.txt`;
      return { bytes: bytesOf({ owner, path, name }), name, path };
    });
    const { data } = await sendMany(owner, files);
    for (const [index, result] of data.results.entries())
      stored.push({
        owner,
        path,
        name: files[index]?.name ?? '',
        hash: result.status === 'STORED' ? result.fileHash : '',
      });
  }
  return stored;
}

/** The only object of each file, by the hash of the file. */
async function listObjects({ app }: TestApp): Promise<Map<string, Piece>> {
  const { db } = app.database;
  const files = await db.selectFrom('file').select(['id', 'file_hash']).execute();
  const held = await db
    .selectFrom('object_hold')
    .innerJoin('stored_object', 'stored_object.id', 'object_hold.object_id')
    .select(['holder', 'sha256', 'size'])
    .execute();
  const objects = new Map(held.map(({ holder, ...object }) => [holder, object]));
  return new Map(
    files.flatMap(({ id, file_hash }) => {
      const object = objects.get(`file:${id}`);
      return object === undefined ? [] : [[file_hash, object]];
    }),
  );
}

const objectsOf = (objects: ReadonlyMap<string, Piece>, files: readonly Stored[]): Piece[] =>
  files.flatMap(({ hash }) => objects.get(hash) ?? []);

/** Two people with files in folders, and a backup of them. */
async function makeBackup(original: TestApp, count: number): Promise<{ stored: Stored[]; to: string }> {
  const [alice, bob] = [await original.person('alice'), await original.person('bob')];
  const stored = [
    ...(await storeMany(alice, count / 2, 'Reports/2024')),
    ...(await storeMany(bob, count / 2, 'Letters')),
  ];
  await original.drain();
  const to = await targets.newFolder();
  await backUp(original, to);
  return { stored, to };
}

const toLine = ({ owner, path, name }: Stored): string => `${owner.name} ${path}/${name}`;

eachApp((start, engine) => {
  test.each([1, 50])(
    'with %i damaged pieces every intact file is restored, and every lost file is reported and raises an alert',
    async damages => {
      await using original = await start();
      const { stored, to } = await makeBackup(original, countOfFiles);
      const objects = await listObjects(original);
      const lost = stored.filter((_, index) => index % Math.floor(stored.length / damages) === 0).slice(0, damages);
      const pieces = await findPieces(to, objectsOf(objects, lost));
      for (const [index, piece] of pieces.entries()) await (index % 2 === 0 ? alter(piece) : rm(piece));

      const env = await targets.newTarget(engine);
      const { config, restored } = await restoreTo(env, to, { keepGoing: true });
      expect(restored.objects).toBe(stored.length - damages);
      expect(restored.losses.others).toEqual([]);
      expect(restored.losses.files.map(file => `${file.owner} ${file.path}/${file.name}`).sort()).toEqual(
        lost.map(toLine).sort(),
      );
      const ids = new Set(restored.losses.files.map(({ fileId }) => fileId));
      expect(await verify(config, ids)).toMatchObject({ files: stored.length, problems: [], knownLost: damages });
      expect((await verify(config)).problems).toHaveLength(damages);

      await using server = await startApp({ folder: config.dataFolder, env, clock: original.clock });
      await server.drain();
      const alerts = await server.app.database.db.selectFrom('integrity_alert').selectAll().execute();
      expect(new Set(alerts.map(({ file_id }) => file_id))).toEqual(ids);
      for (const file of stored) {
        const again = new Person(file.owner.name, server.app.url, file.owner.token);
        const answer = await again.fetch(downloadFile.path.replace('{hash}', file.hash));
        const isLost = lost.includes(file);
        expect(answer.ok && Buffer.from(await answer.arrayBuffer()).equals(bytesOf(file)), toLine(file)).toBe(!isLost);
      }
    },
  );

  test('a damaged list of objects loses no file', async () => {
    await using original = await start();
    const { stored, to } = await makeBackup(original, 20);
    const { content } = await findBackup(openFolderTarget(to), undefined, keyringOf());
    for (const piece of await findPieces(to, content.objects.pages)) await alter(piece);
    const { config, restored } = await restoreTo(await targets.newTarget(engine), to, { keepGoing: true });
    expect(restored).toMatchObject({ objects: stored.length, damagedLists: 1, losses: { files: [], others: [] } });
    expect(await verify(config)).toMatchObject({ files: stored.length, problems: [] });
  });

  test('a damaged database is reported as such, with the advice to name another backup', async () => {
    await using original = await start();
    const { to } = await makeBackup(original, 4);
    const { content } = await findBackup(openFolderTarget(to), undefined, keyringOf());
    const [older = ''] = await listBackups(to);
    await backUp(original, to);
    for (const piece of await findPieces(to, content.database.pages)) await alter(piece);
    const failure = restoreTo(await targets.newTarget(engine), to, { named: older, keepGoing: true });
    await expect(failure).rejects.toThrow(BackupDamaged);
    await expect(failure).rejects.toThrow(/^the database in the backup .* is damaged .* Name another one/);
  });

  test('the commands list the damage in all backups and exit with 1, 2 or 65', async () => {
    await using original = await start();
    const { stored, to } = await makeBackup(original, 10);
    const objects = await listObjects(original);
    const wanted = objectsOf(objects, stored.slice(0, 2));
    await backUp(original, to);
    const run = async (...args: string[]) =>
      runServerCommand(args, { RECORDPROOF_BACKUP_PASSPHRASE: passphrase, ...(await targets.newDatabase(engine)) })
        .ended;
    const newFolder = async () => join(await targets.newFolder(), 'new');
    expect(await run('restore', '--check', '--from', to)).toMatchObject({ code: 0 });

    for (const piece of await findPieces(to, wanted)) await alter(piece);
    const checked = await run('restore', '--check', '--json', '--from', to);
    expect(checked.code).toBe(2);
    const { backups } = JSON.parse(checked.out) as { backups: { damaged: { sha256: string }[] }[] };
    expect(backups.map(({ damaged }) => damaged.map(({ sha256 }) => sha256).sort())).toEqual(
      [0, 1].map(() => wanted.map(({ sha256 }) => sha256).sort()),
    );

    const rejected = await run('restore', '--from', to, '--data', await newFolder());
    expect(rejected).toMatchObject({
      code: 1,
      err: expect.stringMatching(/alice: Reports\/2024\/[01]\.txt \(\d+ bytes\)/),
    });
    expect(rejected.err).toContain('--keep-going');

    const partial = await run('restore', '--from', to, '--keep-going', '--verify', '--data', await newFolder());
    expect(partial).toMatchObject({ code: 2, out: expect.stringContaining('PARTIAL: 2 files') });
    expect(partial.out).toContain('all sound but 2 files');

    const { content } = await findBackup(openFolderTarget(to), undefined, keyringOf());
    for (const piece of await findPieces(to, content.database.pages)) await alter(piece);
    expect(await run('restore', '--check', '--from', to)).toMatchObject({ code: 65 });
    expect(await run('restore', '--keep-going', '--from', to, '--data', await newFolder())).toMatchObject({
      code: 65,
      err: expect.stringContaining('the database in the backup'),
    });
  });
});
