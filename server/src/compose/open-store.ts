// The object store of the settings, for the server and for commands that run at the same time.
import { putSignedObject } from '@recordproof/shared/api/direct-uploads.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { CircuitBreakers } from '../platform/circuit-breaker.ts';
import type { Clock } from '../platform/clock.ts';
import type { ServerKeys } from '../platform/crypto/server-keys.ts';
import { ServiceUnavailable } from '../platform/installation.ts';
import { type ObjectStore, ObjectStoreError } from '../platform/objects/object-store.ts';
import { type ObjectStoreOptions, openObjectStore } from '../platform/objects/open-object-store.ts';
import { withPrefix } from '../platform/objects/prefixed-store.ts';
import type { Reserve } from '../platform/reserve.ts';
import type { Platform } from '../platform/server.ts';

/** Opens the object store alone, also while a server runs. */
export const openStoreOf = (
  config: Pick<Config, 'objects'>,
  keys: Pick<ServerKeys, 'transfer'>,
  baseUrl: Platform['baseUrl'],
  clock: Clock,
  { breakers, reserve }: { readonly breakers?: CircuitBreakers; readonly reserve?: Reserve } = {},
): Promise<ObjectStore> => openObjects(config, toStoreOptions(config, keys, baseUrl, clock, reserve), breakers);

function toStoreOptions(
  { objects }: Pick<Config, 'objects'>,
  keys: Pick<ServerKeys, 'transfer'>,
  baseUrl: Platform['baseUrl'],
  clock: Clock,
  reserve: Reserve | undefined,
): ObjectStoreOptions {
  if (objects.kind === 'disk') {
    const presign = {
      secret: keys.transfer,
      get baseUrl() {
        return `${baseUrl()}${putSignedObject.path}`;
      },
    };
    return {
      kind: 'disk',
      folder: objects.folder,
      presign,
      now: () => clock.now(),
      assertRoom: () => reserve?.assertRoom(),
    };
  }
  const { endpoints, bucket, region, publicEndpoint } = objects;
  const credentials = {
    accessKeyId: objects.accessKeyId.reveal(),
    secretAccessKey: objects.secretAccessKey.reveal(),
  };
  return { kind: 's3', endpoints, bucket, region, credentials, ...(publicEndpoint && { publicEndpoint }) };
}

/** If the store is unreachable or rejects the login, the error names the settings that select it. */
async function openObjects(
  { objects }: Pick<Config, 'objects'>,
  options: ObjectStoreOptions,
  breakers: CircuitBreakers | undefined,
): Promise<ObjectStore> {
  try {
    const store = await openObjectStore(options, breakers ? { breakers } : {});
    return objects.kind === 's3' && objects.prefix !== undefined ? withPrefix(store, objects.prefix) : store;
  } catch (error) {
    if (objects.kind === 'disk' || !(error instanceof ObjectStoreError)) throw error;
    const store = `the object store at ${objects.endpoints.join(', ')}`;
    if (error.kind === 'UNAVAILABLE' || error.kind === 'TIMEOUT')
      throw new ServiceUnavailable(`${store} does not answer: ${error.message}.`);
    throw new ConfigError(`${store} does not serve the bucket "${objects.bucket}": ${error.message}.`);
  }
}
