// Cache of built pages: invalidation by changed sources, truncated files, a read-only folder.
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepBuilt } from './built-pages.mjs';
import { root } from './launch/bundle.mjs';

let folder: string;
let source: string;
let builds: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-pages-'));
  source = join(folder, 'page.ts');
  builds = 0;
  await writeSource('one', 60_000);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeSource(text: string, ageMs: number): Promise<void> {
  await writeFile(source, text);
  const changed = new Date(Date.now() - ageMs);
  await utimes(source, changed, changed);
}

const kept = 'kept';
const build = (): Promise<string> => {
  const make = async () => {
    builds += 1;
    return { built: `build ${builds}`, inputs: [relative(root, source)] };
  };
  return keepBuilt([source], make, join(folder, kept));
};

test('what is built is kept until a source changes', async () => {
  expect([await build(), await build()]).toEqual(['build 1', 'build 1']);
  await writeSource('another', 50_000);
  expect([await build(), await build()]).toEqual(['build 2', 'build 2']);
});

test('what is built while a source changes is not kept', async () => {
  await writeSource('new', 0);
  expect([await build(), await build()]).toEqual(['build 1', 'build 2']);
});

test('a kept file that was cut off is built again', async () => {
  await build();
  const [name = ''] = await readdir(join(folder, kept));
  await writeFile(join(folder, kept, name), '{"stamps":');
  expect([await build(), await build()]).toEqual(['build 2', 'build 2']);
});

test('a folder that cannot be written is no error', async () => {
  await writeFile(join(folder, kept), '');
  expect([await build(), await build()]).toEqual(['build 1', 'build 2']);
});
