// The disk reserve: waiting for its folder, and its listeners when there is space again.
import { mkdir, mkdtemp, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskReserve } from './disk-reserve.ts';

test('a reserve waits for its folder without logging', async () => {
  const above = await mkdtemp(join(tmpdir(), 'recordproof-reserve-'));
  const folder = join(above, 'data');
  const told: unknown[] = [];
  const note = (...what: unknown[]) => void told.push(what);
  const log = { info: note, warn: note };
  try {
    await using reserve = new DiskReserve({ folder, bytes: 4096, log });
    await reserve.start();
    expect(reserve.isReleased).toBe(false);
    await mkdir(folder);
    await reserve.adjust();
    expect((await stat(join(folder, 'reserve'))).size).toBe(4096);
    expect(told).toEqual([]);
  } finally {
    await rm(above, { recursive: true });
  }
});

test('listeners are called when there is space again, and a failing one is logged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-reserve-'));
  const warnings: unknown[] = [];
  const log = {
    info: () => {},
    warn: (fields: object) => void warnings.push((fields as { err?: Error }).err?.message),
  };
  const { bavail, bsize } = await statfs(folder);
  const options = { folder, bytes: 5 * bavail * bsize, log };
  try {
    await writeFile(join(folder, 'reserve'), '');
    await truncate(join(folder, 'reserve'), options.bytes); // takes no room
    await using reserve = new DiskReserve(options);
    const called: string[] = [];
    reserve.onRestored(() => Promise.reject(new Error('the first one fails')));
    reserve.onRestored(async () => void called.push('second'));
    await reserve.adjust();
    expect(reserve.isReleased).toBe(true);
    options.bytes = 4096;
    await reserve.adjust();
    expect({ isReleased: reserve.isReleased, called }).toEqual({ isReleased: false, called: ['second'] });
    expect(warnings).toEqual([undefined, undefined, 'the first one fails']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
