// The CORS rules of docs/guide/object-storage.md do what the guide says, on a real server.
import { readFileSync } from 'node:fs';
import { type CORSConfiguration, CreateBucketCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { toS3Client } from '../../server/src/platform/objects/s3-endpoints.ts';
import { openS3Store } from '../../server/src/platform/objects/s3-store.ts';
import { startCeph, whyNoCeph } from '../support/ceph.ts';

const whyNot = whyNoCeph();
const guide = readFileSync(new URL('../../docs/guide/object-storage.md', import.meta.url), 'utf8');
const rules = JSON.parse(guide.match(/```json\n([\s\S]*?)```/)?.[1] ?? '{}') as CORSConfiguration;

describe.skipIf(whyNot !== null)(`CORS${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  test('a page of the allowed origin can send a part and read its ETag; a page of another origin cannot', {
    tags: 'long',
  }, async () => {
    await using ceph = await startCeph();
    const { accessKeyId, secretAccessKey, region } = ceph;
    const connection = {
      endpoints: [ceph.endpoint],
      bucket: 'recordproof',
      region,
      credentials: { accessKeyId, secretAccessKey },
    };
    const client = toS3Client(connection, ceph.endpoint);
    await client.send(new CreateBucketCommand({ Bucket: 'recordproof' }));
    await client.send(new PutBucketCorsCommand({ Bucket: 'recordproof', CORSConfiguration: rules }));
    client.destroy();
    await using store = await openS3Store(connection);
    const { url } = await store.presignPut('staging/part', { size: 4, expiresInSeconds: 60 });
    const [origin = ''] = rules.CORSRules?.[0]?.AllowedOrigins ?? [];
    const preflight = (from: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type',
        },
      });
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    expect(allowed.headers.get('access-control-allow-methods')).toContain('PUT');
    const rejected = await preflight('https://elsewhere.example.net');
    expect(rejected.headers.get('access-control-allow-origin')).toBeNull();
    const put = await fetch(url, { method: 'PUT', headers: { origin }, body: 'part' });
    expect(put.status).toBe(200);
    expect(put.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('etag');
    expect(put.headers.get('etag')).toBeTruthy();
  });
});
