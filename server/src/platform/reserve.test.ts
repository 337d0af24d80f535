import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Reserve } from './reserve.ts';

test('a reserve waits in silence for the folder that the first start makes', async () => {
  const above = await mkdtemp(join(tmpdir(), 'recordproof-reserve-'));
  const folder = join(above, 'data');
  const told: unknown[] = [];
  const note = (...what: unknown[]) => void told.push(what);
  const log = { info: note, warn: note };
  try {
    await using reserve = new Reserve({ folder, bytes: 4096, log });
    await reserve.start();
    expect(reserve.isGivenUp).toBe(false);
    await mkdir(folder);
    await reserve.look();
    expect((await stat(join(folder, 'reserve'))).size).toBe(4096);
    expect(told).toEqual([]);
  } finally {
    await rm(above, { recursive: true });
  }
});
