// Opening the platform: keys, database, cluster, mail, objects, telemetry. Disposing the given stack closes them in
// reverse.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { CircuitBreakers } from '../platform/circuit-breaker.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { openCounters } from '../platform/cluster/counters.ts';
import { openCluster } from '../platform/cluster/open-cluster.ts';
import { openContentReader } from '../platform/content/content-digest.ts';
import { openIntake } from '../platform/content/intake.ts';
import { masterKeyFile } from '../platform/crypto/local-keys.ts';
import { openKeyProviders } from '../platform/crypto/open-key-providers.ts';
import { Passwords } from '../platform/crypto/passwords.ts';
import { type ClaimedState, freeClaims } from '../platform/db/claim.ts';
import { listNewerSteps, type Migration } from '../platform/db/migrate.ts';
import type { Db } from '../platform/db/tables.ts';
import { DiskReserve } from '../platform/disk-reserve.ts';
import { ConcurrentUploads } from '../platform/http/concurrent-uploads.ts';
import { Proxies } from '../platform/http/proxies.ts';
import { openRateLimiter } from '../platform/http/rate-limit.ts';
import { lockDataFolder, rejectUnfinished } from '../platform/installation.ts';
import { freeLocks } from '../platform/lock.ts';
import { ReplaceableMail } from '../platform/mail/open-mail.ts';
import { rejectMoved } from '../platform/move-mark.ts';
import { recordProgramVersion } from '../platform/program-version.ts';
import type { Platform } from '../platform/server.ts';
import { openGoals } from '../platform/telemetry/goals.ts';
import { type Log, openLog } from '../platform/telemetry/log.ts';
import { openMetrics } from '../platform/telemetry/metrics.ts';
import { declareProcessMetrics } from '../platform/telemetry/process-metrics.ts';
import { openTracing, traced, traceQueries } from '../platform/telemetry/traced.ts';
import { version } from '../version.ts';
import { announceKeys } from './announce-keys.ts';
import { openDatabaseCheck } from './check-database.ts';
import { openPresenceOf, openSchema } from './open-schema.ts';
import { openStoreOf } from './open-store.ts';

/** Parts that tests replace, and options of the command line. */
export type Overrides = {
  readonly clock?: Clock;
  readonly log?: Log;
  /** Begin a new installation despite leftovers of an older one. */
  readonly isNew?: boolean;
  /** This database takes over the ledger, whichever database wrote it before. */
  readonly isTakeOver?: boolean;
};

type PlatformOptions = {
  /** Disposes of everything that was opened. */
  readonly opening: AsyncDisposableStack;
  /** Where users reach this server; known once it listens. */
  readonly baseUrl: () => string;
  readonly stopping: AbortSignal;
  readonly migrations: readonly Migration[];
  /** Released at the start of a single server, since their holder must be dead. */
  readonly claims: readonly ClaimedState[];
  readonly locks: readonly string[];
  /** Whether stored files are sealed with keys of the key folder. */
  readonly hasLocalEnvelopes: (db: Db) => Promise<boolean>;
};

/** The methods that call the store; the step of a read ends with its first byte. */
const objectCalls = [
  'put',
  'create',
  'get',
  'readStart',
  'findHead',
  'digest',
  'copy',
  'delete',
  'sweepLeftovers',
] as const;

export async function openPlatform(
  config: Config,
  overrides: Overrides,
  { opening, baseUrl, stopping, migrations, claims, locks, hasLocalEnvelopes }: PlatformOptions,
): Promise<Platform> {
  rejectUnfinished(config.dataFolder);
  rejectMoved(config);
  const clock = overrides.clock ?? systemClock;
  const pretty = process.stderr.isTTY === true;
  const log = overrides.log ?? (await openLog({ level: config.log.level, pretty }));
  const held = config.db.kind === 'sqlite' ? opening.use(await lockDataFolder(config.dataFolder)) : undefined;
  const reserve = opening.use(new DiskReserve({ folder: config.dataFolder, bytes: config.reserveBytes, log }));
  await reserve.start();
  const tracing = opening.use(await openTracing(config.tracing, { log, version }));
  const onQuery = tracing && traceQueries(tracing, config.db.kind === 'sqlite' ? 'sqlite' : 'postgresql');
  const presence = opening.use(await openPresenceOf(config, log));
  // A server that runs alone: the holders of these claims and locks are dead.
  const releaseClaims = async (db: Db): Promise<void> => {
    await freeLocks(db, locks);
    await freeClaims(db, claims, clock.now());
  };
  const { database, keys } = await openSchema(config, migrations, clock.now(), {
    onQuery,
    presence,
    whenAlone: releaseClaims,
    isNew: overrides.isNew === true,
    isTakeOver: overrides.isTakeOver === true,
    isWriter: true,
  });
  opening.use(database);
  await recordProgramVersion(database.db, version, clock.now());
  if (held) await releaseClaims(database.db);
  const databaseCheck = opening.use(openDatabaseCheck({ folder: config.dataFolder, held, log }));
  const breakers = new CircuitBreakers(clock);
  const cluster = opening.use(await openCluster(config.cluster, { clock, log, breakers }));
  const counters = openCounters(cluster, { clock, log });
  const mail = opening.use(new ReplaceableMail(config.mail, { clock, log, breakers }));
  const store = opening.use(await openStoreOf(config, keys, { baseUrl, clock, breakers, reserve }));
  const objects = traced(tracing, 'object store', store, objectCalls);
  const intake = traced(tracing, 'intake', opening.use(openIntake(objects)), ['store']);
  const contents = opening.use(openContentReader(objects));
  const metrics = openMetrics();
  declareProcessMetrics(metrics);
  const local = await toLocalKeys(config, () => hasLocalEnvelopes(database.db));
  const providers = await openKeyProviders(config.keyProviders, { local, opening, clock, log, breakers, metrics });
  const path = join(config.keysFolder, masterKeyFile);
  if (presence) opening.use(await announceKeys({ path, presence, log }));
  const limiter = openRateLimiter(counters, config.ratesPerMinute, clock);
  const proxies = openProxies(config.http, { clock, log });
  return {
    config,
    clock,
    log,
    keys,
    ...providers,
    database,
    cluster,
    counters,
    limiter,
    mail,
    objects,
    intake,
    contents,
    passwords: opening.use(new Passwords()),
    databaseCheck,
    isTakeOver: overrides.isTakeOver === true,
    clusterServers: {
      isPresenceHeld: () => presence?.isHeld ?? true,
      listNewerSteps: () => listNewerSteps(database.db, migrations),
    },
    proxies,
    reserve,
    concurrentUploads: new ConcurrentUploads(),
    breakers,
    metrics,
    goals: openGoals(metrics),
    tracing,
    baseUrl,
    stopping,
  };
}

/**
 * Null if nothing needs them. Once data has been sealed, a missing key file is reported as a loss instead of being
 * created.
 */
async function toLocalKeys({ keyProviders, keysFolder }: Config, hasEnvelopes: () => Promise<boolean>) {
  const path = join(keysFolder, masterKeyFile);
  const isSealing = await hasEnvelopes();
  if (!isSealing && keyProviders.active !== 'local' && !existsSync(path)) return null;
  return { path, createIfMissing: !isSealing };
}

function openProxies({ publicUrl, trustedProxies }: Config['http'], tools: { clock: Clock; log: Log }): Proxies {
  if (publicUrl !== undefined && trustedProxies.length === 0)
    tools.log.warn(
      { publicUrl },
      'public-url is set but trusted-proxies is not: behind a proxy all clients share one rate limit',
    );
  return new Proxies(trustedProxies, tools);
}
