// A download onto a disk that fills up: the user gets the reason, and once there is space it continues.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { pattern } from '../../../test/support/bytes.ts';
import { findMountObstacle, mountSmallDisk } from '../../../test/support/small-disks.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { openTestProgram, type TestProgram } from '../testing.ts';

const MiB = 2 ** 20;
let app: TestApp;
let desktop: TestProgram;

beforeEach(async () => {
  app = await startApp();
  desktop = await openTestProgram();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const obstacle = findMountObstacle();

test.skipIf(obstacle !== null)(
  'a download without enough disk space reports it, and completes once there is space',
  { tags: 'long' },
  async () => {
    const ada = await app.person('ada');
    const bytes = await pattern(3 * MiB, 4);
    const { fileHash } = (await sendFile(ada, bytes, 'film.bin')).data;
    await desktop.bridge.shell?.addServer(app.app.url);
    await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: false });
    using disk = mountSmallDisk('', 4);
    const filler = join(disk.folder, 'other.bin');
    writeFileSync(filler, new Uint8Array(2 * MiB));
    desktop.saveTo = join(disk.folder, 'film.bin');
    const { downloads } = desktop.bridge;
    await downloads.start({ kind: 'file', fileHash, fileName: 'film.bin', size: bytes.length });
    const state = () => downloads.list.get()[0]?.state;
    await expect.poll(state).toMatchObject({ kind: 'failed', reason: { code: 'no-room' } });
    rmSync(filler);
    await downloads.resume(downloads.list.get()[0]?.id ?? '');
    await expect.poll(state).toMatchObject({ kind: 'done' });
    expect(readFileSync(desktop.saveTo).equals(bytes)).toBe(true);
  },
);
