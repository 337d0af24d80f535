// Transfer of one file: retries, resumption after kills, changed sources, tampered manifests, concurrent runs.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, link, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { openTransferServer, type TransferServer } from '../../../test/support/transfer-server.ts';
import { openClient } from '../api/client.ts';
import { type DownloadRequest, downloadFile } from '../transfer/download.ts';
import { ownFile } from '../transfer/download-source.ts';
import { type Clock, systemClock } from '../transfer/ports.ts';
import type { Progress } from '../transfer/progress.ts';
import { defaultRetryPolicy } from '../transfer/retry.ts';
import { type UploadRequest, uploadFile } from '../transfer/upload.ts';
import { openBulkHttp } from './bulk-http.ts';
import { draftPath, openFileSink } from './file-sink.ts';
import { openFileSource } from './file-source.ts';
import { openHashPool } from './hash-pool.ts';
import { openUploadJournal } from './upload-journals.ts';

const KiB = 1024;
const chunkSize = 64 * KiB;
const pool = openHashPool();
let server: TransferServer;
let folder: string;
let http: ReturnType<typeof openBulkHttp>;
let waits: number[];

beforeEach(async () => {
  server = await openTransferServer();
  folder = await mkdtemp(join(tmpdir(), 'recordproof-engine-'));
  http = openBulkHttp({ idleSeconds: 5 });
  waits = [];
  timeoutMs = 30_000;
});
afterEach(async () => {
  http[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => pool[Symbol.asyncDispose]());

/** Waits take no time, but are written down. */
const clock: Clock = {
  ...systemClock,
  random: () => 0.5,
  sleep: async (milliseconds, signal) => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  },
};

let timeoutMs = 30_000;

const serverPort = () => ({
  client: openClient({ baseUrl: server.url, token: () => server.token, timeoutMs }),
  baseUrl: server.url,
  token: async () => server.token,
});

const sha = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function makeFile(name: string, size: number): Promise<{ path: string; bytes: Buffer }> {
  const path = join(folder, name);
  const bytes = randomBytes(size);
  await writeFile(path, bytes);
  return { path, bytes };
}

async function upload(path: string, input: Partial<UploadRequest> = {}) {
  await using source = await openFileSource(path, pool);
  const key = { path: source.path, server: server.url, account: 'alice' };
  await using journal = openUploadJournal(join(folder, 'state'), key);
  const ports = { server: serverPort(), http, journal, clock };
  return await uploadFile({ source, mode: 'direct', chunkSize, ...input }, ports);
}

const target = () => join(folder, 'arrived.bin');

async function download(fileHash: string, input: Partial<DownloadRequest> & { mayReplace?: boolean } = {}) {
  const { mayReplace = false, ...request } = input;
  const lockFolder = join(folder, 'state');
  const openSink = () => openFileSink({ target: target(), key: fileHash, mayReplace, lockFolder, pool });
  return await downloadFile({ source: ownFile(fileHash), openSink, ...request }, { server: serverPort(), http, clock });
}

const callsOf = (name: string): string[] => server.calls.filter(call => call.startsWith(name));
const journals = async (): Promise<string[]> => readdir(join(folder, 'state')).catch(() => []);

test.each(['direct', 'proxied'] as const)(
  'a file of many chunks is uploaded %s and downloaded byte for byte',
  async mode => {
    const { path, bytes } = await makeFile('film.bin', 10 * chunkSize + 17);
    const uploaded = await upload(path, { mode });
    expect(uploaded).toMatchObject({ contentHash: sha(bytes), resumed: false, mode, version: 1 });
    expect(callsOf('PUT part')).toHaveLength(11);
    expect(await journals()).toEqual([]);

    const { verifiedChunks, file } = await download(uploaded.fileHash);
    expect(verifiedChunks).toBe(11);
    expect(file.fileName).toBe('film.bin');
    expect((await readFile(target())).equals(bytes)).toBe(true);
  },
);

test('one byte, exactly one chunk and one byte more than a chunk are transferred unchanged', async () => {
  for (const size of [1, chunkSize, chunkSize + 1]) {
    const { path, bytes } = await makeFile(`of-${size}`, size);
    const { fileHash } = await upload(path);
    await download(fileHash, { mayReplace: true });
    expect((await readFile(target())).equals(bytes)).toBe(true);
  }
});

test('many megabytes in large chunks are transferred unchanged, with no extra bytes', async () => {
  const { path, bytes } = await makeFile('large', 9 * 1024 * KiB + 1);
  const { fileHash } = await upload(path, { chunkSize: 4 * 1024 * KiB });
  await download(fileHash);
  expect((await readFile(target())).equals(bytes)).toBe(true);
  expect(callsOf('downloadFile')).toHaveLength(1);
});

test('an empty file is rejected before any request', async () => {
  const { path } = await makeFile('empty', 0);
  await expect(upload(path)).rejects.toMatchObject({ failure: 'source-empty' });
  expect(server.calls).toEqual([]);
});

test('busy stores, busy servers and broken connections are retried', async () => {
  const { path, bytes } = await makeFile('a', 6 * chunkSize);
  server.fault = (call, count) => {
    if (call === 'PUT part 1' && count < 3) return { kind: 'status', status: 503 };
    if (call === 'PUT part 2' && count === 1) return { kind: 'reset', afterBytes: 0 };
    if (call === 'PUT part 3' && count === 1) return { kind: 'reset', afterBytes: 10 * KiB };
    if (call === 'PUT part 4' && count === 1) return { kind: 'status', status: 429, retryAfter: 7 };
    if (call === 'startDirectUpload' && count === 1) return { kind: 'status', status: 503 };
    if (call === 'completeDirectUpload' && count === 1) return { kind: 'lost-answer' };
    return undefined;
  };
  expect(await upload(path)).toMatchObject({ contentHash: sha(bytes) });
  expect(server.files.size).toBe(1);
  // 7 s as the store has asked, spread a little; everything else starts below a second.
  expect(waits.filter(wait => wait >= 7000 && wait < 7500)).toHaveLength(1);
  expect(waits.filter(wait => wait < 1000).length).toBeGreaterThanOrEqual(6);
});

test('a proxied upload retries the same failures', async () => {
  const { path, bytes } = await makeFile('a', 4 * chunkSize);
  server.fault = (call, count) => {
    if (call === 'PUT part 1' && count === 1) return { kind: 'status', status: 429, retryAfter: 3 };
    if (call === 'PUT part 2' && count === 1) return { kind: 'reset', afterBytes: 10 * KiB };
    if (call === 'PUT part 3' && count === 1) return { kind: 'lost-answer' };
    return undefined;
  };
  expect(await upload(path, { mode: 'proxied' })).toMatchObject({ contentHash: sha(bytes) });
  expect(waits.some(wait => wait >= 3000 && wait < 3500)).toBe(true);
});

test('a store that never recovers ends the upload, and the next run sends only missing parts', async () => {
  const { path, bytes } = await makeFile('a', 8 * chunkSize);
  server.fault = call => (call === 'PUT part 5' ? { kind: 'status', status: 503 } : undefined);
  await expect(upload(path, { jobs: 1 })).rejects.toMatchObject({ failure: 'gave-up' });
  expect(callsOf('PUT part 5')).toHaveLength(defaultRetryPolicy.maxTries);

  server.fault = () => undefined;
  server.calls.length = 0;
  expect(await upload(path, { jobs: 1 })).toMatchObject({ contentHash: sha(bytes), resumed: true });
  expect(callsOf('PUT part')).toEqual(['PUT part 5', 'PUT part 6', 'PUT part 7']);
});

test('expired addresses are signed again and all parts are uploaded', async () => {
  const { path, bytes } = await makeFile('a', 12 * chunkSize);
  server.fault = (call, count) => {
    if (call === 'PUT part 3' && count === 1) server.expireAddresses();
    return undefined;
  };
  expect(await upload(path, { jobs: 2 })).toMatchObject({ contentHash: sha(bytes) });
  expect(callsOf('startDirectUpload').length).toBeGreaterThan(1);
});

test('a store that rejects every address ends the upload', async () => {
  const { path } = await makeFile('a', 2 * chunkSize);
  server.fault = call => {
    if (call.startsWith('PUT part')) server.expireAddresses();
    return undefined;
  };
  await expect(upload(path)).rejects.toMatchObject({ failure: 'part-refused' });
});

test('an aborted upload keeps its progress', async () => {
  const { path, bytes } = await makeFile('a', 8 * chunkSize);
  const stop = new AbortController();
  server.fault = call => {
    if (call === 'PUT part 4') stop.abort(new Error('enough for today'));
    return undefined;
  };
  await expect(upload(path, { jobs: 1, signal: stop.signal })).rejects.toThrow('enough for today');
  expect(await journals()).toHaveLength(1);

  server.fault = () => undefined;
  server.calls.length = 0;
  expect(await upload(path, { jobs: 1 })).toMatchObject({ contentHash: sha(bytes), resumed: true });
  expect(callsOf('PUT part').length).toBeLessThanOrEqual(4);
});

test('an upload whose session has ended on the server restarts', async () => {
  const { path, bytes } = await makeFile('a', 4 * chunkSize);
  server.fault = call => (call === 'PUT part 2' ? { kind: 'status', status: 503 } : undefined);
  await expect(upload(path)).rejects.toThrow();
  server.fault = () => undefined;
  server.sessions.clear();
  expect(await upload(path)).toMatchObject({ contentHash: sha(bytes), resumed: false });
});

test('a run killed after completion gets the same response and creates no second file', async () => {
  const { path } = await makeFile('a', 3 * chunkSize);
  server.fault = call => (call === 'completeDirectUpload' ? { kind: 'lost-answer' } : undefined);
  await expect(upload(path)).rejects.toThrow();
  expect(server.files.size).toBe(1);
  server.fault = () => undefined;
  server.calls.length = 0;
  const [only] = server.files.values();
  expect(await upload(path)).toMatchObject({ fileId: only?.view.id, resumed: true });
  expect(server.files.size).toBe(1);
  expect(callsOf('PUT part')).toEqual([]);
});

test.each([{ kind: 'silence' }, { kind: 'status', status: 503 }] as const)(
  'a slow completion is polled until it is done, after a timeout and a busy response: $kind',
  async fault => {
    const { path, bytes } = await makeFile('a', 2 * chunkSize);
    timeoutMs = 100;
    server.fault = (call, count) => {
      if (call !== 'completeDirectUpload') return undefined;
      const isLast = count > defaultRetryPolicy.maxTries + 1;
      for (const session of server.sessions.values()) session.status = isLast ? 'UPLOADING' : 'FINALIZING';
      return isLast ? undefined : fault;
    };
    expect(await upload(path)).toMatchObject({ contentHash: sha(bytes) });
  },
);

test('a file changed during the upload is an error, and nothing is registered', async () => {
  const { path } = await makeFile('a', 6 * chunkSize);
  const waiting: Promise<void>[] = [];
  server.fault = call => {
    if (call === 'PUT part 2') waiting.push(appendFile(path, 'more'));
    return undefined;
  };
  await expect(upload(path, { jobs: 1 })).rejects.toMatchObject({ failure: 'source-changed' });
  await Promise.all(waiting);
  expect(server.files.size).toBe(0);
  expect([...server.sessions.values()].map(session => session.status)).toEqual(['CANCELLED']);
  expect(await journals()).toEqual([]);
});

test('a file replaced by another is detected too', async () => {
  const { path } = await makeFile('a', 4 * chunkSize);
  const other = await makeFile('b', 4 * chunkSize);
  const waiting: Promise<void>[] = [];
  server.fault = call => {
    if (call === 'PUT part 1') waiting.push(rename(other.path, path));
    return undefined;
  };
  await expect(upload(path, { jobs: 1, mode: 'proxied' })).rejects.toMatchObject({ failure: 'source-changed' });
  await Promise.all(waiting);
});

test('a changed file is not resumed: it restarts, or is rejected where resuming is required', async () => {
  const { path } = await makeFile('a', 4 * chunkSize);
  server.fault = call => (call === 'PUT part 3' ? { kind: 'status', status: 503 } : undefined);
  await expect(upload(path)).rejects.toThrow();
  server.fault = () => undefined;
  const bytes = randomBytes(4 * chunkSize);
  await writeFile(path, bytes);
  await expect(upload(path, { resume: 'require' })).rejects.toMatchObject({ failure: 'source-changed' });
  expect(await upload(path)).toMatchObject({ contentHash: sha(bytes), resumed: false });
  expect([...server.sessions.values()].map(session => session.status).sort()).toEqual(['CANCELLED', 'COMPLETED']);
});

test('required resuming without an upload to resume is rejected', async () => {
  const { path } = await makeFile('a', chunkSize);
  await expect(upload(path, { resume: 'require' })).rejects.toMatchObject({ failure: 'nothing-to-resume' });
});

test('an upload paused elsewhere stops, and the next run resumes it', async () => {
  const { path, bytes } = await makeFile('a', 6 * chunkSize);
  server.fault = call => {
    if (call === 'PUT part 3') for (const session of server.sessions.values()) session.status = 'PAUSED';
    return undefined;
  };
  await expect(upload(path, { jobs: 1, mode: 'proxied' })).rejects.toMatchObject({ failure: 'paused' });
  server.fault = () => undefined;
  expect(await upload(path, { mode: 'proxied' })).toMatchObject({ contentHash: sha(bytes), resumed: true });
});

test.each([
  ['PAUSED', 'paused'],
  ['CANCELLED', 'cancelled'],
] as const)(
  'a part rejected because the upload is %s is not reported as a failure of the store',
  async (status, failure) => {
    const { path } = await makeFile('a', 6 * chunkSize);
    server.fault = call => {
      if (call !== 'PUT part 3') return undefined;
      for (const session of server.sessions.values()) session.status = status;
      return { kind: 'status', status: 409 };
    };
    await expect(upload(path, { jobs: 1 })).rejects.toMatchObject({ failure });
  },
);

test('a part that the store rejects for another reason is reported', async () => {
  const { path } = await makeFile('a', chunkSize);
  server.fault = call => (call === 'PUT part 0' ? { kind: 'status', status: 409 } : undefined);
  await expect(upload(path)).rejects.toMatchObject({ failure: 'part-refused' });
});

test('a named pipe is rejected without waiting for its writer', async () => {
  const path = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  await expect(upload(path)).rejects.toMatchObject({ failure: 'source-not-a-file' });
  await expect(upload(folder)).rejects.toMatchObject({ failure: 'source-not-a-file' });
});

test('a rejection by the server is returned unchanged', async () => {
  const { path } = await makeFile('a', chunkSize);
  await expect(upload(path, { targetFileId: '99' })).rejects.toMatchObject({ kind: 'VERSION_SOURCE_INVALID' });
  expect(await journals()).toEqual([]);
});

test('two runs never upload the same file concurrently', async () => {
  const { path } = await makeFile('a', chunkSize);
  await using _held = openUploadJournal(join(folder, 'state'), { path, server: server.url, account: 'alice' });
  await expect(upload(path)).rejects.toMatchObject({ name: 'JournalBusy' });
});

test('the journal is readable by its owner only, and a damaged one is ignored', async () => {
  const { path, bytes } = await makeFile('a', 2 * chunkSize);
  server.fault = call => (call === 'PUT part 1' ? { kind: 'status', status: 503 } : undefined);
  await expect(upload(path)).rejects.toThrow();
  const [name = ''] = (await journals()).filter(entry => entry.endsWith('.upload'));
  expect((await stat(join(folder, 'state'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'state', name))).mode & 0o777).toBe(0o600);
  await writeFile(join(folder, 'state', name), 'this is not SQLite, whatever it was before');
  server.fault = () => undefined;
  expect(await upload(path)).toMatchObject({ contentHash: sha(bytes), resumed: false });
});

test('progress ends at the whole file, also when parts were sent twice', async () => {
  const { path } = await makeFile('a', 6 * chunkSize);
  server.fault = (call, count) =>
    call === 'PUT part 3' && count === 1 ? { kind: 'reset', afterBytes: 20 * KiB } : undefined;
  const told: Progress[] = [];
  await upload(path, { onProgress: progress => told.push(progress) });
  expect(told.at(-1)).toMatchObject({ phase: 'done', bytesMoved: 6 * chunkSize, bytesHashed: 6 * chunkSize });
  expect(told.at(-1)?.retries).toBeGreaterThanOrEqual(1);
});

test('an interrupted download resumes at its last byte', async () => {
  const { path, bytes } = await makeFile('a', 40 * chunkSize);
  const { fileHash } = await upload(path);
  server.fault = (call, count) =>
    call === 'downloadFile' && count < 3 ? { kind: 'reset', afterBytes: 10 * chunkSize } : undefined;
  await download(fileHash);
  expect((await readFile(target())).equals(bytes)).toBe(true);
  expect(callsOf('downloadFile')).toHaveLength(3);
});

test('a flipped bit is downloaded again; a permanent one never becomes a file', async () => {
  const { path, bytes } = await makeFile('a', 10 * chunkSize);
  const { fileHash } = await upload(path);
  const flipped = { kind: 'flip', at: 5 * chunkSize + 3 } as const;
  server.fault = (call, count) => (call === 'downloadFile' && count === 1 ? flipped : undefined);
  await download(fileHash);
  expect((await readFile(target())).equals(bytes)).toBe(true);

  await rm(target());
  server.fault = () => flipped;
  await expect(download(fileHash)).rejects.toMatchObject({ failure: 'wrong-bytes' });
  expect(existsSync(target())).toBe(false);
});

test('partial downloads are verified: valid chunks are kept, others are downloaded again', async () => {
  const { path, bytes } = await makeFile('a', 10 * chunkSize);
  const { fileHash } = await upload(path);
  const draft = draftPath(target(), fileHash);
  const left = Buffer.from(bytes.subarray(0, 6 * chunkSize + 100));
  left[3 * chunkSize + 1] = (left[3 * chunkSize + 1] ?? 0) ^ 1;
  await writeFile(draft, left);
  expect(await download(fileHash)).toMatchObject({ resumedBytes: 3 * chunkSize });
  expect((await readFile(target())).equals(bytes)).toBe(true);
  expect(existsSync(draft)).toBe(false);
});

test('a hard link to another file is never written to', async () => {
  const { path, bytes } = await makeFile('a', 2 * chunkSize);
  const { fileHash } = await upload(path);
  const other = await makeFile('other', 3 * chunkSize);
  await link(other.path, draftPath(target(), fileHash));
  await download(fileHash);
  expect((await readFile(target())).equals(bytes)).toBe(true);
  expect((await readFile(other.path)).equals(other.bytes)).toBe(true);
});

test('a partial download longer than the file is cut', async () => {
  const { path, bytes } = await makeFile('a', 2 * chunkSize + 5);
  const { fileHash } = await upload(path);
  await writeFile(draftPath(target(), fileHash), bytes);
  await truncate(draftPath(target(), fileHash), 5 * chunkSize);
  expect(await download(fileHash)).toMatchObject({ resumedBytes: 2 * chunkSize + 5 });
  expect((await readFile(target())).equals(bytes)).toBe(true);
});

test('an existing file is only overwritten on request, also when it appears during the download', async () => {
  const { path, bytes } = await makeFile('a', 3 * chunkSize);
  const { fileHash } = await upload(path);
  await writeFile(target(), 'mine');
  await expect(download(fileHash)).rejects.toMatchObject({ failure: 'target-exists' });
  await rm(target());
  const waiting: Promise<void>[] = [];
  server.fault = call => {
    if (call === 'downloadFile') waiting.push(writeFile(target(), 'mine, just now'));
    return undefined;
  };
  await expect(download(fileHash)).rejects.toMatchObject({ failure: 'target-exists' });
  await Promise.all(waiting);
  expect(await readFile(target(), 'utf8')).toBe('mine, just now');
  await download(fileHash, { mayReplace: true });
  expect((await readFile(target())).equals(bytes)).toBe(true);
});

test('two runs never write to the same target concurrently', async () => {
  const { path } = await makeFile('a', 3 * chunkSize);
  const { fileHash } = await upload(path);
  const lockFolder = join(folder, 'state');
  {
    await using _held = await openFileSink({ target: target(), key: fileHash, mayReplace: false, lockFolder, pool });
    await expect(download(fileHash)).rejects.toMatchObject({ name: 'FileLocked' });
  }
  await download(fileHash);
  expect(await readdir(lockFolder)).toEqual([]);
});

test('a tampered manifest is rejected before any byte is downloaded', async () => {
  const { path } = await makeFile('a', 3 * chunkSize);
  const { fileHash } = await upload(path);
  const stored = server.files.get(fileHash);
  if (!stored) throw new Error('the file is not there');
  const honest = stored.manifest;
  const lies = [
    honest.replace(/"plainHash":"sha256:./, '"plainHash":"sha256:'),
    honest.replace(`"size":${chunkSize}`, `"size":${chunkSize - 1}`),
    honest.replace('"index":0', '"index":1'),
    honest.replace(`"totalSize":${3 * chunkSize}`, `"totalSize":${2 * chunkSize}`),
    '{}',
    'not JSON',
  ];
  for (const lie of lies) {
    expect(lie).not.toBe(honest);
    stored.manifest = lie;
    await expect(download(fileHash)).rejects.toMatchObject({ failure: 'wrong-answer' });
  }
  expect(callsOf('downloadFile')).toEqual([]);
});

test('a record whose contentHash differs from its chunks never becomes a file', async () => {
  const { path } = await makeFile('a', 3 * chunkSize);
  const { fileHash } = await upload(path);
  const stored = server.files.get(fileHash);
  if (!stored) throw new Error('the file is not there');
  stored.view = { ...stored.view, contentHash: `sha256:${'0'.repeat(64)}` };
  await expect(download(fileHash)).rejects.toMatchObject({ failure: 'wrong-bytes' });
  expect((await readdir(folder)).filter(name => name.includes('arrived') || name.endsWith('.part'))).toEqual([]);
});
