// Valid and invalid byte sizes with units.
import { expect, test } from 'vitest';
import { parseSize } from './parse-size.ts';

test.each([
  ['1', 1],
  ['2048', 2048],
  ['500K', 512_000],
  ['2.5mb', 2_621_440],
  ['10GB', 10 * 2 ** 30],
  ['1GiB', 2 ** 30],
  ['2TB', 2 ** 41],
])('%s is a valid size', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(['', '0', '0.0001', '-1', '1 GB', '5P', '0x10', '1e3', 'fast', '9007199254740993', '99999999TB'])(
  '%j is not a valid size',
  text => {
    expect(parseSize(text)).toBeUndefined();
  },
);
