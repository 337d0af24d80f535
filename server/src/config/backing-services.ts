// Configuration of the backing services: database, object store (disk or S3), backup store, Redis, RabbitMQ and mail.
import { join } from 'node:path';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import type { ClusterOptions } from '../platform/cluster/open-cluster.ts';
import type { DatabaseOptions } from '../platform/db/database-options.ts';
import type { MailOptions } from '../platform/mail/open-mail.ts';
import type { BrokerOptions } from '../platform/outbox/open-exporter.ts';
import { Secret } from '../platform/secret.ts';
import { type Read, together, toSecret } from './groups.ts';
import type { RawConfig } from './read.ts';
import { settings } from './settings.ts';

type ObjectsConfig =
  | { kind: 'disk'; folder: string }
  | {
      kind: 's3';
      endpoints: string[];
      bucket: string;
      region: string;
      accessKeyId: Secret;
      secretAccessKey: Secret;
      publicEndpoint: string | undefined;
      /** Common prefix of all keys, for a scratch installation in another one's bucket. */
      prefix?: string;
    };

/** Default stores in the data folder. */
export const embeddedIn = (data: string) => ({
  db: { kind: 'sqlite', path: join(data, 'recordproof.db') } as const,
  objects: { kind: 'disk', folder: join(data, 'objects') } as const,
});

/** Null if none is set up: backups then go to the object store's endpoints, if it is S3, and to folders. */
export function toBackupStore(raw: RawConfig, read: Read) {
  if (!together(raw, 'the S3 store of backups', 'backupS3Endpoints', 'backupS3AccessKeyId', 'backupS3SecretAccessKey'))
    return null;
  return {
    endpoints: readEndpoints(read, 'backupS3Endpoints'),
    region: read('backupS3Region'),
    accessKeyId: new Secret(read('backupS3AccessKeyId') ?? ''),
    secretAccessKey: new Secret(read('backupS3SecretAccessKey') ?? ''),
  };
}

function readEndpoints(read: Read, key: 's3Endpoints' | 'backupS3Endpoints'): string[] {
  const endpoints = (read(key) ?? []).map(endpoint => endpoint.replace(/\/+$/, ''));
  if (endpoints.length > 0) return endpoints;
  throw new ConfigError(`${settings[key].env} lists no address: set at least one, such as https://s3.example.org.`);
}

export function toObjects(raw: RawConfig, read: Read, data: string): ObjectsConfig {
  if (!together(raw, 'the S3 store', 's3Endpoints', 's3Bucket', 's3AccessKeyId', 's3SecretAccessKey')) {
    if (read('s3PublicEndpoint') !== undefined) {
      throw new ConfigError(`${settings.s3PublicEndpoint.env} is set, but no S3 store is.`);
    }
    return embeddedIn(data).objects;
  }
  return {
    kind: 's3',
    endpoints: readEndpoints(read, 's3Endpoints'),
    bucket: read('s3Bucket') ?? '',
    region: read('s3Region'),
    accessKeyId: new Secret(read('s3AccessKeyId') ?? ''),
    secretAccessKey: new Secret(read('s3SecretAccessKey') ?? ''),
    publicEndpoint: read('s3PublicEndpoint'),
  };
}

/** Services the server depends on; by default in this process or in the data folder. */
export function toServices(read: Read, data: string) {
  const databaseUrl = toSecret(read('databaseUrl'));
  const redis = toSecret(read('redisUrl'));
  const rabbit = toSecret(read('rabbitmqUrl'));
  const smtp = toSecret(read('smtpUrl'));
  const db: DatabaseOptions = databaseUrl
    ? { kind: 'postgres', url: databaseUrl, poolSize: read('databasePoolSize') }
    : embeddedIn(data).db;
  const cluster: ClusterOptions = redis
    ? { kind: 'redis', url: redis }
    : { kind: 'memory', amongSeveral: read('severalWithoutRedis') };
  const outbox: BrokerOptions = rabbit ? { kind: 'rabbitmq', url: rabbit } : { kind: 'local' };
  const letters = { from: read('mailFrom'), language: read('mailLanguage') };
  const mail: MailOptions = smtp
    ? { kind: 'smtp', url: smtp, ...letters }
    : { kind: 'files', folder: join(data, 'mail'), ...letters };
  return { db, cluster, outbox, mail };
}
