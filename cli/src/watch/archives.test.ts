// Names of proof archives written beside watched files when a file of that name exists.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeArchive } from './archives.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-archives-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('an existing file is kept, and the proof gets another name', async () => {
  const file = join(folder, 'a');
  const target = { file, form: 'proof' } as const;
  await writeFile(`${file}.proof.zip`, 'mine');
  const archive = Buffer.from('the archive');
  for (let run = 0; run < 2; run += 1) expect(await writeArchive(target, 3, archive)).toBe(`${file}.v3.proof.zip`);
  expect(await writeArchive(target, 3, Buffer.from('another'))).toBe(`${file}.v3-2.proof.zip`);
  expect(await readFile(`${file}.proof.zip`, 'utf8')).toBe('mine');
  expect((await readdir(folder)).length).toBe(3);
});
