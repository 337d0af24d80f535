// Base85 round trips of any length and value.
import { expect, test } from 'vitest';
import { fromBase85, toBase85 } from './base85.ts';

test('bytes of any length and value are encoded and decoded unchanged', () => {
  for (let length = 0; length < 40; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 73 + length * 151) % 256);
    expect(fromBase85(toBase85(bytes))).toEqual(bytes);
  }
  const highest = new Uint8Array(8).fill(255);
  expect(fromBase85(toBase85(highest))).toEqual(highest);
  expect(toBase85(highest)).toMatch(/^0[(-|]{10}$/);
});
