// A second client of a server's object store, opened from the same configuration.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Config } from '../../server/src/config/config.ts';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import { openObjectStore } from '../../server/src/platform/objects/open-object-store.ts';

export function openConfiguredStore({ objects }: Config): Promise<ObjectStore> {
  if (objects.kind === 'disk') {
    const presign = { baseUrl: 'http://127.0.0.1', secret: createSecretKey(randomBytes(32)) };
    return openObjectStore({ kind: 'disk', folder: objects.folder, presign });
  }
  const { endpoints, bucket, region } = objects;
  const credentials = {
    accessKeyId: objects.accessKeyId.reveal(),
    secretAccessKey: objects.secretAccessKey.reveal(),
  };
  return openObjectStore({ kind: 's3', endpoints, bucket, region, credentials });
}
