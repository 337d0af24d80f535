import { expect, test } from 'vitest';
import { toShownName } from './shown-name.ts';

test('letters that turn others around are seen, and turn nothing', () => {
  expect(toShownName('photo\u202egpj.exe')).toBe('photo\ufffdgpj.exe');
  expect(toShownName('\u2066a\u2069.txt', '_')).toBe('_a_.txt');
});

test('names of languages that are written from right to left stay as they are', () => {
  expect(toShownName('תוכנית\u200f 3.pdf')).toBe('תוכנית\u200f 3.pdf');
});
