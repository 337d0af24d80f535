// Valid and invalid timestamps: RFC 3339 text and milliseconds.
import { expect, test } from 'vitest';
import { parseRfc3339, timestamp } from './rfc3339.ts';
import { ShapeError } from './strict-shape.ts';

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00.5+01:30', '2026-01-31T10:30:00.500Z'],
  ['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
])('%s is a valid time', (text, same) => {
  expect(new Date(parseRfc3339(text) ?? Number.NaN).toISOString()).toBe(same);
});

test.each([
  '2026-02-30T12:00:00Z',
  '2026-02-29T12:00:00Z',
  '2026-04-31T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-00-10T12:00:00Z',
  '2026-01-00T12:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-06-30T23:59:60Z',
  '2026-01-31T12:00:00+24:00',
  '2026-01-31T12:00:00+01:60',
  '2026-01-31T12:00:00.Z',
  '2026-01-31T12:00:00.1234567890Z',
  '2026-01-31T12:00:00',
  '2026-01-31 12:00:00Z',
  ' 2026-01-31T12:00:00Z',
  '1969-12-31T23:59:59Z',
])('%s is not a valid time', text => {
  expect(() => timestamp(text, 'at')).toThrow(ShapeError);
});

test('milliseconds are valid times when they are integers and not before 1970', () => {
  expect(timestamp(0, 'at')).toBe(0);
  for (const odd of [-1, 1.5, 2 ** 53, null, true]) expect(() => timestamp(odd, 'at')).toThrow(ShapeError);
});
