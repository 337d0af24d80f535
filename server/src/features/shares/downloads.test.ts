// @module-tag long-on-postgres
// Downloads through a share: ranges, headers, counting of accesses, and cancellation during a download.
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { parseChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { downloadPath, fetchShared, share } from '../../../../test/support/shares.ts';
import { storeProxied, storeTyped } from '../../../../test/support/uploads.ts';

const MiB = 2 ** 20;

async function begin(bytes = 3 * MiB, chunkSize = MiB) {
  const app = await startApp();
  const alice = await app.person('alice');
  const content = await pattern(bytes);
  const { fileHash, contentHash } = await storeProxied(alice, content, { name: 'größe "x".bin', chunkSize });
  return { app, alice, content, fileHash, contentHash, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const sha = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const readAll = async (response: Response) => new Uint8Array(await response.arrayBuffer());

test('a shared file is downloaded whole and by ranges, always as an attachment', async () => {
  await using ground = await begin();
  const { app, alice, content, fileHash, contentHash } = ground;
  const { shareCode: code } = await share(alice, fileHash);
  const whole = await fetchShared(app.anonymous, code, fileHash);
  expect(sha(await readAll(whole))).toBe(contentHash);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    etag: `"${contentHash}"`,
    'content-disposition': expect.stringMatching(/^attachment; .*filename\*=UTF-8''gr%C3%B6%C3%9Fe/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  const grant = whole.headers.get('x-share-grant') ?? '';
  const part = await fetchShared(app.anonymous, code, fileHash, { range: 'bytes=1000-', 'X-Share-Grant': grant });
  expect([part.status, part.headers.get('x-share-grant')]).toEqual([206, null]);
  expect(Buffer.from(await readAll(part)).equals(Buffer.from(content.subarray(1000)))).toBe(true);
  const head = await app.anonymous.fetch(downloadPath(code, fileHash), { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
  const [log] = [await alice.call(logsApi.listShareLogs, { params: { code } })];
  expect(log.records.map(({ actionType }) => actionType)).toEqual([2]);
  const params = { code, fileHash };
  const { canonicalManifestJson } = await app.anonymous.call(accessApi.sharedDownloadMetadata, { params });
  expect(parseChunkManifest(Buffer.from(canonicalManifestJson))).toMatchObject({ fileHash, totalSize: content.length });
});

test('a shared file has no executable type and is not served as a script, without counting an access', async () => {
  await using app = await startApp();
  const alice = await app.person('alice');
  const types = ['text/javascript', 'text/css', 'image/svg+xml', 'text/html; charset=utf-8'];
  for (const [at, type] of [...types, 'image/png'].entries()) {
    const fileHash = await storeTyped(alice, await pattern(100, at), 'file.bin', type);
    const { shareCode: code } = await share(alice, fileHash, { maxAccesses: 1 });
    for (const path of [downloadPath(code, fileHash), `/s/${code}/files/${fileHash}`]) {
      for (const destination of ['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'audioworklet']) {
        const rejected = await app.anonymous.fetch(path, { headers: { 'sec-fetch-dest': destination } });
        expect([rejected.status, rejected.headers.get('content-type')]).toEqual([
          403,
          'application/json; charset=utf-8',
        ]);
      }
    }
    const response = await app.anonymous.fetch(`/s/${code}/files/${fileHash}`, {
      headers: { 'sec-fetch-dest': 'document' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      type === 'image/png' ? type : 'application/octet-stream',
    ]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
});

test('a range request without a grant counts as an access', async () => {
  await using ground = await begin(10_000);
  const { app, alice, fileHash } = ground;
  const { shareCode: code } = await share(alice, fileHash, { maxAccesses: 1 });
  expect((await fetchShared(app.anonymous, code, fileHash, { range: 'bytes=5000-' })).status).toBe(206);
  expect((await fetchShared(app.anonymous, code, fileHash, { range: 'bytes=6000-' })).status).toBe(410);
});

type Running = { readonly response: IncomingMessage; rest(): Promise<Buffer> };

/** Has the first block and holds the rest back until it is asked for. */
const startSlowly = (url: string): Promise<Running> =>
  new Promise((resolve, reject) => {
    get(url, response => {
      const blocks: Buffer[] = [];
      response.once('readable', () => {
        const first = response.read(64 * 1024) as Buffer | null;
        if (first) blocks.push(first);
        const rest = async () => {
          for await (const block of response) blocks.push(block as Buffer);
          return Buffer.concat(blocks);
        };
        resolve({ response, rest });
      });
    }).on('error', reject);
  });

test('a share cancelled during a download lets it finish, and rejects new and resumed downloads', async () => {
  await using ground = await begin(16 * MiB, 4 * MiB); // more than all buffers on the way hold
  const { app, alice, contentHash, fileHash } = ground;
  const { shareCode: code } = await share(alice, fileHash);
  const running = await startSlowly(app.app.url + downloadPath(code, fileHash));
  expect(running.response.statusCode).toBe(200);
  const grant = String(running.response.headers['x-share-grant']);
  await alice.call(api.revokeShare, { params: { code } });
  const attempts: Record<string, string>[] = [
    {},
    { 'X-Share-Grant': grant },
    { 'X-Share-Grant': grant, range: 'bytes=1000000-', 'if-range': `"${contentHash}"` },
  ];
  for (const headers of attempts) {
    const rejected = await fetchShared(app.anonymous, code, fileHash, headers);
    expect([rejected.status, ((await rejected.json()) as { code: number }).code]).toEqual([410, 50010]);
  }
  const input = { params: { code, fileHash }, headers: { [accessApi.grantHeader]: grant } };
  expect(await app.anonymous.expectError(accessApi.sharedDownloadMetadata, input)).toMatchObject({ code: 50010 });
  expect(sha(await running.rest())).toBe(contentHash);
});
