// @module-tag long-on-postgres
// The commands as operators run them, beside a server; in processes of their own where they are killed and run again.
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { engines } from '../../../../test/support/engines.ts';
import { postgres, stopPostgres } from '../../../../test/support/postgres.ts';
import { databaseOf, type Running, runServerCommand } from '../../../../test/support/run-server-command.ts';
import { runCommand } from '../../../../test/support/server-commands.ts';
import { sendMany } from '../../../../test/support/uploads.ts';

vi.setConfig({ testTimeout: 300_000 }); // processes that stretch a passphrase, on a machine that does other things

const passphrase = 'five small grey cats';
const cleaners: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});
afterAll(stopPostgres);

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-backup-'));
  cleaners.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Env = Readonly<Record<string, string>>;

async function newDatabase(): Promise<Env> {
  if (engines[0] === 'sqlite') return {};
  const database = await (await postgres()).freshDatabase();
  cleaners.push(() => database.drop());
  return { DATABASE_URL: database.url };
}

const run = (args: readonly string[], env: Env): Running => {
  const running = runServerCommand(args, { RECORDPROOF_BACKUP_PASSPHRASE: passphrase, ...env });
  cleaners.push(async () => running.child.kill('SIGKILL'));
  return running;
};

const countFiles = async (folder: string): Promise<number> =>
  (await readdir(folder, { recursive: true }).catch(() => [])).length;

/** As if the time of whoever was killed were over. */
const endLease = ({ app }: TestApp) => app.database.db.updateTable('lease_lock').set({ due_at: 0 }).execute();

eachApp(start => {
  test('a backup target inside the data folder is rejected, also through a symbolic link', async () => {
    await using original = await start();
    const link = join(await newFolder(), 'link');
    await symlink(original.folder, link);
    const command = ['backup', '--to', join(link, 'backups'), '--data', original.folder];
    const env = { RECORDPROOF_BACKUP_PASSPHRASE: passphrase, ...databaseOf(original) };
    const rejected = await runCommand(command, env);
    expect(rejected).toMatchObject({ code: 64, out: expect.stringContaining('would be lost with it') });
  });

  test('a killed backup leaves no usable backup; the next one is complete and can be restored', {
    tags: 'long',
  }, async () => {
    await using original = await start();
    const alice = await original.person('alice');
    for (let batch = 0; batch < 4; batch += 1)
      await sendMany(
        alice,
        Array.from({ length: 100 }, (_, index) => ({ bytes: Buffer.from(`${batch} ${index}`), name: `${index}.txt` })),
      );
    await original.drain();
    const env = databaseOf(original);
    const to = await newFolder();
    const command = ['backup', '--to', to, '--data', original.folder];

    const killed = run(command, env);
    await expect.poll(() => countFiles(join(to, 'objects'))).toBeGreaterThan(50);
    killed.child.kill('SIGKILL');
    await killed.ended;
    // On a machine that stands still for long enough it may have come to its end before.
    if ((await countFiles(join(to, 'backups'))) === 0) {
      const target = join(await newFolder(), 'new');
      const nothing = await run(['restore', '--from', to, '--data', target], await newDatabase()).ended;
      expect(nothing).toMatchObject({ code: 66, err: expect.stringContaining('there is no backup in') });
    }

    await endLease(original);
    const again = await run(command, env).ended;
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('is complete') });
    expect((await readdir(to)).sort()).toEqual([
      'backup.lock',
      'backups',
      'objects',
      'recordproof-backups.json',
      'recordproof-backups.salt',
      'temporary',
    ]);
    expect(await readdir(join(to, 'temporary'))).toEqual([]);

    const target = await newDatabase();
    const restored = await run(
      ['restore', '--from', to, '--data', join(await newFolder(), 'new'), '--verify', '--json'],
      target,
    ).ended;
    expect(restored, restored.err).toMatchObject({ code: 0 });
    expect(JSON.parse(restored.out)).toMatchObject({
      objects: 400,
      lost: { count: 0 },
      verified: { files: 400, problems: [] },
    });
    const { data } = await alice
      .fetch('/api/v1/files')
      .then(answer => answer.json() as Promise<{ data: { total: number } }>);
    expect(data.total).toBe(400);
  });
});
