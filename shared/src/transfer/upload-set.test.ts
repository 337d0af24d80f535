// Upload sets of small files: grouping, common folder, resend with the same id after a lost response.
import { expect, test } from 'vitest';
import { openClient } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { digestOf } from '../evidence/digest.ts';
import { commonFolder } from '../file-path.ts';
import { type Http, HttpBroken, type Source } from './ports.ts';
import { TransferError } from './transfer-error.ts';
import { groupSmall, uploadSet } from './upload-set.ts';

const MiB = 1024 * 1024;

test('small files are grouped; large, empty and unusual ones are sent alone', () => {
  const file = (name: string, size: number) => ({ name, size });
  const many = Array.from({ length: 600 }, (_, at) => file(`${at}`, 10));
  const heavy = Array.from({ length: 20 }, (_, at) => file(`heavy ${at}`, MiB));
  const alone = [file('large', MiB + 1), file('empty', 0), file('a\nb', 5)];
  const groups = groupSmall([...alone, ...many, ...heavy], one => one);
  expect(groups.map(group => group.length)).toEqual([500, 115, 5, 1, 1, 1]);
  expect(groups.flat().slice(-3)).toEqual(alone);
});

test('a set is shown with the deepest common folder', () => {
  expect(commonFolder(['a/b/c', 'a/b', 'a/b/d'])).toBe('a/b');
  expect(commonFolder(['a/b', 'a/bc'])).toBe('a');
  expect(commonFolder(['a', null])).toBe(null);
  expect(commonFolder(['a/b', 'a/b'])).toBe('a/b');
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function memberOf(name: string, text: string, isGone = false) {
  const bytes = bytesOf(text);
  const source: Source = {
    path: name,
    name,
    size: bytes.length,
    revision: '1',
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
    digest: async (start, end) => digestOf(bytes.subarray(start, end)),
    assertUnchanged: async () => undefined,
    async [Symbol.asyncDispose]() {},
  };
  const open = async () => {
    if (isGone) throw new TransferError('source-changed', `${name} is gone`);
    return source;
  };
  return { folder: null, open };
}

/** Breaks the first call after it has stored everything, and refuses what is called `no`. */
function openServer() {
  const ids: string[] = [];
  const send: Http['send'] = async ({ body }) => {
    const form = Buffer.concat(await Array.fromAsync(body)).toString();
    const manifest = JSON.parse(/^\{.*\}\r?$/m.exec(form)?.[0] ?? '');
    ids.push(manifest.requestId);
    if (ids.length === 1) throw new HttpBroken('the line went dead');
    const results = manifest.files.map(({ fileName, contentHash }: { fileName: string; contentHash: string }) =>
      fileName === 'no'
        ? { status: 'REFUSED', code: new ApiError('FORBIDDEN').code, message: 'not this one' }
        : {
            ...{ status: 'STORED', fileId: '1', fileHash: 'ab'.repeat(32), version: 1, contentHash },
            ...{ transactionHash: '0x1', manifestHash: `sha256:${'ef'.repeat(32)}` },
          },
    );
    const answer = { code: 200, message: 'success', data: { results } };
    return { status: 200, headers: new Headers(), body: new Uint8Array(bytesOf(JSON.stringify(answer))) };
  };
  const get: Http['get'] = () => Promise.reject(new Error('nothing is fetched here'));
  const baseUrl = 'http://server.example';
  const server = { client: openClient({ baseUrl }), baseUrl, token: async () => undefined };
  const clock = { now: () => 0, sleep: async () => undefined, random: () => 0 };
  return { ids, ports: { server, http: { send, get }, clock } };
}

test('a set with a lost response is sent again with the same id, and each file succeeds or fails alone', async () => {
  const { ids, ports } = openServer();
  const members = [
    memberOf('one', 'first'),
    memberOf('gone', '', true),
    memberOf('no', 'second'),
    memberOf('two', '3'),
  ];
  const outcomes = await uploadSet({ id: 'set', members }, ports);
  expect(outcomes).toMatchObject([
    { status: 'STORED', contentHash: digestOf(bytesOf('first')) },
    { failure: 'source-changed' },
    { kind: 'FORBIDDEN' },
    { status: 'STORED', contentHash: digestOf(bytesOf('3')) },
  ]);
  await uploadSet({ id: 'set', members }, ports);
  await uploadSet({ id: 'another', members }, ports);
  expect(ids).toHaveLength(4);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(ids[3]).not.toBe(ids[0]);
});
