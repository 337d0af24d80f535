// Selection of tests by changed files.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listTestsBeside, listTouched } from '../../scripts/touched-tests.mjs';

const tests = listTestsBeside(fileURLToPath(new URL('../..', import.meta.url)));
const foldersOf = (...changed: string[]): string[] => [
  ...new Set(listTouched(changed, tests).map(path => path.slice(0, path.lastIndexOf('/')))),
];

test('a change to the contract of a feature selects the tests of that feature only', () => {
  expect(foldersOf('shared/src/api/friends.ts')).toContain('server/src/features/friends');
  expect(foldersOf('shared/src/api/friends.ts')).not.toContain('server/src/features/messages');
});

test('a change selects the tests in its folder and below', () => {
  expect(foldersOf('server/src/features/messages/content.ts')).toContain('server/src/features/messages');
  expect(foldersOf('server/src/platform/http/parse.ts')).toEqual(['server/src/platform/http']);
});

test('a changed test selects itself, and documentation selects nothing', () => {
  const [one = ''] = tests;
  expect(listTouched([one], tests)).toContain(one);
  expect(foldersOf('README.md', 'docs/guide/self-hosting.md')).toEqual([]);
});
