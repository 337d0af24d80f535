// Frozen test vectors, compared byte by byte with those of the current generator.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allFiles } from './generate.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

test('the current code generates the frozen vectors unchanged', async () => {
  const files = await allFiles();
  const differing = [...files]
    .filter(([path, data]) => !readFileSync(folder + path).equals(data))
    .map(([path]) => path);
  expect(differing).toEqual([]);
  const folders = readdirSync(folder).filter(name => /_(ok|fail)$/.test(name));
  expect(folders.filter(name => !files.has(`${name}/case.json`))).toEqual([]);
});
