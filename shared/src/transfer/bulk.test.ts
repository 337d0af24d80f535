// Bulk uploads: frames of the response, request limits, resends after a broken connection, unknown outcomes.
import { expect, test } from 'vitest';
import { type BulkAnswer, readFrames, toFrame } from '../api/bulk-answers.ts';
import { openClient } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { mostBulkBytes, mostBulkFiles } from '../api/short-uploads.ts';
import { toBulkSets, toRejection, uploadBulk } from './bulk-upload.ts';
import { type Http, HttpBroken } from './ports.ts';
import type { Phase, Progress } from './progress.ts';

const answers: BulkAnswer[] = [
  new Uint8Array([1, 10, 2]),
  new ApiError('CONFLICT', 'not yet', { retryAfterSeconds: 3, detail: { reason: 'BATCH_PENDING' } }),
  new Uint8Array(),
  new Uint8Array(1000).fill(10),
];
const body = Buffer.concat(answers.flatMap(answer => [...toFrame(answer)]));

async function* inBlocksOf(size: number, bytes: Uint8Array = body) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 7, 64, 1_000_000])(
  'many responses in one body are read as they were written, in blocks of %i',
  async size => {
    const read = await Array.fromAsync(readFrames(inBlocksOf(size), 1000));
    expect(read.map(one => (one instanceof ApiError ? one.kind : [...one]))).toEqual(
      answers.map(one => (one instanceof ApiError ? one.kind : [...one])),
    );
    expect(read[1]).toMatchObject({ retryAfterSeconds: 3, detail: { reason: 'BATCH_PENDING' } });
  },
);

test('a truncated, too large or malformed body is an error', async () => {
  const read = (blocks: AsyncIterable<Uint8Array>, most = 1000) => Array.fromAsync(readFrames(blocks, most));
  await expect(read(inBlocksOf(64, body.subarray(0, body.length - 1)))).rejects.toThrow(RangeError);
  await expect(read(inBlocksOf(64), 999)).rejects.toThrow(RangeError);
  await expect(read(inBlocksOf(64, Buffer.from('<html>\n')))).rejects.toThrow(SyntaxError);
  await expect(read(inBlocksOf(64, Buffer.from('{"status":"SENT","size":-1}\n')))).rejects.toThrow();
  await expect(read(inBlocksOf(1024, Buffer.alloc(100_000, 32)))).rejects.toThrow(RangeError);
});

test('sets keep the order and never exceed the limits of a request', () => {
  const sizes = Array.from({ length: 1201 }, (_, index) => index);
  const sets = toBulkSets(sizes, size => size);
  expect(sets.flat()).toEqual(sizes);
  expect(sets.map(set => set.length)).toEqual([mostBulkFiles, mostBulkFiles, 201]);
  const heavy = toBulkSets([1, mostBulkBytes - 1, 1, mostBulkBytes], size => size);
  expect(heavy).toEqual([[1, mostBulkBytes - 1], [1], [mostBulkBytes]]);
  expect(toBulkSets([], () => 1)).toEqual([]);
});

/** One file, and a server that answers its calls as they come. */
function openOneFile(answerTo: (call: number, form: string) => unknown) {
  let calls = 0;
  const http: Http = {
    async send({ body }) {
      const form = Buffer.concat(await Array.fromAsync(body)).toString();
      calls += 1;
      const answer = { code: 200, message: 'success', data: { results: [answerTo(calls, form)] } };
      return { status: 200, headers: new Headers(), body: new TextEncoder().encode(JSON.stringify(answer)) };
    },
    get: () => Promise.reject(new Error('nothing is fetched here')),
  };
  const baseUrl = 'http://server.example';
  const server = { client: openClient({ baseUrl }), baseUrl, token: async () => undefined };
  const clock = { now: () => 0, sleep: async () => undefined, random: () => 0 };
  async function* read() {
    yield Uint8Array.of(1, 2, 3);
  }
  const contentHash = `sha256:${'cd'.repeat(32)}`;
  const files = [{ fileName: 'a', fileSize: 3, contentHash }];
  const record = { transactionHash: '0x1', manifestHash: `sha256:${'ef'.repeat(32)}`, contentHash };
  const stored = { status: 'STORED', fileId: '1', fileHash: 'ab'.repeat(32), version: 1, ...record } as const;
  return { request: { requestId: 'r', files, read }, ports: { server, http, clock }, stored };
}

test('a set waits for the server after its bytes are sent, and is sent again when the connection breaks', async () => {
  const phases: Phase[] = [];
  const moved: number[] = [];
  const { request, ports, stored } = openOneFile(call => {
    if (call === 1) throw new HttpBroken('the line went dead');
    return stored;
  });
  const onProgress = ({ phase, bytesMoved }: Progress) => {
    phases.push(phase);
    moved.push(bytesMoved);
  };
  const results = await uploadBulk({ ...request, onProgress }, ports);
  expect(results).toEqual([stored]);
  expect(phases.filter((phase, at) => phase !== phases[at - 1])).toEqual([
    'sending',
    'finishing',
    'sending',
    'finishing',
  ]);
  // The bytes of the files, without those of the form around them.
  expect(Math.max(...moved)).toBe(3);
});

test('an unknown outcome is requested again with the same requestId, and reported if it stays unknown', async () => {
  const unknown = { status: 'UNKNOWN', code: 40005, message: 'repeat the call' } as const;
  const asked: string[] = [];
  const { request, ports, stored } = openOneFile((call, form) => {
    asked.push(/"requestId":"([^"]*)"/.exec(form)?.[1] ?? '');
    return call < 3 ? unknown : stored;
  });
  expect(await uploadBulk(request, ports)).toEqual([stored]);
  expect(asked).toEqual(['r', 'r', 'r']);
  const down = openOneFile(() => unknown);
  const results = await uploadBulk(down.request, down.ports);
  expect(results).toEqual([unknown]);
  expect(toRejection(unknown)).toMatchObject({ kind: 'SERVICE_UNAVAILABLE', isOutcomeUnknown: true });
});
