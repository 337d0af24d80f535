// Opening the configured object store. The S3 client is loaded only if it is used.
import type { CircuitBreakers } from '../circuit-breaker.ts';
import { type DiskStoreOptions, openDiskStore } from './disk-store.ts';
import type { ObjectStore } from './object-store.ts';
import { isStoreDown } from './s3-errors.ts';
import type { S3StoreOptions } from './s3-store.ts';

export type ObjectStoreOptions =
  | ({ readonly kind: 'disk' } & DiskStoreOptions)
  | ({ readonly kind: 's3' } & S3StoreOptions);

export async function openObjectStore(
  options: ObjectStoreOptions,
  ports: { readonly breakers?: CircuitBreakers } = {},
): Promise<ObjectStore> {
  if (options.kind === 'disk') return openDiskStore(options);
  const { openS3Store } = await import('./s3-store.ts');
  const guard = ports.breakers?.guard('s3', { openMs: 10_000, isFailure: isStoreDown });
  return openS3Store({ ...options, ...(guard && { guard }) });
}
