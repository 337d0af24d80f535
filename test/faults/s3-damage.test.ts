// Objects of a bucket that changed outside of the server: the same file sent again is stored whole, and every record of
// the object is repaired with it.
import * as filesApi from '@recordproof/shared/api/files.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toS3Client } from '../../server/src/platform/objects/s3-endpoints.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { readStoredManifest } from '../support/manifest-text.ts';
import { type Bucket, damageObject, s3Damages } from '../support/s3-damages.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { completeDirect, digestOf, sendDirect } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const chunkSize = 70_000;
const whyNot = whyNoCeph();

describe.skipIf(whyNot !== null)(`damage in S3${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  let app: TestApp;
  let alice: Person;
  let bucket: Bucket;
  let uploads = 0;

  beforeAll(async () => {
    app = await startApp({ env: await s3Settings() });
    alice = await app.person('alice');
    const { objects } = app.config;
    if (objects.kind !== 's3') throw new Error('the server does not use S3');
    const { endpoints, region, accessKeyId, secretAccessKey, bucket: name } = objects;
    const credentials = { accessKeyId: accessKeyId.reveal(), secretAccessKey: secretAccessKey.reveal() };
    bucket = { client: toS3Client({ endpoints, bucket: name, region, credentials }, endpoints[0] ?? ''), name };
  });
  afterAll(async () => {
    bucket?.client.destroy();
    await app?.[Symbol.asyncDispose]();
    await stopS3();
  });

  async function store(bytes: Uint8Array) {
    uploads += 1;
    const { clientId } = await sendDirect(alice, bytes, { chunkSize, clientId: `damaged-${uploads}` });
    return completeDirect(alice, clientId);
  }

  async function listStored(fileId: string): Promise<string[]> {
    const { chunks } = await readStoredManifest(app.app.database.db, fileId);
    return chunks.map(chunk => chunk.storagePath);
  }

  async function download(fileHash: string): Promise<string> {
    const response = await alice.client.open(filesApi.downloadFile, { params: { hash: fileHash } });
    return digestOf(new Uint8Array(await response.arrayBuffer()));
  }

  for (const [index, [name, hurt]] of Object.entries(s3Damages).entries()) {
    test(`is found by a download, and repaired by sending the same bytes again: ${name}`, async () => {
      const bytes = await pattern(100_000, 500 + index); // two objects
      const first = await store(bytes);
      for (const key of await listStored(first.fileId)) await damageObject(bucket, key, hurt);
      await expect(download(first.fileHash)).rejects.toThrow();
      const again = await store(bytes);
      expect(again.contentHash).toBe(digestOf(bytes));
      for (const { fileHash } of [first, again]) expect(await download(fileHash)).toBe(digestOf(bytes));
    });
  }
});
