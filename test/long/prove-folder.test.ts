// Journey of one proof for a whole folder: its files are uploaded or not, as its owner chooses, and a verifier reports
// the state of each.
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFullMinutes } from '../support/full-minutes.ts';
import { testWith } from '../support/programs.ts';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';
import { checkInPython } from '../support/real-proofs.ts';

let world: ProveWorld;
beforeAll(async () => {
  world = await openProveWorld();
}, 120_000);
afterAll(() => world?.[Symbol.asyncDispose]());

async function plant(name: string): Promise<string> {
  const folder = join(world.folder, name);
  await mkdir(join(folder, 'sub'), { recursive: true });
  await writeFile(join(folder, 'a.txt'), `hello ${name}`);
  await writeFile(join(folder, 'empty'), '');
  await writeFile(join(folder, 'sub', '.hidden'), 'x');
  await symlink('a.txt', join(folder, 'link'));
  return folder;
}

type Stored = { fileName: string; path: string | null; contentType: string };
const listStored = async (): Promise<Stored[]> =>
  JSON.parse((await world.cli('files', 'list', '--json')).stdout).records;

testWith('python3')(
  'with --private only the list is uploaded, and the folder is VALID until something changes',
  async () => {
    const folder = await plant('private set');
    const proved = await world.cli('prove', 'private set', '--as-one', '--private', '--json');
    expect(proved).toMatchObject({ code: 0, stderr: expect.stringContaining('left out: link is a link') });
    expect(JSON.parse(proved.stdout).sealed).toEqual({ files: 3, bytes: 18, leftOut: 1 });
    expect(await listStored()).toMatchObject([
      { fileName: 'private set.folder.json', contentType: 'application/vnd.recordproof.folder+json' },
    ]);
    const key = (await world.admin('keys', 'trusted')).stdout;
    const list = await readFile(join(world.folder, 'private set.folder.json'));
    checkInPython(list, await world.readArchive('private set.folder.json'), key);

    expect((await world.cli('verify', 'private set')).code).toBe(0);
    expect((await world.verify('private set', '--server', world.server)).code).toBe(0);
    await rm(join(world.folder, 'private set.folder.json.proof.zip'));
    const fetched = await world.cli('verify', 'private set', '--json');
    expect(fetched).toMatchObject({ code: 0, stderr: expect.stringContaining('fetched') });
    await appendFile(join(folder, 'a.txt'), '!');
    await rm(join(folder, 'empty'));
    const changed = await world.cli('verify', 'private set', '--json');
    expect(changed.code).toBe(2);
    expect(JSON.parse(changed.stdout).compared).toEqual([
      { path: 'a.txt', verdict: 'changed' },
      { path: 'empty', verdict: 'missing' },
    ]);
  },
);

test('without --private the files are stored too, and an existing list or archive is not replaced', async () => {
  const folder = await plant('open set');
  const proved = await world.cli('prove', 'open set/', '--as-one', '--json');
  expect(proved).toMatchObject({ code: 0, stderr: expect.stringContaining('1 empty file') });
  const stored = (await listStored()).map(({ path, fileName }) => `${path ?? ''}/${fileName}`);
  expect(stored).toEqual(expect.arrayContaining(['open set/a.txt', 'open set/sub/.hidden', '/open set.folder.json']));
  await appendFile(join(folder, 'a.txt'), '!');
  expect(await world.cli('prove', 'open set', '--as-one')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('open set.folder.json exists'),
  });
  expect((await world.cli('prove', 'open set', '--as-one', '--force', '--skip-existing')).code).toBe(0);
  expect((await world.cli('verify', 'open set')).code).toBe(0);
});

test('small files of a sealed folder are sent in one request', async () => {
  await plant('many set');
  await using proxy = await openFullMinutes(world.server, 1);
  const proved = await world.cli('prove', 'many set', '--as-one', '--server', proxy.url);
  expect(proved.code).toBe(0);
  expect(proxy.refused).toContain('POST /api/v1/files/upload/bulk');
  const stored = (await listStored()).map(({ path, fileName }) => `${path ?? ''}/${fileName}`);
  expect(stored).toEqual(expect.arrayContaining(['many set/a.txt', 'many set/sub/.hidden']));
});

test('files and folders that cannot be sealed as a whole are rejected', async () => {
  const folder = await plant('odd set');
  await writeFile(join(folder, 'two\nlines'), '');
  for (const [args, code, sentence] of [
    [['odd set', '--as-one'], 64, 'cannot be sealed: two lines'],
    [['odd set/a.txt', '--as-one'], 64, '--as-one goes with a folder'],
    [['odd set', 'open set', '--as-one'], 64, '--as-one goes with one folder'],
    [['odd set', '--as-one', '-o', 'odd set/sub'], 64, 'is in the folder that is sealed'],
    [['odd set', '--private'], 64, '--as-one'],
    [['nowhere', '--as-one'], 64, 'there is no folder nowhere'],
  ] as const)
    expect([args, await world.cli('prove', ...args)]).toMatchObject([
      args,
      { code, stderr: expect.stringContaining(sentence) },
    ]);
  await expect(readFile(join(world.folder, 'odd set.folder.json'))).rejects.toThrow();
  await rm(join(folder, 'two\nlines'));
  await mkdir(join(world.folder, 'proofs'));
  expect((await world.cli('prove', 'odd set', '--as-one', '--private', '-o', 'proofs/')).code).toBe(0);
  const proof = ['--proof', join('proofs', 'odd set.folder.json.proof.zip')];
  expect((await world.verify('--folder', 'odd set', ...proof, '--server', world.server)).code).toBe(0);
});
