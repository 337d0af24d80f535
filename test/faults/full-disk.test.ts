// A small disk that uploads fill up: a clear rejection, a server that survives, and free space again when they are
// deleted.

import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { findMountObstacle, mountSmallDisk } from '../support/small-disks.ts';
import { cut, digestOf, putPart, putSigned, sendFile, startDirect, storeProxied, toPlan } from '../support/uploads.ts';

const MiB = 2 ** 20;

const obstacle = findMountObstacle();
if (obstacle !== null) console.warn(`full disks are not tested: ${obstacle}`);
const full = { status: 503, code: 40005, message: 'the storage of this server is full; nothing was stored' };

describe.skipIf(obstacle !== null)('a full disk', () => {
  test('of the objects rejects chunks and parts with a clear error, and cancelling frees the space', async () => {
    using disk = mountSmallDisk('objects', 24);
    await using app = await startApp({ folder: disk.folder });
    const alice = await app.person('alice');
    const kept = await storeProxied(alice, await pattern(4 * MiB, 1), { chunkSize: 2 * MiB });
    const bytes = await pattern(40 * MiB, 2);
    const plan = toPlan(bytes, { chunkSize: 5 * MiB });
    const { clientId } = await alice.call(sessionApi.createUploadSession, { body: plan });
    const answers = [];
    for (let index = 0; index < 8; index += 1) {
      answers.push(await putPart(alice, clientId, index, cut(bytes, 5 * MiB, index)));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503, 503, 503, 503]);
    expect(answers.at(-1)).toMatchObject(full);
    const direct = await startDirect(alice, bytes, { chunkSize: 5 * MiB });
    const part = direct.parts[0] as (typeof direct.parts)[0];
    expect((await putSigned(part, cut(bytes, 5 * MiB, 0))).status).toBe(503);
    const check = await alice.call(chunkedApi.checkUpload, { query: { clientId } });
    expect(check).toMatchObject({ status: 'UPLOADING', uploadedChunks: [0, 1, 2] });
    await alice.call(chunkedApi.cancelUpload, { body: { clientId } });
    await app.drain();
    expect((await putSigned(part, cut(bytes, 5 * MiB, 0))).status).toBe(200);
    await alice.call(directApi.abortDirectUpload, { params: { clientId: direct.clientId } });
    await app.drain();
    const after = await storeProxied(alice, await pattern(12 * MiB, 3), { chunkSize: 5 * MiB });
    expect([kept.status, after.status]).toEqual(['SUCCESS', 'SUCCESS']);
    await checkEverything(app);
  });

  test('of everything rejects a whole file, and the server keeps running', async () => {
    using disk = mountSmallDisk('', 32);
    await using app = await startApp({ folder: disk.folder });
    const alice = await app.person('alice');
    const { status, code, message } = await sendFile(alice, await pattern(60 * MiB, 4));
    expect({ status, code, message }).toEqual(full);
    const small = await pattern(3 * MiB, 5);
    expect((await sendFile(alice, small)).data.contentHash).toBe(digestOf(small));
    await app.drain();
    await checkEverything(app);
  });

  test('during many concurrent small files fails only those without space', async () => {
    using disk = mountSmallDisk('', 48);
    await using app = await startApp({ folder: disk.folder });
    const alice = await app.person('alice');
    const contents = await Promise.all(Array.from({ length: 64 }, (_, index) => pattern(MiB + index, 100 + index)));
    const answers = await Promise.all(contents.map(bytes => sendFile(alice, bytes)));
    const stored = answers.flatMap(({ status, data }, index) => (status === 200 ? [{ index, ...data }] : []));
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.length).toBeLessThan(64);
    const others = answers.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['503 40005']));
    const hashes = stored.map(({ index }) => digestOf(contents[index] as Buffer));
    expect(stored.map(({ contentHash }) => contentHash)).toEqual(hashes);
    const query = { page: 1, size: 100, sort: 'createdAt,asc' } as const;
    const { records } = await alice.call(listFiles, { query });
    expect(records.map(({ contentHash }) => contentHash).sort()).toEqual(hashes.sort());
    await app.drain();
    await checkEverything(app);
  });
});
