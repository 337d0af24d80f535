import { expect, test } from 'vitest';
import { fold } from './text-width.ts';

test('sentences are folded between words, by what is seen of them', () => {
  expect(fold('one two three four', 9)).toBe('one two\nthree\nfour');
  expect(fold('\u001b[31merror:\u001b[39m no', 9)).toBe('\u001b[31merror:\u001b[39m no');
  expect(fold('这是 一个 句子', 9)).toBe('这是 一个\n句子');
  expect(fold('a-word-that-is-longer-than-the-line and', 9)).toBe('a-word-that-is-longer-than-the-line\nand');
  expect(fold('', 9)).toBe('');
});

test('what is there to be copied stays in one piece', () => {
  for (const line of [
    'try recordproof login --server here',
    '  set in as an example',
    'see https://example.org/guide now',
  ])
    expect(fold(line, 9)).toBe(line);
});
