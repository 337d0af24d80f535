// Journeys of a watched folder that is kept proven, over changes, renames, half-written files, and kills of the watch
// and of the server.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchUnderFire } from '../support/watch-fire.ts';
import { WatchWorld } from '../support/watch-world.ts';

let world: WatchWorld;

beforeAll(async () => {
  world = await WatchWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const once = (...flags: string[]) => world.cli('watch', 'docs', '--once', '--rest', '0', '--every', '1', ...flags);

const readStatus = async () => JSON.parse((await world.cli('watch', 'status', 'docs', '--json')).stdout);

test('each file gets a version and a proof; a changed file its next version, and the older proof remains', async () => {
  expect((await world.cli('watch', 'status', 'docs')).code).toBe(1);
  await world.write('a.txt');
  await writeFile(join(world.folder, 'empty'), '');
  expect((await once()).code).toBe(0);
  await world.write('a.txt');
  expect((await world.cli('watch', 'status', 'docs')).code).toBe(1);
  const { stdout } = await once();
  expect(stdout).toContain('stored    a.txt version 2');
  for (const name of ['a.txt.proof.zip', 'a.txt.v1.proof.zip'])
    expect(existsSync(join(world.folder, name)), name).toBe(true);
  expect(await readStatus()).toMatchObject({ proven: 1, versions: 2, notStored: [], leftOut: [{ path: 'empty' }] });
  const verified = await world.cli('verify', 'docs/a.txt');
  expect(verified.code, verified.stderr).toBe(0);
});

test('a renamed file is a new entry that names the old one; a removed proof is written again', async () => {
  await world.rename('a.txt', 'b.txt');
  expect((await once()).stdout).toMatch(/gone +a\.txt\n(.*\n)*.*stored +b\.txt version 1/);
  const { log, gone } = await readStatus();
  expect(gone).toBe(1);
  expect(await readFile(log.path, 'utf8')).toContain('"renamedFrom":"a.txt"');
  await rm(join(world.folder, 'b.txt.proof.zip'));
  expect((await once()).stdout).toContain('missing   the proof of b.txt');
  expect(existsSync(join(world.folder, 'b.txt.proof.zip'))).toBe(true);
  await world.rename('b.txt', 'a.txt');
  expect((await once()).stdout).not.toContain('stored');
});

test('a version written elsewhere is continued; a file deleted elsewhere starts again', async () => {
  await mkdir(join(world.home, 'theirs'));
  await writeFile(join(world.home, 'theirs/a.txt'), 'as others have it');
  const { stdout } = await world.cli('upload', 'theirs/a.txt', '--version-of', await newestIdOf('a.txt'), '--json');
  expect(JSON.parse(stdout).failed).toBe(0);
  await world.write('a.txt');
  const { stdout: told } = await once();
  expect(told).toContain('others have changed it at the server');
  expect(told).toContain('stored    a.txt version 4');
  await world.write('d.txt');
  await once();
  expect((await world.cli('files', 'rm', await newestIdOf('d.txt'), '--yes')).code).toBe(0);
  await world.write('d.txt');
  expect((await once()).stdout).toContain('stored    d.txt version 1');
});

async function newestIdOf(name: string): Promise<string> {
  const { records } = JSON.parse((await world.cli('files', 'list', '--json')).stdout) as {
    records: { id: string; fileName: string }[];
  };
  return records.find(({ fileName }) => fileName === name)?.id ?? '';
}

test('a name in another Unicode form is stored, and its proof is named in the same form', async () => {
  const name = 'e\u0301te\u0301.txt';
  await mkdir(join(world.folder, 'cafe\u0301'));
  for (const path of [name, `cafe\u0301/${name}`]) await writeFile(join(world.folder, path), path);
  const { stdout } = await once();
  expect(stdout).toContain('stored    \u00e9t\u00e9.txt version 1');
  expect(stdout).toContain('stored    caf\u00e9/\u00e9t\u00e9.txt version 1');
  for (const path of [name, `cafe\u0301/${name}`])
    expect(existsSync(join(world.folder, `${path}.proof.zip`)), path).toBe(true);
  expect(existsSync(join(world.folder, 'caf\u00e9'))).toBe(false);
  expect(await readStatus()).toMatchObject({ notStored: [] });
});

test('an unreadable folder does not hide deletions in other folders', async () => {
  await world.write('beside.txt');
  await once();
  await rm(join(world.folder, 'beside.txt'));
  world.truth.delete('beside.txt');
  // 4093 bytes below the watched folder: too long for the system, but not for a list, and joined from two halves.
  const half = Array.from({ length: 10 }, () => 'd'.repeat(200)).join('/');
  const away = join(world.home, 'away');
  await mkdir(join(away, half, 'e'.repeat(71)), { recursive: true });
  await mkdir(join(world.folder, half), { recursive: true });
  await rename(away, join(world.folder, half, 'x'));
  const { stdout } = await once();
  await rename(join(world.folder, half, 'x'), away);
  expect(stdout.includes(`${'e'.repeat(71)}: it cannot be read`)).toBe(true);
  expect(stdout).toMatch(/gone +beside\.txt/);
});

test('proofs are written to a folder that mirrors the watched one', async () => {
  await mkdir(join(world.folder, 'deep'));
  await world.write('deep/c.txt');
  expect((await once('--proofs', 'docs/proofs')).code).toBe(0);
  expect(existsSync(join(world.folder, 'proofs/deep/c.txt.proof.zip'))).toBe(true);
  await rm(join(world.folder, 'deep'), { recursive: true });
  world.truth.delete('deep/c.txt');
  await rm(join(world.folder, 'proofs'), { recursive: true });
});

test('a changed log is reported, and a second watch of one folder is rejected', async () => {
  const { log } = await readStatus();
  const whole = await readFile(log.path, 'utf8');
  await writeFile(log.path, whole.replace('"event":"proved"', '"event":"proven"'));
  expect((await world.cli('watch', 'status', 'docs')).code).toBe(65);
  expect((await once()).code).toBe(65);
  await writeFile(log.path, `${whole}{"number":9`);
  expect((await world.cli('watch', 'status', 'docs')).code).toBe(0);
  world.startWatch();
  await expect.poll(world.said).toContain('watching');
  expect((await readStatus()).isRunning).toBe(true);
  expect((await once()).code).toBe(75);
  expect(await world.stopWatch()).toContain('stopped');
});

test('a missing folder is reported, and waited for', async () => {
  const away = join(world.home, 'elsewhere');
  world.startWatch();
  await expect.poll(world.said).toContain('watching');
  await rename(world.folder, away);
  await expect.poll(world.said).toContain(`waiting   ${world.folder}: there is no such file or folder`);
  await rename(away, world.folder);
  await expect.poll(world.said).toContain('going on');
  await world.stopWatch();
});

test('the unit contains the folder, the server and the interval', async () => {
  const { stdout } = await world.cli('watch', 'docs', '--print-unit', '--rest', '7', '--server', 'http://x.test/a%20b');
  expect(stdout).toContain(`"watch" "${world.folder}" "--rest" "7"`);
  expect(stdout).toContain('"--server" "http://x.test/a%%20b"');
  expect(stdout).toContain('Restart=on-failure');
  const hostile = join(world.home, 'a\nExecStartPre=b');
  await mkdir(hostile);
  const unit = (await world.cli('watch', hostile, '--print-unit')).stdout;
  expect(unit).toContain('/a\\nExecStartPre=b"');
  expect(unit).not.toMatch(/^ExecStartPre/m);
});

test('after random kills every stable state has one version and its proof', async () => {
  await watchUnderFire(world, { rounds: 2, files: 8, killsARound: 1 });
  await world.checkRecords();
});
