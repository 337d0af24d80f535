// Packed texts of the database: size, stability of the format, round trips, and rejected bytes.
import { expect, test } from 'vitest';
import { textPacking } from './packed-text.ts';

const packing = textPacking(['{"name":"', '","digest":"sha256:', '","size":', '}', '","']);
const digest = '0123456789abcdef'.repeat(4);
const one = `{"name":"ledger","digest":"sha256:${digest}","size":809}`;

/** The same in every run. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('phrases, digests, numbers and known values are short', () => {
  expect(packing.pack(one).length).toBe(1 + 2 + 6 + 1 + 33 + 1 + 3 + 1);
  expect(packing.pack(one, [digest, 'ledger']).length).toBe(1 + 1 + 1 + 1 + 1 + 3 + 1);
});

test('bytes of earlier servers are read for ever', () => {
  const bytes = Buffer.from(`2000066c65646765722102${digest}2203a90623`, 'hex');
  expect(packing.pack(one)).toEqual(bytes);
  expect(packing.unpack(bytes)).toBe(one);
  const older = Buffer.from('011001020304050607080910111213141516', 'hex');
  expect(packing.unpack(older)).toBe('01020304050607080910111213141516');
});

test.each([
  '',
  '0',
  '007',
  '00',
  '9007199254740993',
  '999999999999999',
  '1234567890123456789012345678901234567890',
  'ABCDEF0123456789ABCDEF',
  `${digest}a`,
  `a${digest}`,
  'é漢字😀{"name":"',
  '\u0000\n',
  '{"name":"{"name":"',
  '-1.5e300',
  'x'.repeat(100_000),
])('%j comes back as it was', text => {
  for (const known of [[], ['name'], ['', '0', text.slice(0, 5), digest]])
    expect(packing.unpack(packing.pack(text, known), known)).toBe(text);
});

test('random texts of pieces come back as they were', () => {
  const next = randoms(30);
  const pieces = [
    '{"name":"',
    '","',
    '"',
    '0',
    '12',
    '00',
    digest,
    digest.slice(0, 31),
    'af',
    'Zürich',
    '漢',
    '😀',
    '}',
    '.',
    'known value',
  ];
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('');
    const known = [digest, 'known value'].slice(next(3));
    expect(packing.unpack(packing.pack(text, known), known)).toBe(text);
  }
});

test('half a surrogate pair is rejected', () => {
  expect(() => packing.pack('a\ud800')).toThrow('half a surrogate pair');
});

test('cut and unknown bytes are no text', () => {
  const bytes = packing.pack(one, ['ledger']);
  const cuts = [...bytes.keys()].map(length => packing.unpack(bytes.subarray(0, length), ['ledger']));
  expect(cuts.filter(text => text === null).length).toBeGreaterThan(30);
  expect(cuts).not.toContain(one);
  expect(packing.unpack(bytes)).toBeNull();
  for (const damaged of ['04', '0f', '25', 'ff', '0005', '03ffffffffffffffffff7f', '03', '00ffffffffffffffff7f'])
    expect(packing.unpack(Buffer.from(damaged, 'hex')), damaged).toBeNull();
});
