// Digests computed in steps on a pool of threads: continuation, failed and dropped digests.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openHashPool } from './hash-pool.ts';

const folder = mkdtempSync(join(tmpdir(), 'hash-pool-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'file');
writeFileSync(path, 'ten bytes!');

test('a digest continues from step to step', async () => {
  await using pool = openHashPool({ size: 1 });
  await using file = await open(path);
  const digest = pool.openDigest();
  await digest.extend(file.fd, 0, 4);
  await digest.extend(file.fd, 4, 10);
  expect(await digest.finish()).toBe(`sha256:${createHash('sha256').update('ten bytes!').digest('hex')}`);
});

test('a digest with a failed step is ended, and its data is in no other digest', async () => {
  await using pool = openHashPool({ size: 1 });
  await using file = await open(path);
  const digest = pool.openDigest();
  await expect(digest.extend(file.fd, 0, 20)).rejects.toThrow('cut to 10 bytes');
  await expect(digest.extend(file.fd, 0, 10)).rejects.toThrow('has ended');
  await expect(digest.finish()).rejects.toThrow('has ended');
});

test('a digest dropped between two steps does not restart', async () => {
  await using pool = openHashPool({ size: 1 });
  await using file = await open(path);
  const digest = pool.openDigest();
  await digest.extend(file.fd, 0, 4);
  digest.drop();
  await expect(digest.extend(file.fd, 4, 10)).rejects.toThrow('has ended');
  await expect(digest.finish()).rejects.toThrow('has ended');
});
