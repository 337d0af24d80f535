// The object stores of the contract suite, each with test-only access behind its interface.
import { execFile } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { toObjectPath } from '../../server/src/platform/objects/disk-layout.ts';
import { verifySignedRequest } from '../../server/src/platform/objects/disk-presign.ts';
import { type ObjectStore, ObjectStoreError } from '../../server/src/platform/objects/object-store.ts';
import { type ObjectStoreOptions, openObjectStore } from '../../server/src/platform/objects/open-object-store.ts';
import { toS3Client } from '../../server/src/platform/objects/s3-endpoints.ts';
import { startCeph, whyNoCeph } from './ceph.ts';

export type Backend = AsyncDisposable & {
  readonly store: ObjectStore;
  /** The settings with which another process opens the same store; `presign` is left out for the disk. */
  readonly shared: SharedOptions;
  open(now?: () => number): Promise<ObjectStore>;
  /** Changes the stored bytes to others of the same length, as a failing or hostile store would. */
  replaceBytes(key: string, bytes: Buffer): Promise<void>;
};

export type SharedOptions =
  | { readonly kind: 'disk'; readonly folder: string }
  | { readonly kind: 's3'; readonly endpoints: readonly string[]; readonly bucket: string };

const cephAccess = { region: 'us-east-1', credentials: { accessKeyId: 'testkey', secretAccessKey: 'testsecret' } };
const fiveMebibytes = 5 * 1024 * 1024;

export function openShared(
  shared: SharedOptions,
  presign = toPresign('http://127.0.0.1:1'),
  now = Date.now,
): Promise<ObjectStore> {
  const options: ObjectStoreOptions =
    shared.kind === 'disk'
      ? { ...shared, presign, now }
      : { ...shared, ...cephAccess, now, partBytes: fiveMebibytes, copyPartBytes: 2 * fiveMebibytes, reprobeMs: 100 };
  return openObjectStore(options);
}

const toPresign = (baseUrl: string, secret = createSecretKey(randomBytes(32))) => ({ baseUrl, secret });

async function startDisk(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-objects-'));
  const shared: SharedOptions = { kind: 'disk', folder };
  const secret = createSecretKey(randomBytes(32));
  const server = createServer((request, response) => void serve(store, secret, request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const open = (now = Date.now) => openShared(shared, toPresign(`http://127.0.0.1:${port}/signed`, secret), now);
  const store = await open();
  return {
    store,
    shared,
    open,
    async replaceBytes(key, bytes) {
      const { folders, file } = toObjectPath(key);
      const path = join(folder, 'objects', ...folders, file);
      const stored = await readFile(path);
      bytes.copy(stored);
      await writeFile(path, stored);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The minimum that an HTTP side must do for signed URLs of the disk store. */
async function serve(
  store: ObjectStore,
  secret: Parameters<typeof verifySignedRequest>[0],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const length = request.headers['content-length'];
  const url = new URL(request.url ?? '', 'http://localhost');
  const verdict = verifySignedRequest(secret, {
    method: request.method ?? '',
    query: url.searchParams,
    contentLength: length === undefined ? undefined : Number(length),
    nowEpochSeconds: Math.floor(Date.now() / 1000),
  });
  if (verdict.kind === 'REFUSED' || url.pathname !== '/signed') {
    response.writeHead(403, { connection: 'close' }).end();
    return;
  }
  const { key, method, size } = verdict.grant;
  try {
    if (method === 'PUT') {
      const stored = await store.put(key, request, size === undefined ? {} : { size });
      response.writeHead(200, { etag: `"${stored.etag}"` }).end();
      return;
    }
    const read = await store.get(key);
    response.writeHead(200, { 'content-length': read.size });
    for await (const block of read.body) response.write(block);
    response.end();
  } catch (error) {
    response.writeHead(error instanceof ObjectStoreError && error.kind === 'NOT_FOUND' ? 404 : 500).end();
  }
}

async function startS3(): Promise<Backend> {
  const ceph = await startCeph();
  const bucket = 'contract';
  const shared: SharedOptions = { kind: 's3', endpoints: [ceph.endpoint], bucket };
  const client = toS3Client({ ...cephAccess, endpoints: [], bucket }, ceph.endpoint);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const open = (now = Date.now) => openShared(shared, undefined, now);
  const store = await open();
  return {
    store,
    shared,
    open,
    async replaceBytes(key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      client.destroy();
      await ceph[Symbol.asyncDispose]();
    },
  };
}

export const backends = [
  { name: 'disk', whyNot: null, start: startDisk },
  { name: 's3 on Ceph', whyNot: whyNoCeph(), start: startS3 },
] as const;

const run = promisify(execFile);

/** A third-party client. Returns the HTTP status. */
export async function curl(...args: string[]): Promise<number> {
  const { stdout } = await run('curl', [
    '-s',
    '-S',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    '--max-time',
    '20',
    ...args,
  ]);
  return Number(stdout);
}
