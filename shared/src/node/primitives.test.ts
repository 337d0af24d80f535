// The two modules behind `#primitives` give the same results.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import * as portable from '../evidence/portable-primitives.ts';
import * as native from './primitives.ts';

const inputs = [0, 1, 2, 3, 55, 56, 63, 64, 65, 1000].flatMap(size => {
  const bytes = new Uint8Array(randomBytes(size + 2));
  return [bytes.subarray(0, size), bytes.subarray(2), bytes.subarray(0, size).fill(0xff)];
});

test('hashes and encodings are the same in Node and elsewhere', () => {
  expect(Object.keys(native).sort()).toEqual(Object.keys(portable).sort());
  for (const bytes of inputs) {
    expect(native.sha256(bytes)).toEqual(portable.sha256(bytes));
    expect(native.crc32(bytes)).toBe(portable.crc32(bytes));
    expect(native.toBase64(bytes)).toBe(portable.toBase64(bytes));
    expect(native.toBase64Url(bytes)).toBe(portable.toBase64Url(bytes));
  }
});
