// From flags, environment and file to one typed configuration; the only file that sees the process environment.
// Cross-checks what belongs together. No setting at all means: SQLite and disk in one folder, on loopback.
import { join, resolve } from 'node:path';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import type { Setting } from '@recordproof/shared/settings/setting.ts';
import type { ClusterOptions } from '../platform/cluster/open-cluster.ts';
import type { DatabaseOptions } from '../platform/db/database-options.ts';
import type { MailOptions } from '../platform/mail/open-mail.ts';
import type { BrokerOptions } from '../platform/outbox/broker-options.ts';
import { Secret } from '../platform/secret.ts';
import type { TracingOptions } from '../platform/telemetry/tracing-types.ts';
import { refuseDataFolder } from './data-folder.ts';
import { type Read, reader, together, toSecret } from './groups.ts';
import { toKeyProviders } from './key-providers.ts';
import { type RawConfig, readRawConfig } from './read.ts';
import { toHealthLimits, toHttp, toRates } from './serving.ts';
import { type SettingName, settings } from './settings.ts';
import { toStampSources } from './stamp-sources.ts';
import { toLifecycles } from './suite-settings.ts';
import { toWitnesses } from './witnesses.ts';

export { ConfigError } from '@recordproof/shared/settings/read-setting.ts';

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
    };
/** Where batch roots go, and with a contract file records if they are told to. */
type ChainConfig =
  | { kind: 'ledger' }
  | {
      kind: 'evm';
      rpcUrl: Secret;
      contract: string;
      senderKey: Secret;
      confirmations: number;
      timeoutSeconds: number;
      fileRecords: 'ledger' | 'chain';
    };

export type Config = ReturnType<typeof toConfig>;

declare module '../platform/server.ts' {
  interface Platform {
    /** What is in force: file, environment and flags together. */
    readonly config: Config;
  }
}

/** What a data folder holds by itself, where nothing else is named. */
export const embeddedIn = (data: string) => ({
  db: { kind: 'sqlite', path: join(data, 'recordproof.db') } as const,
  objects: { kind: 'disk', folder: join(data, 'objects') } as const,
});

type ShownSetting = { key: string; env: string; value: string; source: string; group: string; help: string };

/** Null where none is set up: then backups go to the store of the objects, if that is S3, and to folders. */
function toBackupStore(raw: RawConfig, read: Read) {
  if (!together(raw, 'the S3 store of backups', 'backupS3Endpoints', 'backupS3AccessKeyId', 'backupS3SecretAccessKey'))
    return null;
  const endpoints = toEndpoints(read('backupS3Endpoints'));
  if (endpoints.length === 0) throw new ConfigError(`${settings.backupS3Endpoints.env} names no address.`);
  return {
    endpoints,
    region: read('backupS3Region'),
    accessKeyId: new Secret(read('backupS3AccessKeyId') ?? ''),
    secretAccessKey: new Secret(read('backupS3SecretAccessKey') ?? ''),
  };
}

const toEndpoints = (addresses: readonly string[] = []): string[] =>
  addresses.map(endpoint => endpoint.replace(/\/+$/, ''));

function toObjects(raw: RawConfig, read: Read, data: string): ObjectsConfig {
  if (!together(raw, 'the S3 store', 's3Endpoints', 's3Bucket', 's3AccessKeyId', 's3SecretAccessKey')) {
    if (read('s3PublicEndpoint') !== undefined) {
      throw new ConfigError(`${settings.s3PublicEndpoint.env} is set, but no S3 store is.`);
    }
    return embeddedIn(data).objects;
  }
  const endpoints = toEndpoints(read('s3Endpoints'));
  if (endpoints.length === 0) throw new ConfigError(`${settings.s3Endpoints.env} names no address.`);
  return {
    kind: 's3',
    endpoints,
    bucket: read('s3Bucket') ?? '',
    region: read('s3Region'),
    accessKeyId: new Secret(read('s3AccessKeyId') ?? ''),
    secretAccessKey: new Secret(read('s3SecretAccessKey') ?? ''),
    publicEndpoint: read('s3PublicEndpoint'),
  };
}

function toChain(raw: RawConfig, read: Read): ChainConfig {
  const fileRecords = read('chainFileRecords');
  if (!together(raw, 'the EVM chain', 'chainRpcUrl', 'chainContract', 'chainSenderKey')) {
    if (fileRecords === 'ledger') return { kind: 'ledger' };
    const { chainFileRecords, chainRpcUrl } = settings;
    throw new ConfigError(`${chainFileRecords.key} is "chain", but no EVM chain is set up (${chainRpcUrl.env}).`);
  }
  return {
    kind: 'evm',
    rpcUrl: new Secret(read('chainRpcUrl') ?? ''),
    contract: (read('chainContract') ?? '').toLowerCase(),
    senderKey: new Secret(read('chainSenderKey') ?? ''),
    confirmations: read('chainConfirmations'),
    timeoutSeconds: read('chainTimeoutSeconds'),
    fileRecords,
  };
}

/** Nothing that is said about traces is ignored: it turns them on, unless they are turned off in so many words. */
function toTracing(raw: RawConfig, read: Read): TracingOptions {
  const said = (['otelEndpoint', 'otelProtocol', 'otelSampler', 'otelSamplerRatio'] as const).some(
    name => raw.sources.get(name) !== 'default',
  );
  if (!(read('otelEnabled') ?? said)) return { kind: 'off' };
  return {
    kind: 'otlp',
    endpoint: read('otelEndpoint') ?? 'http://localhost:4317',
    protocol: read('otelProtocol'),
    sampler: read('otelSampler'),
    ratio: read('otelSamplerRatio'),
  };
}

function toFirstAdmin(raw: RawConfig, read: Read) {
  if (!together(raw, 'the first administrator', 'adminUsername', 'adminEmail', 'adminPassword')) return undefined;
  return {
    username: read('adminUsername') ?? '',
    email: read('adminEmail') ?? '',
    password: new Secret(read('adminPassword') ?? ''),
  };
}

function toAttestation(read: Read) {
  const limits = { minBatchSize: read('attestationMinBatch'), maxBatchSize: read('attestationMaxBatch') };
  if (limits.minBatchSize > limits.maxBatchSize) {
    const { attestationMinBatch: min, attestationMaxBatch: max } = settings;
    throw new ConfigError(`${min.key} (${limits.minBatchSize}) is more than ${max.key} (${limits.maxBatchSize}).`);
  }
  return {
    ...limits,
    enabled: read('attestationEnabled'),
    pollMs: read('attestationPollMs'),
    initialDelayMs: read('attestationInitialDelayMs'),
    maxWaitSeconds: read('attestationMaxWaitSeconds'),
    seedLimit: read('attestationSeedLimit'),
    maxBatchesPerRun: read('attestationMaxBatches'),
    claimLeaseSeconds: read('attestationLeaseSeconds'),
    candidateMaxAttempts: read('attestationMaxAttempts'),
  };
}

function toIntegrity(read: Read) {
  const odds = { medium: read('integrityMediumOdds'), heavy: read('integrityHeavyOdds') };
  if (odds.medium + odds.heavy > 1) {
    const { integrityMediumOdds: medium, integrityHeavyOdds: heavy } = settings;
    throw new ConfigError(`${medium.key} (${odds.medium}) and ${heavy.key} (${odds.heavy}) are more than 1 together.`);
  }
  return {
    enabled: read('integrityEnabled'),
    cron: read('integrityCron'),
    sampleRate: read('integritySampleRate'),
    batchSize: read('integrityBatchSize'),
    lockTimeoutSeconds: read('integrityLockTimeoutSeconds'),
    odds,
    sampleChunks: read('integritySampleChunks'),
    maxDownloadBytes: read('integrityMaxDownloadBytes'),
    scrub: {
      enabled: read('scrubEnabled'),
      bytesPerSecond: read('scrubBytesPerSecond'),
      hours: read('scrubHours'),
      withinDays: read('scrubWithinDays'),
    },
  };
}

function toRegistration(read: Read) {
  const mode = read('registration');
  const domains = read('registrationDomains').map(domain => domain.toLowerCase());
  const { registration, registrationDomains } = settings;
  if (mode === 'domains' && domains.length === 0)
    throw new ConfigError(`${registration.key} is "domains", but ${registrationDomains.key} names none.`);
  if (mode !== 'domains' && domains.length > 0)
    throw new ConfigError(`${registrationDomains.key} is set, but ${registration.key} is "${mode}", not "domains".`);
  return { mode, domains };
}

/** What it stands on, each in this process or in the data folder where nothing else is named. */
function toServices(read: Read, data: string) {
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
  const mail: MailOptions = smtp
    ? { kind: 'smtp', url: smtp, from: read('mailFrom') }
    : { kind: 'files', folder: join(data, 'mail'), from: read('mailFrom') };
  return { db, cluster, outbox, mail };
}

const toLedger = (read: Read) => ({
  name: read('ledgerName'),
  ...toWitnesses({
    witnesses: read('ledgerWitnesses'),
    peers: read('ledgerWitnessPeers'),
    quorum: read('ledgerWitnessQuorum'),
    isPostQuantum: read('ledgerPostQuantum'),
  }),
  ...toStampSources({
    authorities: read('ledgerStampAuthorities'),
    credentials: read('ledgerStampCredentials'),
    calendars: read('ledgerCalendars'),
  }),
  stampPauseSeconds: read('ledgerStampPause'),
  calendarPauseSeconds: read('ledgerCalendarPause'),
  isPostQuantum: read('ledgerPostQuantum'),
});

function toConfig(raw: RawConfig) {
  const read = reader(raw);
  const data = resolve(read('data'));
  const refusal = refuseDataFolder(data);
  if (refusal !== null) throw new ConfigError(`the data folder ${data} cannot be used: ${refusal}.`);
  const { db, cluster, outbox, mail } = toServices(read, data);
  return {
    profile: read('profile'),
    dataFolder: data,
    keysFolder: join(data, 'keys'),
    http: toHttp(read),
    db,
    cluster,
    outbox,
    mail,
    keyProviders: toKeyProviders(raw, read),
    suites: toLifecycles(name => raw.values.get(name)),
    keyRotation: {
      enabled: read('keyRotationEnabled'),
      pollMs: read('keyRotationPollMs'),
      initialDelayMs: read('keyRotationInitialDelayMs'),
      maxTenantsPerPoll: read('keyRotationMaxTenants'),
    },
    objects: toObjects(raw, read, data),
    reserveBytes: read('reserveBytes'),
    backup: {
      passphrase: toSecret(read('backupPassphrase')),
      to: read('backupTo'),
      keep: read('backupKeep'),
      store: toBackupStore(raw, read),
    },
    files: { maxBytes: read('filesMaxBytes'), retentionDays: read('filesRetentionDays') },
    uploads: {
      maxFileBytes: read('filesMaxBytes'),
      maxChunkBytes: read('uploadsMaxChunkBytes'),
      sessionHours: read('uploadsSessionHours'),
      urlHours: read('uploadsUrlHours'),
    },
    quota: {
      mode: read('quotaMode'),
      userBytes: read('quotaUserBytes'),
      userFiles: read('quotaUserFiles'),
      tenantBytes: read('quotaTenantBytes'),
      tenantFiles: read('quotaTenantFiles'),
    },
    chain: toChain(raw, read),
    ledger: toLedger(read),
    attestation: toAttestation(read),
    integrity: toIntegrity(read),
    backfill: {
      workerEnabled: read('backfillWorkerEnabled'),
      applyEnabled: read('backfillApplyEnabled'),
      pageSize: read('backfillPageSize'),
      claimSize: read('backfillClaimSize'),
      maxAttempts: read('backfillMaxAttempts'),
      claimLeaseSeconds: read('backfillClaimLeaseSeconds'),
      runLeaseSeconds: read('backfillRunLeaseSeconds'),
      workerDelaySeconds: read('backfillWorkerDelaySeconds'),
    },
    sweep: {
      markEnabled: read('sweepMarkEnabled'),
      deleteEnabled: read('sweepDeleteEnabled'),
      protectionDays: read('sweepProtectionDays'),
      batchSize: read('sweepBatchSize'),
      leaseSeconds: read('sweepLeaseSeconds'),
      workerDelaySeconds: read('sweepWorkerDelaySeconds'),
    },
    events: { maxStreams: read('eventsMaxStreams') },
    accounts: {
      firstAdmin: toFirstAdmin(raw, read),
      tokenLifetimeSeconds: read('tokenLifetimeSeconds'),
      mailCodeIntervalSeconds: read('mailCodeIntervalSeconds'),
      registration: toRegistration(read),
    },
    ratesPerMinute: toRates(read),
    log: { level: read('logLevel') },
    tracing: toTracing(raw, read),
    health: toHealthLimits(read),
  };
}

export async function readConfig(argv: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Promise<Config> {
  return toConfig(await readRawConfig(argv, env));
}

/** Everything in force, for people: of a secret only that it is set. */
export async function listSettings(
  argv: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ShownSetting[]> {
  const raw = await readRawConfig(argv, env);
  toConfig(raw);
  return (Object.keys(settings) as SettingName[]).map(name => {
    const setting: Setting = settings[name];
    const value = raw.values.get(name);
    return {
      key: setting.key,
      env: setting.env,
      value: toShown(setting, value),
      source: raw.sources.get(name) ?? 'default',
      group: setting.group,
      help: setting.help,
    };
  });
}

type ProfileDifference = { key: string; env: string; server: string; laptop: string; help: string };

/** What the profiles set differently; everything else is the same in both. */
export const listProfileDifferences = (): ProfileDifference[] =>
  Object.values<Setting>(settings)
    .filter(({ laptop }) => laptop !== undefined)
    .map(({ key, env, help, laptop, schema }) => ({
      key,
      env,
      server: String(schema.parse(undefined)),
      laptop: String(laptop),
      help,
    }));

function toShown(setting: Setting, value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (setting.secret) return '(set)';
  return Array.isArray(value) ? value.join(',') : String(value);
}
