// Journey of `prove` with batches of three files: uploads, waiting, and messages.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';

let world: ProveWorld;

beforeAll(async () => {
  const patient = { ATTESTATION_PRODUCTION_MAX_WAIT_SECONDS: '3600' };
  world = await openProveWorld({ ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '3', ...patient });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const countFiles = async (): Promise<number> => JSON.parse((await world.cli('files', 'list', '--json')).stdout).total;

test('all files are stored before the command waits for the first proof, so that they share a batch', async () => {
  await mkdir(join(world.folder, 'three'));
  for (const name of ['a', 'b', 'c']) await world.makeFile(`three/${name}`, 100);
  const proved = await world.cli('prove', 'three', '--patience', '100', '--json');
  expect(proved.code).toBe(0);
  const { files } = JSON.parse(proved.stdout) as { files: { name: string; status: string }[] };
  expect(files.map(({ name, status }) => [name, status])).toEqual(
    ['three/a', 'three/b', 'three/c'].map(name => [name, 'proved']),
  );
});

test('repeating the command stores neither the files nor the archives beside them', async () => {
  const before = await countFiles();
  const again = await world.cli('prove', 'three');
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/error:.* three\/a\.proof\.zip exists, and is the proof of this very content/);
  expect(again.stderr).toMatch(/left out:.* three\/a\.proof\.zip/);
  await world.makeFile('three/a', 101);
  const changed = await world.cli('prove', 'three/a');
  expect(changed.stderr).toMatch(/error:.* three\/a\.proof\.zip exists, and is the proof of other content/);
  expect(await countFiles()).toBe(before);
});

test('files that have an archive are skipped, and only the others are stored, in their folder', async () => {
  const before = await countFiles();
  for (const name of ['d', 'e', 'f']) await world.makeFile(`three/${name}`, 100);
  const proved = await world.cli('prove', 'three', '--json');
  expect(proved.code).toBe(1);
  const { files } = JSON.parse(proved.stdout) as { files: { status: string }[] };
  expect(files.map(({ status }) => status)).toEqual([...Array(3).fill('failed'), ...Array(3).fill('proved')]);
  expect(await countFiles()).toBe(before + 3);
  const { records } = JSON.parse((await world.cli('files', 'list', '--json')).stdout) as {
    records: { path: string }[];
  };
  expect(new Set(records.map(({ path }) => path))).toEqual(new Set(['three']));
});

test('after a timeout or Ctrl-C the command reports the id of the stored file', async () => {
  await world.makeFile('lonely', 50);
  const impatient = await world.cli('prove', 'lonely', '--patience', '1');
  const stored = /stored as file (\d+), but there is no proof yet/.exec(impatient.stderr);
  expect(impatient.code).toBe(75);
  expect(impatient.stderr).toContain(`recordproof proofs export ${stored?.[1]}`);
  const ended = await world.interruptedCli(/waiting for its proof/, 'prove', 'lonely');
  expect(ended.code).toBe(130);
  expect(ended.stderr).toMatch(/later: recordproof proofs export \d+/);
});
