// Opens what the features stand on: keys, database, cluster, mail, objects, telemetry. Everything opened here is closed
// in reverse order when the stack it was given is disposed.
import { join } from 'node:path';
import { putSignedObject } from '@recordproof/shared/api/uploads.ts';
import { sql } from 'kysely';
import { type Config, ConfigError } from './config.ts';
import { openSchema } from './open-schema.ts';
import { CircuitBreakers } from './platform/circuit-breaker.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Cluster } from './platform/cluster/cluster.ts';
import { type Limits, openLimits } from './platform/cluster/limits.ts';
import { openCluster } from './platform/cluster/open-cluster.ts';
import { type ContentReader, openContentReader } from './platform/content/content-digest.ts';
import type { KeyProvider } from './platform/crypto/envelope.ts';
import { openLocalKeys } from './platform/crypto/local-keys.ts';
import type { ServerKeys } from './platform/crypto/server-keys.ts';
import type { Migration } from './platform/db/migrate.ts';
import type { Database } from './platform/db/open-db.ts';
import { holdFolder, ServiceUnavailable } from './platform/installation.ts';
import type { Mail } from './platform/mail/mail.ts';
import { openMail } from './platform/mail/open-mail.ts';
import { type ObjectStore, ObjectStoreError } from './platform/objects/object-store.ts';
import { type ObjectStoreOptions, openObjectStore } from './platform/objects/open-object-store.ts';
import { type Log, openLog } from './platform/telemetry/log.ts';
import { type Metrics, openMetrics } from './platform/telemetry/metrics.ts';
import { openTracing, type Tracing } from './platform/telemetry/tracing.ts';
import { version } from './version.ts';

/** What tests replace at the door. */
export type Overrides = { readonly clock?: Clock; readonly log?: Log };

export type Platform = {
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: ServerKeys;
  /** Wraps the data keys of files. */
  readonly keyProvider: KeyProvider;
  readonly database: Database;
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly mail: Mail;
  readonly objects: ObjectStore;
  readonly contents: ContentReader;
  readonly breakers: CircuitBreakers;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
};

export type Site = {
  /** Closes what is opened. */
  readonly opening: AsyncDisposableStack;
  /** Where this server is reached; known once it listens. */
  readonly address: { readonly url: string };
  readonly migrations: readonly Migration[];
};

export async function openPlatform(
  config: Config,
  overrides: Overrides,
  { opening, address, migrations }: Site,
): Promise<Platform> {
  const clock = overrides.clock ?? systemClock;
  const pretty = process.stderr.isTTY === true;
  const log = overrides.log ?? (await openLog({ level: config.log.level, pretty }));
  if (config.db.kind === 'sqlite') opening.use(await holdFolder(config.dataFolder));
  const { database, keys } = await openSchema(config, migrations, clock.now());
  opening.defer(() => database.close());
  const breakers = new CircuitBreakers(clock);
  const cluster = opening.use(await openCluster(config.cluster, { clock, log, breakers }));
  const limits = openLimits(cluster, { clock, log });
  const mail = opening.use(openMail(config.mail, { clock, log, breakers }));
  const objects = opening.use(await openStoreOf(config, keys, address, clock, breakers));
  const contents = opening.use(openContentReader(objects));
  const keyProvider = await openLocalKeys({
    path: join(config.keysFolder, 'master-keys.json'),
    createIfMissing: !(await hasEnvelopes(database)),
  });
  const tracing = opening.use(await openTracing(config.tracing, { log, version }));
  const base = { clock, log, keys, keyProvider, database, cluster, limits, mail, objects, contents };
  return { ...base, breakers, metrics: openMetrics(), tracing };
}

/** Once something was sealed, a missing key file is a loss to be told, not a fresh start. */
async function hasEnvelopes({ db }: Database): Promise<boolean> {
  const { rows } = await sql<{ one: number }>`select 1 as one from envelope limit 1`.execute(db);
  return rows.length > 0;
}

/** The object store alone, also for commands that run beside a server. */
export const openStoreOf = (
  config: Config,
  keys: ServerKeys,
  address: Site['address'],
  clock: Clock,
  breakers?: CircuitBreakers,
): Promise<ObjectStore> => openObjects(config, toStoreOptions(config, keys, address, clock), breakers);

function toStoreOptions(
  { objects, http }: Config,
  keys: ServerKeys,
  address: Site['address'],
  clock: Clock,
): ObjectStoreOptions {
  if (objects.kind === 'disk') {
    const presign = {
      secret: keys.transfer,
      get baseUrl() {
        return `${http.publicUrl ?? address.url}${putSignedObject.path}`;
      },
    };
    return { kind: 'disk', folder: objects.folder, presign, now: () => clock.now() };
  }
  const { endpoints, bucket, region, publicEndpoint } = objects;
  const credentials = {
    accessKeyId: objects.accessKeyId.reveal(),
    secretAccessKey: objects.secretAccessKey.reveal(),
  };
  return { kind: 's3', endpoints, bucket, region, credentials, ...(publicEndpoint && { publicEndpoint }) };
}

/** A store that is away, or that does not let us in, is told by the settings that name it. */
async function openObjects(
  { objects }: Config,
  options: ObjectStoreOptions,
  breakers: CircuitBreakers | undefined,
): Promise<ObjectStore> {
  try {
    return await openObjectStore(options, breakers ? { breakers } : {});
  } catch (error) {
    if (objects.kind === 'disk' || !(error instanceof ObjectStoreError)) throw error;
    const place = `the object store at ${objects.endpoints.join(', ')}`;
    if (error.kind === 'UNAVAILABLE' || error.kind === 'TIMEOUT')
      throw new ServiceUnavailable(`${place} does not answer: ${error.message}.`);
    throw new ConfigError(`${place} does not serve the bucket "${objects.bucket}": ${error.message}.`);
  }
}
