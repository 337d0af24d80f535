// An S3 store whose nodes die, freeze and lose their answers: one cluster, several gateways.
import { CreateBucketCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toS3Client } from '../../server/src/platform/objects/s3-endpoints.ts';
import { openS3Store, type S3StoreOptions } from '../../server/src/platform/objects/s3-store.ts';
import { pattern, patternStream, sha256Of, toBytes, toList } from '../support/bytes.ts';
import { type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { startUnreliableProxy } from '../support/unreliable-proxy.ts';

// Real servers are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const mebibyte = 1024 * 1024;
const rejected = (kind: string) => expect.objectContaining({ name: 'ObjectStoreError', kind });
const whyNot = whyNoCeph();

describe.skipIf(whyNot !== null)(`s3 failures${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  let ceph: Ceph;
  let base: Omit<S3StoreOptions, 'endpoints'>;
  beforeAll(async () => {
    ceph = await startCeph();
    const { accessKeyId, secretAccessKey, region } = ceph;
    base = {
      bucket: 'failures',
      region,
      credentials: { accessKeyId, secretAccessKey },
      partBytes: 5 * mebibyte,
      timeouts: { connectMs: 20_000, idleMs: 30_000, probeMs: 30_000 },
      reprobeMs: 50,
    };
    const client = toS3Client({ ...base, endpoints: [] }, ceph.endpoint);
    await client.send(new CreateBucketCommand({ Bucket: 'failures' }));
    client.destroy();
  });
  afterAll(() => ceph?.[Symbol.asyncDispose]());

  const openOver = (...endpoints: string[]) => openS3Store({ ...base, endpoints });

  test('a read continues through another node when its own fails', async () => {
    const doomed = await ceph.startGateway();
    await using store = await openOver(doomed.endpoint, ceph.endpoint);
    const size = 60 * mebibyte;
    const { sha256 } = await store.put('read/big', patternStream(size), { size });
    const read = await store.get('read/big', { sha256 });
    let received = 0;
    for await (const block of read.body) {
      if (received === 0) await doomed.stop();
      received += block.length;
    }
    expect(received).toBe(size);
    expect(await store.probe()).toMatchObject({
      healthyNodes: 1,
      totalNodes: 2,
      nodes: [{ online: false }, { online: true }],
    });
    expect((await store.put('read/after', patternStream(11 * mebibyte))).size).toBe(11 * mebibyte);
  });

  test('a frozen node is skipped, and used again when it responds', async () => {
    const frozen = await ceph.startGateway();
    const timeouts = { connectMs: 3000, idleMs: 3000, probeMs: 3000 }; // a node that answers is not that slow
    await using store = await openS3Store({ ...base, timeouts, endpoints: [frozen.endpoint, ceph.endpoint] });
    frozen.freeze();
    expect(await store.put('frozen/a', patternStream(1000))).toMatchObject({ size: 1000 });
    expect(await store.probe()).toMatchObject({ healthyNodes: 1, nodes: [{ online: false }, { online: true }] });
    frozen.thaw();
    await expect.poll(async () => (await store.probe()).healthyNodes, { timeout: 120_000 }).toBe(2);
    await frozen.stop();
  });

  test('without any node operations return UNAVAILABLE, and the probe counts no healthy node', async () => {
    const only = await ceph.startGateway();
    await using store = await openOver(only.endpoint);
    await only.stop();
    await expect(store.put('nobody/a', patternStream(10))).rejects.toEqual(rejected('UNAVAILABLE'));
    await expect(store.findHead('nobody/a')).rejects.toEqual(rejected('UNAVAILABLE'));
    await expect(store.get('nobody/a')).rejects.toEqual(rejected('UNAVAILABLE'));
    expect(await store.probe()).toMatchObject({ healthyNodes: 0, totalNodes: 1 });
    await expect(openOver(only.endpoint)).rejects.toEqual(rejected('UNAVAILABLE'));
  });

  test('a response lost after the operation does not turn success into failure', async () => {
    using proxy = await startUnreliableProxy(ceph.endpoint);
    await using store = await openOver(proxy.endpoint);
    proxy.loseNextAnswerTo(/^PUT .*lost\/small/);
    expect(await store.create('lost/small', patternStream(100), { size: 100 })).toMatchObject({ size: 100 });
    proxy.loseNextAnswerTo(/^PUT .*lost\/large/);
    const large = await store.create('lost/large', patternStream(6 * mebibyte), { size: 6 * mebibyte });
    expect(large).toMatchObject({ size: 6 * mebibyte, sha256: sha256Of(await pattern(6 * mebibyte)) });
    proxy.loseNextAnswerTo(/^POST .*lost\/parts\?.*uploadId=/);
    const parts = await store.put('lost/parts', patternStream(12 * mebibyte));
    expect((await store.digest('lost/parts')).sha256).toBe(parts.sha256);
    expect((await store.findHead('lost/parts'))?.etag).toBe(parts.etag);
    expect(proxy.lost).toBe(3);
    await expect(store.create('lost/small', patternStream(100), { size: 100 })).rejects.toEqual(rejected('EXISTS'));
  });

  test('a failed multipart upload is aborted immediately', async () => {
    await using store = await openOver(ceph.endpoint);
    const size = 30 * mebibyte;
    await expect(store.put('aborted/a', patternStream(size), { size: size + 1 })).rejects.toEqual(
      rejected('LENGTH_MISMATCH'),
    );
    const client = toS3Client({ ...base, endpoints: [] }, ceph.endpoint);
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: base.bucket, Prefix: 'aborted/' }),
    );
    expect(Uploads).toEqual([]);
    expect(await toList(store.list('aborted/'))).toEqual([]);
    client.destroy();
  });

  test('a missing bucket and wrong credentials are rejected with different errors', async () => {
    const missing = openS3Store({ ...base, bucket: 'no-such-bucket', endpoints: [ceph.endpoint] });
    await expect(missing).rejects.toThrow('the bucket does not exist');
    const stranger = { accessKeyId: 'testkey', secretAccessKey: 'wrong' };
    await expect(openS3Store({ ...base, credentials: stranger, endpoints: [ceph.endpoint] })).rejects.toEqual(
      rejected('DENIED'),
    );
  });

  test('presigned URLs use the public endpoint, and the probe returns the usage of a known capacity', async () => {
    const capacity = { bytes: 1000, usedBytes: async () => 250 };
    await using store = await openS3Store({
      ...base,
      endpoints: [ceph.endpoint],
      publicEndpoint: 'https://files.example.org',
      capacity,
    });
    const signed = await store.presignPut('public/a', { size: 1, expiresInSeconds: 60 });
    expect(new URL(signed.url).origin).toBe('https://files.example.org');
    expect(signed.url).not.toContain('testsecret');
    expect(new URL(signed.url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
    await expect(store.presignPut('public/a', { size: 1, expiresInSeconds: 604_801 })).rejects.toEqual(
      rejected('FAILED'),
    );
    expect(await store.probe()).toMatchObject({ usagePercent: 25 });
  });

  test('a read of an object that is replaced meanwhile returns the bytes of before', async () => {
    await using store = await openOver(ceph.endpoint);
    await store.put('replaced/a', patternStream(100, 1));
    const read = await store.get('replaced/a');
    await store.put('replaced/a', patternStream(100, 2));
    expect(await toBytes(read.body)).toEqual(await toBytes(patternStream(100, 1)));
  });
});
