// The object store of the settings, for the server and for commands that run at the same time.
import { putSignedObject } from '@recordproof/shared/api/direct-uploads.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { CircuitBreakers } from '../platform/circuit-breaker.ts';
import { systemClock } from '../platform/clock.ts';
import type { ServerKeys } from '../platform/crypto/server-keys.ts';
import { ServiceUnavailable } from '../platform/installation.ts';
import { type ObjectStore, ObjectStoreError } from '../platform/objects/object-store.ts';
import { type ObjectStoreOptions, openObjectStore } from '../platform/objects/open-object-store.ts';
import { withPrefix } from '../platform/objects/prefixed-store.ts';
import type { Platform } from '../platform/server.ts';

/** Opens the object store alone, also while a server runs. */
export const openStoreOf = (
  config: Pick<Config, 'objects'>,
  keys: Pick<ServerKeys, 'transfer'>,
  tools: StoreTools = {},
): Promise<ObjectStore> => openObjects(config, toStoreOptions(config, keys, tools), tools.breakers);

/** Commands give out no presigned links, so they need no base URL. */
type StoreTools = Partial<Pick<Platform, 'baseUrl' | 'clock' | 'breakers' | 'reserve'>>;

function toStoreOptions(
  { objects }: Pick<Config, 'objects'>,
  keys: Pick<ServerKeys, 'transfer'>,
  { baseUrl = () => '', clock = systemClock, reserve }: StoreTools,
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
    throw toBucketProblem(error, `the object store at ${objects.endpoints.join(', ')}`, objects.bucket);
  }
}

export const toBucketProblem = ({ kind, message }: ObjectStoreError, where: string, bucket: string): Error =>
  kind === 'UNAVAILABLE' || kind === 'TIMEOUT'
    ? new ServiceUnavailable(`${where} does not answer: ${message}.`)
    : new ConfigError(`${where} does not serve the bucket "${bucket}": ${message}.`);
