// Search in the command palette: order of matches for typed text.
import { expect, test } from 'vitest';
import { type Entry, fitting } from './entries.ts';

const entry = (title: string): Entry => ({ id: title, kind: 'screen', icon: 'files', title, run: () => undefined });
const entries = ['Check a proof', 'Files', 'Sign out', 'Use light colours', '使用浅色'].map(entry);
const found = (typed: string) => fitting(entries, typed).map(({ title }) => title);

test.each([
  ['', ['Check a proof', 'Files', 'Sign out', 'Use light colours', '使用浅色']],
  ['FIL', ['Files']],
  ['colours use', ['Use light colours']],
  ['  s', ['Sign out', 'Files', 'Use light colours']],
  ['浅', ['使用浅色']],
  ['nothing', []],
])('%j finds %j', (typed, expected) => {
  expect(found(typed)).toEqual(expected);
});
