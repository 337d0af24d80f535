// Scan for exports without an import in another file, and the test of the scan.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listLonelyExports } from '../support/export-scan.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => /\.(ts|tsx|mjs)$/.test(path) && existsSync(join(root, path)))
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));

test('every export is used in another file', () => {
  const lonely = listLonelyExports(sources, path => /^\w+\/src\/.*\.tsx?$/.test(path));
  expect(lonely.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test('the scan finds every kind of import, and ignores names that only share a word', () => {
  const one = 'export const named = 1;\nexport type Whole = 2;\nexport function late() {}\nexport const again = 3;\n';
  const lonely = 'export const alone = named;\nexport class Unseen {}\n';
  const found = listLonelyExports(
    [
      { path: 'a/src/one.ts', text: one + lonely },
      { path: 'a/src/by-name.ts', text: "import { named } from './one.ts';" },
      { path: 'b/src/whole.ts', text: "import type * as all from '@recordproof/a/one.ts';\nlet some: all.Whole;" },
      { path: 'a/src/late.ts', text: "const { late } = await import('./one.ts');" },
      { path: 'a/src/again.ts', text: "export { again } from './one.ts';" },
      { path: 'a/src/other.ts', text: 'const alone = 1; class Unseen {}' },
    ],
    path => path === 'a/src/one.ts',
  );
  expect(found.map(({ name }) => name)).toEqual(['alone', 'Unseen']);
});
