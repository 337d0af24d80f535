// A disk that fails while the server runs, as it turns read-only after an error: writes are rejected with a message,
// reads continue, the process survives, and a start on the repaired disk finds all that was acknowledged.
import { setImmediate } from 'node:timers/promises';
import { listFiles } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { describe, expect, test } from 'vitest';
import { Person, startApp, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { type FailingDisk, findMountObstacle, mountFailingDisk } from '../support/small-disks.ts';
import { digestOf, putPart, sendFile, storeProxied, toPlan } from '../support/uploads.ts';

const obstacle = findMountObstacle();
if (obstacle !== null) console.warn(`failing disks are not tested: ${obstacle}`);

const rounds = 14;
const rejections = /storage of this server|disk of this server|has arrived and will be stored by itself/;

const readBack = async (person: Person, fileHash: unknown): Promise<string> => {
  const answer = await person.fetch(`/api/v1/files/${fileHash}/download`);
  return digestOf(new Uint8Array(await answer.arrayBuffer()));
};

/** Sends files, makes the disk fail during them, and returns what was acknowledged: record id → digest. */
async function sendUntilItFails(alice: Person, disk: FailingDisk, turns: number): Promise<Map<unknown, string>> {
  const sending = Array.from({ length: 6 }, async (_, index) => {
    const bytes = await pattern(100_000, 100 + index);
    return { digest: digestOf(bytes), answer: await sendFile(alice, bytes) };
  });
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  disk.fail();
  const stored = new Map<unknown, string>();
  for (const { digest, answer } of await Promise.all(sending)) {
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 200) stored.set(answer.data.fileHash, digest);
    else expect(answer.message).toMatch(rejections);
  }
  return stored;
}

describe.skipIf(obstacle !== null)('a disk that becomes read-only', () => {
  test('rejects changes with a message, serves reads, and keeps everything acknowledged', async () => {
    for (let round = 0; round < rounds; round += 1) {
      using disk = mountFailingDisk(48);
      let stored = new Map<unknown, string>();
      {
        await using app = await startApp({ folder: disk.folder });
        const alice = await app.person('alice');
        const bytes = await pattern(200_000, round);
        const { fileHash } = await storeProxied(alice, bytes, { chunkSize: 64 * 1024 });
        const { clientId } = await alice.call(api.createUploadSession, { body: toPlan(bytes) });
        stored = await sendUntilItFails(alice, disk, round * 4);
        expect(await sendFile(alice, bytes)).toMatchObject({ status: 503, code: 40005 });
        expect(await putPart(alice, clientId, 0, bytes.subarray(0, 4096))).toMatchObject({ status: 503, code: 40005 });
        stored.set(fileHash, digestOf(bytes));
        for (const [hash, digest] of stored) expect(await readBack(alice, hash)).toBe(digest);
        expect((await alice.call(listFiles, {})).records.length).toBeGreaterThanOrEqual(stored.size);
        expect((await app.anonymous.fetch('/actuator/health/readiness')).status).toBe(503);
      }
      disk.mend();
      await using app = await startApp({ folder: disk.folder });
      const alice = new Person('alice', app.app.url);
      await alice.login('alice', testPassword);
      for (const [hash, digest] of stored) expect(await readBack(alice, hash)).toBe(digest);
      app.clock.advance(49 * 3600_000); // interrupted uploads are swept after this idle time
      for (let day = 0; day < 3; day += 1) {
        await app.drain();
        app.clock.advance(25 * 3600_000);
      }
      await checkEverything(app);
    }
  });
});
