// Heads of S3 objects: a missing object differs from a missing bucket.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { openS3Store } from './s3-store.ts';

test('a HEAD without a result is an error if the bucket is missing', async () => {
  let isBucketThere = true;
  const server = createServer((request, response) => {
    const isBucket = new URL(request.url ?? '/', 'http://host').pathname.split('/').filter(Boolean).length === 1;
    response.writeHead(isBucket && isBucketThere ? 200 : 404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  try {
    const connection = { endpoints: [`http://127.0.0.1:${port}`], bucket: 'kept', region: 'here', credentials };
    await using store = await openS3Store(connection);
    expect(await store.findHead('some/key')).toBeNull();
    isBucketThere = false;
    await expect(store.findHead('some/key')).rejects.toMatchObject({
      kind: 'FAILED',
      message: 'the bucket does not exist',
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
