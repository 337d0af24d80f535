// @module-tag long-on-postgres
// Limits of direct uploads: rate limits of starts and parts, concurrent bodies, and the minimum rate.
import { createHash } from 'node:crypto';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { expect, test } from 'vitest';
import { type Person, startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { cut, putSigned, startDirect } from '../../../../test/support/uploads.ts';

const plan = { fileName: 'a.bin', fileSize: 4, contentType: 'application/octet-stream', chunkSize: 1, totalChunks: 4 };

const part = (index: number) => {
  const hash = `sha256:${createHash('sha256').update(String(index)).digest('hex')}`;
  return { index, size: 1, plainHash: hash, cipherHash: hash, checksumAlgorithm: 'SHA-256' as const };
};

test('starting an upload counts against the rate limit, announcing more parts does not', async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_UPLOAD: '2' } });
  const ada = await app.person('ada');
  const announce = (clientId: string, index: number) => ({ body: { ...plan, clientId, parts: [part(index)] } });
  for (let index = 0; index < 4; index += 1) await ada.call(directApi.startDirectUpload, announce('one', index));
  await ada.call(directApi.startDirectUpload, announce('two', 0));
  const refused = await ada.expectError(directApi.startDirectUpload, announce('three', 0));
  expect(refused).toMatchObject({ kind: 'RATE_LIMITED', status: 429 });
  expect(refused.retryAfterSeconds).toBeGreaterThan(50);
  await ada.call(directApi.startDirectUpload, announce('two', 1));
});

test('an upload is counted once: completing, pausing and cancelling are not counted', async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_UPLOAD: '2', RECORDPROOF_RATE_LIMIT_OTHER: '1' } });
  const ada = await app.person('ada');
  const plan = { fileName: 'a.bin', fileSize: 2, chunkSize: 1, totalChunks: 2 };
  const { clientId } = await ada.call(chunkedApi.startUpload, { body: plan });
  for (let turn = 0; turn < 3; turn += 1) {
    await ada.call(chunkedApi.pauseUpload, { body: { clientId } });
    await ada.call(chunkedApi.resumeUpload, { body: { clientId } });
    expect(await ada.expectError(chunkedApi.completeUpload, { body: { clientId } })).toMatchObject({ status: 409 });
  }
  await ada.call(chunkedApi.cancelUpload, { body: { clientId } });
  await ada.call(sessionApi.createUploadSession, { body: { fileName: 'b.bin', fileSize: 2 } });
  expect(await ada.expectError(chunkedApi.startUpload, { body: plan })).toMatchObject({ status: 429 });
});

test('a rejected start of a direct upload is counted as an upload', async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_UPLOAD: '2' } });
  const [ada, watcher] = [await app.person('ada'), await app.person('watcher', { role: 'monitor' })];
  const bodies = [
    '{}',
    '{',
    JSON.stringify({ fileName: 'a.bin', fileSize: 2, chunkSize: 1, totalChunks: 2, parts: [] }),
  ];
  const begin = async (person: Person, body: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await person.fetch(directApi.startDirectUpload.path, { method: 'POST', headers, body });
    return [response.status, response.headers.get('x-ratelimit-limit'), response.headers.get('x-ratelimit-remaining')];
  };
  const beginAll = async (person: Person) => {
    const answers = [];
    for (const body of bodies) answers.push(await begin(person, body));
    return answers;
  };
  const rejected = (status: number) => [
    [status, '2', '1'],
    [status, '2', '0'],
    [429, '2', '0'],
  ];
  expect(await beginAll(ada)).toEqual(rejected(400));
  expect(await beginAll(watcher)).toEqual(rejected(403));
  expect(await beginAll(app.anonymous)).toEqual(rejected(401));
});

test('signed parts are rate limited per upload, unsigned ones per address', async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_CHUNK: '2' } });
  const ada = await app.person('ada');
  const bytes = await pattern(20_000);
  const { parts } = await startDirect(ada, bytes, { chunkSize: 10_000 });
  const put = async () => putSigned(parts[0] as (typeof parts)[0], cut(bytes, 10_000, 0));
  for (let turn = 1; turn <= 20; turn += 1) {
    const { status, headers } = await put();
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, String(20 - turn)]);
  }
  expect((await put()).status).toBe(429);
  const unsigned = async () => {
    const path = '/api/v1/objects?method=PUT&key=staging/a/0&size=1&expires=1&signature=AA';
    return (await app.anonymous.fetch(path, { method: 'PUT', body: 'x' })).status;
  };
  expect([await unsigned(), await unsigned(), await unsigned()]).toEqual([403, 403, 429]);
});

test('a signed address accepts at most four concurrent bodies', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const bytes = await pattern(10_000);
  const { parts } = await startDirect(ada, bytes, { chunkSize: 10_000 });
  const { pathname, search } = new URL(parts[0]?.uploadUrl ?? '');
  const begin = async () => {
    const raw = await openRaw(app.app.url);
    raw.send(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n`);
    return raw;
  };
  const opened = await Promise.all(Array.from({ length: 5 }, begin));
  const refused = await Promise.race(opened.map(raw => raw.answer()));
  expect(refused.status).toBe(429);
  for (const raw of opened) raw[Symbol.dispose]();
  await expect.poll(async () => (await putSigned(parts[0] as (typeof parts)[0], bytes)).status).toBe(200);
});

test('an upload slower than the minimum rate gets 408', async () => {
  await using app = await startApp({ env: { RECORDPROOF_STALL_TIMEOUT_SECONDS: '1' } });
  const ada = await app.person('ada');
  const { clientId } = await ada.call(sessionApi.createUploadSession, {
    body: { fileName: 'b.bin', fileSize: 100_000 },
  });
  using raw = await openRaw(app.app.url);
  raw.send(`PUT /api/v1/upload-sessions/${clientId}/parts/0 HTTP/1.1\r\nHost: x\r\n`);
  raw.send(`Authorization: Bearer ${ada.token}\r\nContent-Length: 100000\r\n\r\n`);
  const trickle = setInterval(() => raw.send('x'), 100);
  const { status } = await raw.answer().finally(() => clearInterval(trickle));
  expect(status).toBe(408);
  await raw.closed;
});
