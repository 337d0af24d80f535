// Restoring from a hostile backup folder: one sentence ends it, before and after the passphrase is checked.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { eachApp } from '../support/each-app.ts';
import { stopPostgres } from '../support/postgres.ts';
import { databaseOf, type Ended, runServerCommand } from '../support/run-server-command.ts';

vi.setConfig({ testTimeout: 300_000 }); // processes that stretch a passphrase

const cleaners: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});
afterAll(stopPostgres);

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-hostile-'));
  cleaners.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const running = runServerCommand(args, { RECORDPROOF_BACKUP_PASSPHRASE: 'five small grey cats', ...more });
  cleaners.push(async () => running.child.kill('SIGKILL'));
  return running.ended;
}

const makeFifo = (path: string): void => void execFileSync('mkfifo', [path]);
const manifestName = '20260131T120000-000Z.json';

const manifests: readonly (readonly [what: string, put: (path: string) => void, says: string])[] = [
  ['a link to a device without an end', path => symlinkSync('/dev/zero', path), 'is not a regular file'],
  ['a pipe', makeFifo, 'is not a regular file'],
  ['a folder', path => mkdirSync(path), 'is not a regular file'],
  ['larger than any', path => writeFileSync(path, '') ?? truncateSync(path, 2 ** 40), 'exceeds the limit of'],
  ['nothing but line feeds', path => writeFileSync(path, Buffer.alloc(60 * 2 ** 20, '\n')), 'is damaged'],
  ['nothing but brackets', path => writeFileSync(path, Buffer.alloc(60 * 2 ** 20, '[')), 'is damaged'],
];

async function expectRejected(put: (path: string) => void, says: string, where: readonly string[]): Promise<void> {
  const from = await newFolder();
  mkdirSync(join(from, 'backups'));
  put(join(from, 'backups', manifestName));
  const { code, err, out } = await run(['restore', '--from', from, ...where]);
  expect(err + out).toContain(says);
  expect(code).toBe(1);
}

test.each(manifests)('a check rejects a manifest that is %s with one sentence', (_, put, says) =>
  expectRejected(put, says, ['--check']),
);

test('a restore rejects a manifest that is a pipe with one sentence', async () => {
  await expectRejected(makeFifo, 'is not a regular file', ['--data', join(await newFolder(), 'new')]);
});

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

eachApp(start => {
  test('a piece replaced by a pipe or a device is damaged, and reading it does not block', async () => {
    await using original = await start();
    const to = await newFolder();
    const env = databaseOf(original);
    expect(await run(['backup', '--to', to, '--data', original.folder], env)).toMatchObject({ code: 0 });
    const pieces = listFiles(join(to, 'objects'));
    for (const replace of [makeFifo, (path: string) => symlinkSync('/dev/zero', path)]) {
      for (const path of pieces) {
        rmSync(path);
        replace(path);
      }
      const { code, out } = await run(['restore', '--from', to, '--check']);
      expect(out).toContain('the backup is damaged');
      expect(code).toBe(65);
    }
  });

  test('lock files and their journals are readable by their owner only, also those of an earlier version', async () => {
    const to = await newFolder();
    writeFileSync(join(to, 'backup.lock'), '', { mode: 0o644 });
    await using original = await start();
    expect(await run(['backup', '--to', to, '--data', original.folder], databaseOf(original))).toMatchObject({
      code: 0,
    });
    const locks = [to, original.folder].flatMap(listFiles).filter(path => /\.lock(-journal)?$/.test(path));
    expect(locks).toContain(join(to, 'backup.lock'));
    expect(locks.filter(path => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
  });
});
