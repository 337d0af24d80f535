// Process names of test files: one of its own for each file that depends on the state of its process.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

type TestFile = { readonly path: string; readonly text: string; readonly process: string | undefined };

const files: readonly TestFile[] = globSync('{shared,server,cli,verifier,desktop}/src/**/*.test.ts', { cwd: root })
  .sort()
  .map(path => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, process: /^\/\/ @vitest-environment[-]options \{"process": "(.+)"\}\n/.exec(text)?.[1] };
  });

/** A module of the operating system stays loaded, and test/support/shared-process.ts does not see what it keeps. */
const needsOwnProcess = ({ text }: TestFile): boolean =>
  /test\/support\/softhsm\.ts|\/proc\/self\/task|process\.env\.\w+ = /.test(text);

test('files that depend on the state of their process have one of their own', () => {
  const own = files.filter(file => file.process !== undefined).map(({ path }) => path);
  expect(own).toEqual(files.filter(needsOwnProcess).map(({ path }) => path));
});

test('no two files name the same process, which they would share', () => {
  const names = files.flatMap(file => file.process ?? []);
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
});
