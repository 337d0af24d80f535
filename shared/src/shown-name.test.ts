// Display and saving of file names with bidirectional control characters.
import { expect, test } from 'vitest';
import { toSavedName, toShownName } from './shown-name.ts';

test('letters that turn others around are seen, and turn nothing', () => {
  expect(toShownName('photo\u202egpj.exe')).toBe('photo\ufffdgpj.exe');
  expect(toShownName('\u2066a\u2069.txt')).toBe('\ufffda\ufffd.txt');
});

test('names of languages that are written from right to left stay as they are', () => {
  for (const toName of [toShownName, toSavedName]) expect(toName('תוכנית\u200f 3.pdf')).toBe('תוכנית\u200f 3.pdf');
});

test.each([
  ['photo\u202egpj.exe', 'photo_gpj.exe'],
  ['\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069', '________'],
  ['-rf', '_rf'],
  ['--output=x', '_-output=x'],
  ['-', '_'],
  ['\u202e-rf', '_-rf'],
  ['../x', '.._x'],
  ['a\\b\u0000c\u2028d\ud800', 'a_b_c_d_'],
  ['..', '_..'],
  ['.', '_.'],
  ['', '_'],
])('%j is saved as %j', (given, saved) => {
  expect(toSavedName(given)).toBe(saved);
});

test('a name without such characters is saved as it is', () => {
  for (const name of ['a-b.txt', '.profile', '...', '年度報告 (1).pdf', 'a:b*c']) expect(toSavedName(name)).toBe(name);
});
