// Opens what the features stand on: keys, database, cluster, mail, objects, telemetry. Everything opened here is closed
// in reverse order when the stack it was given is disposed.
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
import { HeldBodies } from '../platform/http/held-bodies.ts';
import { Proxies } from '../platform/http/proxies.ts';
import { openRateLimiter } from '../platform/http/rate-limit.ts';
import { holdFolder, refuseUnfinished } from '../platform/installation.ts';
import { freeLocks } from '../platform/lock.ts';
import { openMail } from '../platform/mail/open-mail.ts';
import { refuseMoved } from '../platform/move-mark.ts';
import { recordProgramVersion } from '../platform/program-version.ts';
import { Reserve } from '../platform/reserve.ts';
import type { Platform } from '../platform/server.ts';
import { openGoals } from '../platform/telemetry/goals.ts';
import { type Log, openLog } from '../platform/telemetry/log.ts';
import { openMetrics } from '../platform/telemetry/metrics.ts';
import { declareProcessMetrics } from '../platform/telemetry/process-metrics.ts';
import { traced, traceQueries } from '../platform/telemetry/traced.ts';
import { openTracing } from '../platform/telemetry/tracing.ts';
import { version } from '../version.ts';
import { announceKeys } from './announce-keys.ts';
import { openDatabaseCheck } from './check-database.ts';
import { openPresenceOf, openSchema } from './open-schema.ts';
import { openStoreOf } from './open-store.ts';

/** What tests replace, and what the command line asks for. */
export type Overrides = {
  readonly clock?: Clock;
  readonly log?: Log;
  /** A new installation is meant, whatever is left of an older one. */
  readonly isNew?: boolean;
  /** The database of the settings continues the ledger, whichever wrote it before. */
  readonly isTakeOver?: boolean;
};

type Place = {
  /** Closes what is opened. */
  readonly opening: AsyncDisposableStack;
  /** Where users reach this server; known once it listens. */
  readonly baseUrl: () => string;
  readonly stopping: AbortSignal;
  readonly migrations: readonly Migration[];
  /** What a server on its own releases at its start, since only a server that died can hold it. */
  readonly claims: readonly ClaimedState[];
  readonly locks: readonly string[];
  /** Whether stored files are sealed with the keys of the key folder. */
  readonly hasLocalEnvelopes: (db: Db) => Promise<boolean>;
};

/** Those that ask the store; a read is a step until its first byte. */
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
  { opening, baseUrl, stopping, migrations, claims, locks, hasLocalEnvelopes }: Place,
): Promise<Platform> {
  refuseUnfinished(config.dataFolder);
  refuseMoved(config);
  const clock = overrides.clock ?? systemClock;
  const pretty = process.stderr.isTTY === true;
  const log = overrides.log ?? (await openLog({ level: config.log.level, pretty }));
  const held = config.db.kind === 'sqlite' ? opening.use(await holdFolder(config.dataFolder)) : undefined;
  const reserve = opening.use(new Reserve({ folder: config.dataFolder, bytes: config.reserveBytes, log }));
  await reserve.start();
  const tracing = opening.use(await openTracing(config.tracing, { log, version }));
  const onQuery = tracing && traceQueries(tracing, config.db.kind === 'sqlite' ? 'sqlite' : 'postgresql');
  const presence = opening.use(await openPresenceOf(config, log));
  // Run by a server that is alone: whoever held these claims and locks has died.
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
    isServer: true,
  });
  opening.defer(() => database.close());
  await recordProgramVersion(database.db, version, clock.now());
  if (held) await releaseClaims(database.db);
  const databaseCheck = opening.use(openDatabaseCheck({ folder: config.dataFolder, held, log }));
  const breakers = new CircuitBreakers(clock);
  const cluster = opening.use(await openCluster(config.cluster, { clock, log, breakers }));
  const counters = openCounters(cluster, { clock, log });
  const mail = opening.use(openMail(config.mail, { clock, log, breakers }));
  const store = opening.use(await openStoreOf(config, keys, baseUrl, clock, { breakers, reserve }));
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
  const base = {
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
  };
  const heldBodies = new HeldBodies();
  const passwords = opening.use(new Passwords());
  return {
    ...base,
    passwords,
    databaseCheck,
    company: {
      isTold: () => presence?.isHeld ?? true,
      listNewerSteps: () => listNewerSteps(database.db, migrations),
    },
    proxies,
    reserve,
    heldBodies,
    breakers,
    metrics,
    goals: openGoals(metrics),
    tracing,
    baseUrl,
    stopping,
  };
}

/** Null where nothing needs them. Once something was sealed, a missing key file is a loss to be told, not a fresh start. */
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
      'public-url is set but trusted-proxies is not: behind a proxy all share one allowance',
    );
  return new Proxies(trustedProxies, tools);
}
