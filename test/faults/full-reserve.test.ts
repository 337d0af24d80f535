// A disk that is full to its last byte, through us or another program: the reserve is released, deletions free space
// within a minute, also after a restart, and then everything continues.
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { describe, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { findMountObstacle, mountSmallDisk } from '../support/small-disks.ts';
import { digestOf, sendFile } from '../support/uploads.ts';

const MiB = 2 ** 20;
const obstacle = findMountObstacle();
if (obstacle !== null) console.warn(`full disks are not tested: ${obstacle}`);

const env = { RECORDPROOF_RESERVE_BYTES: String(8 * MiB), FILES_RETENTION_DAYS: '0' };

/** Writes until not another byte fits. */
async function fillUp(path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (let size = MiB; size >= 1; size >>= 1)
    for (;;) {
      const wrote = await file.write(Buffer.alloc(size)).then(
        ({ bytesWritten }) => bytesWritten === size,
        () => false,
      );
      if (!wrote) break;
    }
}

const loginAgain = async ({ app }: TestApp): Promise<Person> => {
  const alice = new Person('alice', app.url);
  await alice.login('alice', testPassword);
  return alice;
};

/** The reserve is checked once a second. */
const until = (what: () => Promise<boolean>): Promise<void> => expect.poll(what, { interval: 250 }).toBe(true);

const isReady = async (app: TestApp) => (await app.anonymous.fetch('/actuator/health/readiness')).status === 200;

describe.skipIf(obstacle !== null)('a disk that is full to its last byte', () => {
  test('allows deletion, frees space within a minute, and accepts files again', async () => {
    using disk = mountSmallDisk('', 64);
    const stored: { fileId: string; fileHash: string; digest: string }[] = [];
    {
      await using app = await startApp({ folder: disk.folder, env });
      const alice = await app.person('alice');
      for (let seed = 0; ; seed += 1) {
        const bytes = await pattern(4 * MiB, seed);
        const { status, data } = await sendFile(alice, bytes);
        if (status !== 200) break;
        stored.push({ ...data, digest: digestOf(bytes) });
      }
      expect(stored.length).toBeGreaterThan(3);
      await fillUp(join(disk.folder, 'of-somebody-else'));
      await until(async () => (await sendFile(alice, Buffer.alloc(10))).message.includes('full'));
      expect(await sendFile(alice, Buffer.alloc(10))).toMatchObject({ status: 503, code: 40005 });
    }
    await using app = await startApp({ folder: disk.folder, env });
    const alice = await loginAgain(app);
    expect(await isReady(app)).toBe(true);
    const gone = stored.splice(0, 4);
    for (const { fileHash } of gone) await alice.call(deleteFile, { params: { hash: fileHash } });
    app.clock.advance(60_000);
    await app.drain();
    const small = await pattern(100_000, 99);
    await until(async () => {
      app.clock.advance(5000);
      await app.drain();
      return (await sendFile(alice, small)).status === 200;
    });
    for (const { fileHash, digest } of stored) {
      const answer = await alice.fetch(`/api/v1/files/${fileHash}/download`);
      expect(digestOf(new Uint8Array(await answer.arrayBuffer()))).toBe(digest);
    }
    rmSync(join(disk.folder, 'of-somebody-else'));
    await app.drain();
    await checkEverything(app);
  });
});
