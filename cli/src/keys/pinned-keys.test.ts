// Storage of pinned issuer keys: order, changed and missing keys, concurrent pins, removal of a profile.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Paths, toPaths } from '../platform/folders.ts';
import { findPinnedKeys, pinKeys, unpinKeysOfProfile } from './pinned-keys.ts';

let paths: Paths;
beforeEach(() => {
  paths = toPaths(mkdtempSync(join(tmpdir(), 'pins-')));
});
afterEach(() => rmSync(paths.folder, { recursive: true }));

const at = { profile: 'default', server: 'https://one.example' };
const other = { profile: 'default', server: 'https://two.example' };
const key = (keyVersion: number, digit = 'a') => ({
  algorithm: 'EdDSA' as const,
  keyId: 'rp-1',
  keyVersion,
  publicKeyFingerprint: `sha256:${digit.repeat(64)}`,
  publicKeySpki: digit,
});

test('keys are stored per profile and server, the newest first', async () => {
  expect(await findPinnedKeys(paths, at)).toEqual([]);
  expect(await pinKeys(paths, at, [key(1)])).toEqual({ keys: [key(1)], added: [key(1)] });
  await pinKeys(paths, other, [key(1, 'b')]);
  expect(await pinKeys(paths, at, [key(2, 'c'), key(1)])).toEqual({
    keys: [key(2, 'c'), key(1)],
    added: [key(2, 'c')],
  });
  expect(await findPinnedKeys(paths, at)).toEqual([key(2, 'c'), key(1)]);
  expect(await findPinnedKeys(paths, other)).toEqual([key(1, 'b')]);
});

test('a changed or missing key is rejected, and nothing is written', async () => {
  await pinKeys(paths, at, [key(1)]);
  const before = readFileSync(paths.pinnedKeys);
  await expect(pinKeys(paths, at, [key(2, 'c'), key(1, 'b')])).rejects.toThrow('THE KEY HAS CHANGED');
  await expect(pinKeys(paths, at, [{ ...key(1), publicKeySpki: 'z' }])).rejects.toThrow('THE KEY HAS CHANGED');
  await expect(pinKeys(paths, at, [key(2, 'c')])).rejects.toThrow('THE KEYS HAVE CHANGED');
  expect(readFileSync(paths.pinnedKeys).equals(before)).toBe(true);
});

test('concurrent pins lose no key', async () => {
  const ledgers = Array.from({ length: 8 }, (_, index) => ({ ...at, server: `https://${index}.example` }));
  await Promise.all(ledgers.map(ledger => pinKeys(paths, ledger, [key(1)])));
  for (const ledger of ledgers) expect(await findPinnedKeys(paths, ledger)).toEqual([key(1)]);
});

test('removing a profile removes its keys; a malformed file is reported', async () => {
  await pinKeys(paths, at, [key(1)]);
  await pinKeys(paths, { ...at, profile: 'work' }, [key(1, 'b')]);
  await unpinKeysOfProfile(paths, 'work');
  expect(await findPinnedKeys(paths, { ...at, profile: 'work' })).toEqual([]);
  expect(await findPinnedKeys(paths, at)).toEqual([key(1)]);
  writeFileSync(paths.pinnedKeys, '{"pins":[{"server":1}]}');
  await expect(findPinnedKeys(paths, at)).rejects.toThrow('does not hold pinned keys');
});
