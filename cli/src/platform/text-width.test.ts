// Wrapping of text to a width in columns.
import { expect, test } from 'vitest';
import { fold, toWidth } from './text-width.ts';

test('sentences are wrapped between words, by their visible width', () => {
  expect(fold('one two three four', 9)).toBe('one two\nthree\nfour');
  expect(fold('\u001b[31merror:\u001b[39m no', 9)).toBe('\u001b[31merror:\u001b[39m no');
  expect(fold('这是 一个 句子', 9)).toBe('这是 一个\n句子');
  expect(fold('a-word-that-is-longer-than-the-line and', 9)).toBe('a-word-that-is-longer-than-the-line\nand');
  expect(fold('', 9)).toBe('');
});

test('text for copying is not wrapped', () => {
  for (const line of [
    'try recordproof login --server here',
    '  set in as an example',
    'see https://example.org/guide now',
  ])
    expect(fold(line, 9)).toBe(line);
});

test.each([
  ['plain', 5],
  ['汉字', 4],
  ['ｶﾀｶﾅ', 4],
  ['カタカナ', 8],
  ['e\u0301', 1],
  ['a\u200bb', 2],
  ['✅', 2],
  ['한국', 4],
])('%s takes %i columns', (text, columns) => {
  expect(toWidth(text)).toBe(columns);
});
