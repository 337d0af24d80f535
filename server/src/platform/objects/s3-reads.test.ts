// Reads from S3: requests per read, resumption after a broken connection, and missing support for ranges.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { toBytes } from '../../../../test/support/bytes.ts';
import type { ObjectStore } from './object-store.ts';
import { openS3Store } from './s3-store.ts';

const object = Buffer.from('an object of some bytes');
const etag = '"0123456789abcdef"';

type Bucket = AsyncDisposable & {
  readonly store: ObjectStore;
  /** Method and range of each request for the object. */
  readonly requests: readonly string[];
  readonly responses: readonly ServerResponse[];
};

/** A bucket with one object, of which each response has at most so many bytes before its connection breaks. */
async function openBucket({ mostBytes = object.length, knowsRanges = true } = {}): Promise<Bucket> {
  const requests: string[] = [];
  const responses: ServerResponse[] = [];
  const answer = ({ method, url, headers }: IncomingMessage, response: ServerResponse) => {
    if (url === '/bucket' || url === '/bucket/') return response.writeHead(200).end();
    requests.push([method, headers.range].filter(Boolean).join(' '));
    responses.push(response);
    const range = knowsRanges ? headers.range : undefined;
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const [start, end] = [Number(from), Math.min(object.length, to === '' ? object.length : Number(to) + 1)];
    if (start >= object.length) return response.writeHead(416).end();
    const ranged = range && { 'content-range': `bytes ${start}-${end - 1}/${object.length}` };
    response.writeHead(ranged ? 206 : 200, { etag, 'content-length': end - start, ...ranged });
    if (method === 'HEAD') return response.end();
    const body = object.subarray(start, Math.min(end, start + mostBytes));
    if (start + body.length === end) return response.end(body);
    return response.write(body, () => setTimeout(() => response.destroy(), 10));
  };
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const endpoints = [`http://127.0.0.1:${port}`];
  const store = await openS3Store({ endpoints, bucket: 'bucket', region: 'here', credentials });
  const close = async () => {
    await store[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  };
  return { store, requests, responses, [Symbol.asyncDispose]: close };
}

test('a read is one request, which also says what the object is', async () => {
  await using bucket = await openBucket();
  const { store, requests } = bucket;
  const read = await store.get('object');
  expect(read).toMatchObject({ size: object.length, etag: '0123456789abcdef', start: 0, end: object.length });
  expect(await toBytes(read.body)).toEqual(object);
  expect((await store.digest('object')).size).toBe(object.length);
  const part = await store.get('object', { start: 3, end: 9 });
  expect(part).toMatchObject({ size: object.length, start: 3, end: 9 });
  expect(await toBytes(part.body)).toEqual(object.subarray(3, 9));
  expect(requests).toEqual(['GET', 'GET', 'GET bytes=3-8']);
});

test('a range without bytes is judged by the head of the object', async () => {
  await using bucket = await openBucket();
  const { store, requests } = bucket;
  expect(await toBytes((await store.get('object', { start: object.length })).body)).toHaveLength(0);
  await expect(store.get('object', { start: object.length + 1 })).rejects.toMatchObject({ kind: 'RANGE_INVALID' });
  expect(requests).toEqual(['GET bytes=23-', 'HEAD', 'GET bytes=24-', 'HEAD']);
});

test('a read whose connection breaks resumes where it was', async () => {
  await using bucket = await openBucket({ mostBytes: 10 });
  const { store, requests } = bucket;
  expect(await toBytes((await store.get('object')).body)).toEqual(object);
  expect(requests).toEqual(['GET', 'GET bytes=10-22', 'GET bytes=20-22']);
});

test('a store that ignores ranges fails partial reads; its objects do not count as damaged', async () => {
  await using bucket = await openBucket({ knowsRanges: false });
  const { store } = bucket;
  expect(await toBytes((await store.get('object')).body)).toEqual(object);
  for (const start of [0, 3]) {
    const { body } = await store.get('object', { start, end: 9 });
    await expect(toBytes(body)).rejects.toMatchObject({ kind: 'FAILED' });
  }
});

test('a response that nobody reads is closed after five seconds; a later read asks again', async () => {
  await using bucket = await openBucket();
  const { store, requests, responses } = bucket;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const read = await store.get('object');
    const socket = responses[0]?.req.socket;
    vi.advanceTimersByTime(5000);
    vi.useRealTimers();
    expect(await toBytes(read.body)).toEqual(object);
    expect(requests).toEqual(['GET', 'GET bytes=0-22']);
    await vi.waitFor(() => expect(socket?.destroyed).toBe(true));
  } finally {
    vi.useRealTimers();
  }
});
