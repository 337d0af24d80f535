// The basics of uploading on every supported combination of database and object store.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, describe, expect } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { checkEverything } from '../support/check-everything.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { testWith } from '../support/programs.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { completeDirect, digestOf, sendFile, sendProxied, startDirect, storeProxied } from '../support/uploads.ts';

const run = promisify(execFile);
const hour = 3600_000;
const MiB = 2 ** 20;

afterAll(async () => {
  await stopS3();
  await stopPostgres();
});

const grounds: readonly (readonly [string, string | null, () => Promise<Record<string, string>>])[] = [
  ['PostgreSQL and disk', null, async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url })],
  ['SQLite and S3', whyNoCeph(), () => s3Settings()],
  [
    'PostgreSQL and S3',
    whyNoCeph(),
    async () => ({ ...(await s3Settings()), DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
  ],
];

/** Puts every part with a third-party client, and returns the store's answers. */
async function putWithCurl(started: Awaited<ReturnType<typeof startDirect>>, bytes: Uint8Array) {
  const eTags: { index: number; eTag: string }[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-curl-'));
  for (const { index, uploadUrl, headers } of started.parts) {
    const path = join(folder, String(index));
    await writeFile(path, bytes.subarray(index * started.chunkSize, (index + 1) * started.chunkSize));
    const said = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const { stdout } = await run('curl', [
      '-sS',
      '--fail',
      '-D',
      '-',
      '-o',
      '/dev/null',
      ...said,
      '-T',
      path,
      uploadUrl,
    ]);
    eTags.push({ index, eTag: /^etag: (.*)$/im.exec(stdout)?.[1]?.trim() ?? '' });
  }
  await rm(folder, { recursive: true, force: true });
  return eTags;
}

async function listStaged(app: TestApp): Promise<string[]> {
  await using store = await openConfiguredStore(app.config);
  return (await Array.fromAsync(store.list('staging/'))).map(({ key }) => key);
}

async function passTime(app: TestApp, person: Person, milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  await app.drain();
  await person.login('alice', 'correct horse battery');
}

for (const [name, missing, toEnv] of grounds) {
  if (missing !== null) console.warn(`uploads on ${name} are not tested: ${missing}`);
  // The two that are not on SQLite and the disk are tested together; each of them alone takes as long.
  const options = name === 'PostgreSQL and S3' ? {} : ({ tags: 'long' } as const);
  describe.skipIf(missing !== null)(name, options, () => {
    const open = async () => {
      const app = await startApp({ env: await toEnv() });
      return { app, alice: await app.person('alice') };
    };

    testWith('curl')('a file is uploaded whole, in chunks and directly, also as the next version', async () => {
      const { app, alice } = await open();
      await using _ = app;
      const bytes = await pattern(7 * MiB + 5);
      const whole = await sendFile(alice, bytes);
      expect(whole.data.contentHash).toBe(digestOf(bytes));
      const chunked = await storeProxied(alice, bytes, { chunkSize: 2 * MiB, targetFileId: whole.data.fileId });
      expect(chunked).toMatchObject({ contentHash: digestOf(bytes), version: 2 });
      const started = await startDirect(alice, bytes, { chunkSize: 2 * MiB, targetFileId: chunked.fileId });
      const checkSession = () => alice.call(chunkedApi.checkUpload, { query: { clientId: started.clientId } });
      expect(await checkSession()).toMatchObject({ uploadedChunks: [], progress: 0 });
      const eTags = await putWithCurl(started, bytes);
      expect(await checkSession()).toMatchObject({ uploadedChunks: [0, 1, 2, 3], progress: 90 });
      const complete = (parts: readonly { index: number; eTag: string }[]) => ({
        params: { clientId: started.clientId },
        body: { parts: [...parts] },
      });
      const swapped = eTags.map(({ index }) => ({ index, eTag: eTags[3 - index]?.eTag ?? '' }));
      expect((await alice.expectError(directApi.completeDirectUpload, complete(swapped))).kind).toBe('CONFLICT');
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => alice.call(directApi.completeDirectUpload, complete(eTags))),
      );
      expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ contentHash: digestOf(bytes), version: 3 });
      await app.drain();
      await checkEverything(app);
      expect(await listStaged(app)).toEqual([]);
    });

    testWith('curl')('twenty concurrent completions create one file, and wrong bytes none', async () => {
      const { app, alice } = await open();
      await using _ = app;
      const bytes = await pattern(300_000, 2);
      const clientId = await sendProxied(alice, bytes, { chunkSize: 100_000 });
      const complete = () => alice.call(sessionApi.completeUploadSession, { params: { clientId } });
      const answers = await Promise.all(Array.from({ length: 20 }, complete));
      expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
      const started = await startDirect(alice, bytes, { chunkSize: 100_000 });
      await putWithCurl(started, await pattern(300_000, 3));
      const input = { params: { clientId: started.clientId }, body: { parts: [] } };
      expect((await alice.expectError(directApi.completeDirectUpload, input)).kind).toBe('CONFLICT');
      const again = await startDirect(alice, bytes, { chunkSize: 100_000, clientId: started.clientId });
      await putWithCurl(again, bytes);
      expect((await completeDirect(alice, started.clientId)).contentHash).toBe(digestOf(bytes));
      await app.drain();
      expect(await app.app.database.db.selectFrom('file').select('id').execute()).toHaveLength(2);
      await checkEverything(app);
    });

    testWith('curl')('parts of cancelled, abandoned and ended uploads are deleted', { tags: 'long' }, async () => {
      const { app, alice } = await open();
      await using _ = app;
      const bytes = await pattern(300_000, 4);
      const cancelled = await sendProxied(alice, bytes, { chunkSize: 100_000 });
      await alice.call(chunkedApi.cancelUpload, { body: { clientId: cancelled } });
      await sendProxied(alice, bytes, { chunkSize: 100_000 });
      const aborted = await startDirect(alice, bytes, { chunkSize: 300_000 });
      await putWithCurl(aborted, bytes);
      await alice.call(directApi.abortDirectUpload, { params: { clientId: aborted.clientId } });
      await app.drain();
      await putWithCurl(aborted, bytes).catch(() => 'refused by the embedded store');
      await passTime(app, alice, 49 * hour);
      await passTime(app, alice, 26 * hour);
      expect(await listStaged(app)).toEqual([]);
      await checkEverything(app);
    });
  });
}
