// Atomic writes: a new file replaces nothing, of concurrent writers one succeeds, and no draft is left.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameNew, writeDurably } from './durable-file.ts';

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'durable-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test('of concurrent writers of a new file one succeeds, and the others get EEXIST', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'report');
  const texts = ['a', 'b', 'c', 'd'];
  const ends = await Promise.allSettled(texts.map(text => writeDurably(path, text, { isNew: true })));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'EEXIST' });
  const winner = ends.findIndex(({ status }) => status === 'fulfilled');
  expect(await readFile(path, 'utf8')).toBe(texts[winner]);
  expect(await readdir(folder.path)).toEqual(['report']);
});

test('without a new file to name, nothing is left under the reserved name', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'report');
  await expect(nameNew(join(folder.path, 'no-draft'), path)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(folder.path)).toEqual([]);
  await writeFile(path, 'there');
  await expect(nameNew(join(folder.path, 'no-draft'), path)).rejects.toThrow();
  expect(await readFile(path, 'utf8')).toBe('there');
});
