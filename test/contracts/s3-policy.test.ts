// The bucket policy of docs/guide/self-hosting.md is sufficient for the server, and grants nothing else.
import { readFileSync } from 'node:fs';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketPolicyCommand,
  ListBucketsCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { toS3Client } from '@recordproof/server/platform/objects/s3-endpoints.ts';
import { openS3Store } from '@recordproof/server/platform/objects/s3-store.ts';
import { describe, expect, test } from 'vitest';
import { type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';

const whyNot = whyNoCeph();
const guide = readFileSync(new URL('../../docs/guide/self-hosting.md', import.meta.url), 'utf8');
const policy = /```json\n(\{\s*"Version"[\s\S]*?)```/.exec(guide)?.[1] ?? '';
const bucket = 'recordproof';
const mebibyte = 2 ** 20;
const denied = { $metadata: { httpStatusCode: 403 } };

type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string };

const connectionOf = ({ endpoint, region }: Ceph, { accessKeyId, secretAccessKey }: Keys) => ({
  endpoints: [endpoint],
  bucket,
  region,
  credentials: { accessKeyId, secretAccessKey },
});

async function makeBucket(ceph: Ceph): Promise<void> {
  const owner = toS3Client(connectionOf(ceph, ceph), ceph.endpoint);
  await owner.send(new CreateBucketCommand({ Bucket: bucket }));
  await owner.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policy }));
  owner.destroy();
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

describe.skipIf(whyNot !== null)(`the bucket policy${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  test('lets the user of the server run every store operation, but not read or delete the bucket itself', {
    tags: 'long',
  }, async () => {
    await using ceph = await startCeph();
    await makeBucket(ceph);
    const connection = connectionOf(ceph, await ceph.addUser('recordproof'));
    const stranger = connectionOf(ceph, await ceph.addUser('somebody'));
    const large = Buffer.alloc(12 * mebibyte, 'large');
    {
      await using store = await openS3Store({ ...connection, partBytes: 5 * mebibyte, copyPartBytes: 5 * mebibyte });
      await store.put('staging/small', [Buffer.from('small')]);
      await store.create('staging/large', [large], { size: large.length });
      expect((await readAll((await store.get('staging/large')).body)).equals(large)).toBe(true);
      await store.copy('staging/large', 'files/large');
      expect((await store.findHead('files/large'))?.size).toBe(large.length);
      expect(await store.findHead('files/none')).toBeNull();
      const { url } = await store.presignPut('staging/part', { size: 4, expiresInSeconds: 60 });
      expect((await fetch(url, { method: 'PUT', body: 'part' })).status).toBe(200);
      expect((await fetch((await store.presignGet('staging/part', { expiresInSeconds: 60 })).url)).status).toBe(200);
      const listed = await Array.fromAsync(store.list('staging/'));
      expect(listed.map(({ key }) => key).sort()).toEqual(['staging/large', 'staging/part', 'staging/small']);
      await store.sweepLeftovers(0);
      await store.delete('staging/small');
      expect(await store.findHead('staging/small')).toBeNull();
    }
    const client = toS3Client(connection, ceph.endpoint);
    await expect(client.send(new DeleteBucketCommand({ Bucket: bucket }))).rejects.toMatchObject(denied);
    await expect(client.send(new GetBucketPolicyCommand({ Bucket: bucket }))).rejects.toMatchObject(denied);
    expect((await client.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
    client.destroy();
    await expect(openS3Store(stranger)).rejects.toThrow();
  });
});
