// Suggestions for mistyped names: typos, partial names, common prefixes.
import { expect, test } from 'vitest';
import { hintAt } from './nearest.ts';

const names = ['APP_PORT', 'APP_HOST', 'APP_DATA', 'APP_TRUSTED_PROXIES', 'FILES_MAX_BYTES'];

test('two swapped letters count as one typo', () => {
  expect(hintAt('APP_PROT', names, 'APP_')).toBe(' Did you mean APP_PORT?');
  expect(hintAt('APP_TRUSTED_PROXY', names, 'APP_')).toBe(' Did you mean APP_TRUSTED_PROXIES?');
});

test('a part of a name, and a name with a wrong prefix, are recognized', () => {
  expect(hintAt('APP_PROXIES', names, 'APP_')).toBe(' Did you mean APP_TRUSTED_PROXIES?');
  expect(hintAt('APP_FILES_MAX_BYTES', names, 'APP_')).toBe(' Did you mean FILES_MAX_BYTES?');
});

test('the common prefix does not make names similar', () => {
  expect(hintAt('APP_ZEBRA', names, 'APP_')).toBe('');
  expect(hintAt('', names)).toBe('');
  expect(hintAt('x'.repeat(100_000), names)).toBe('');
});
