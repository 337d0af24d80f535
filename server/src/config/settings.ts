// The table of every setting: its key in a configuration file, where else it may come from, what it accepts.
// A setting that is not in this table does not exist: an unknown key stops the start.
import * as api from '@recordproof/shared/api/auth.ts';
import {
  bytes,
  define,
  fitting,
  listOf,
  logLevels,
  milliseconds,
  oneOf,
  rate,
  type Setting,
  seconds,
  share,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { refuseCron } from '../platform/jobs/cron.ts';
import { samplerNames } from '../platform/telemetry/tracing-types.ts';
import {
  mailSender,
  refuseHost,
  refuseNetwork,
  refuseWebAddress,
  serviceUrl,
  smtpUrl,
  webAddress,
} from './addresses.ts';
import { refusePassphrase } from './passphrase.ts';
import { suiteSettings } from './suite-settings.ts';

const matching = (form: RegExp, why: string) => textThat(value => (form.test(value) ? null : why));
const refuseShortToken = (token: string) => (token.length < 16 ? 'must have at least 16 characters' : null);

/** On a laptop nobody has to be kept from anybody; only guessing stays as slow as elsewhere. */
const allowance = (name: string, perMinute: number, help: string) =>
  define('limits', `rate-limit-${name}`, rate(perMinute), `${help}, per minute`, { laptop: perMinute * 100 });

export const settings = {
  profile: define(
    'start',
    'profile',
    oneOf('server', 'laptop').default('server'),
    'set of defaults: server, or laptop for proofs within seconds',
    { flag: 'profile' },
  ),
  data: define(
    'start',
    'data',
    text.default('./recordproof-data'),
    'folder that holds keys, mail and, by default, database and files',
    { flag: 'data' },
  ),
  host: define('http', 'host', textThat(refuseHost).default('127.0.0.1'), 'address to listen on', { flag: 'host' }),
  port: define('http', 'port', wholeNumber(0, 65_535).default(8080), 'port to listen on; 0 picks a free one', {
    flag: 'port',
  }),
  publicUrl: define('http', 'public-url', webAddress.optional(), 'address under which users reach this server'),
  trustedProxies: define(
    'http',
    'trusted-proxies',
    listOf(refuseNetwork).default([]),
    'addresses or networks whose X-Forwarded-For is believed',
  ),
  requestTimeoutSeconds: define(
    'http',
    'request-timeout-seconds',
    seconds(30, 1, 3600),
    'longest time a request without a file may take',
  ),
  stallTimeoutSeconds: define(
    'http',
    'stall-timeout-seconds',
    seconds(120, 1, 3600),
    'how long a file on its way may stand still before its client is let go',
  ),
  downloadMinBytesPerSecond: define(
    'http',
    'download-min-bytes-per-second',
    bytes(0, 2 ** 30).default(4096),
    'slowest pace at which a file may be taken, over the stall timeout; 0 takes any that moves',
  ),
  uploadMinBytesPerSecond: define(
    'http',
    'upload-min-bytes-per-second',
    bytes(0, 2 ** 30).default(1024),
    'slowest pace at which an upload may come in; 0 takes any',
  ),
  uploadsPerAccount: define(
    'http',
    'uploads-at-once-per-account',
    wholeNumber(1, 100_000).default(64),
    'bodies of uploads that one account may send at once',
  ),
  uploadsPerAddress: define(
    'http',
    'uploads-at-once-per-address',
    wholeNumber(1, 100_000).default(256),
    'bodies of uploads that may come from one address at once',
  ),
  shutdownGraceSeconds: define(
    'http',
    'shutdown-grace-seconds',
    seconds(20, 0, 3600),
    'how long running requests may finish at shutdown',
  ),
  managementToken: define(
    'http',
    'management-token',
    textThat(refuseShortToken).optional(),
    'bearer token for health details and metrics',
    { secret: true },
  ),
  openMetrics: define('http', 'open-metrics', yesOrNo.default(false), 'serve /actuator/prometheus without a token'),

  databaseUrl: define(
    'database',
    'database-url',
    serviceUrl('postgres:', 'postgresql:').optional(),
    'PostgreSQL address; absent: SQLite in the data folder',
    { env: 'DATABASE_URL', secret: true },
  ),
  databasePoolSize: define(
    'database',
    'database-pool-size',
    wholeNumber(2, 500).default(16),
    'connections to PostgreSQL',
  ),

  redisUrl: define(
    'services',
    'redis-url',
    serviceUrl('redis:', 'rediss:').optional(),
    'Redis address; absent: limits and fan-out live in this process',
    { env: 'REDIS_URL', secret: true },
  ),
  severalWithoutRedis: define(
    'services',
    'several-servers-without-redis',
    yesOrNo.default(false),
    'whether several servers may run on one PostgreSQL without Redis, each with limits and tokens of its own',
  ),
  rabbitmqUrl: define(
    'services',
    'rabbitmq-url',
    serviceUrl('amqp:', 'amqps:').optional(),
    'RabbitMQ address, where other programs hear of events; absent: they stay in this server',
    { env: 'RABBITMQ_URL', secret: true },
  ),
  smtpUrl: define(
    'services',
    'smtp-url',
    smtpUrl.optional(),
    'mail server; absent: mail is written into the data folder',
    { env: 'SMTP_URL', secret: true },
  ),
  mailFrom: define('services', 'mail-from', mailSender.default('RecordProof <no-reply@localhost>'), 'sender of mail'),

  keyProvider: define(
    'keys',
    'key-provider',
    oneOf('local', 'vault-transit', 'pkcs11').default('local'),
    'what wraps the keys of files: local, a key file beside the server; vault-transit, a Vault or OpenBao server; pkcs11, a hardware module',
  ),
  vaultAddress: define(
    'keys',
    'vault-address',
    webAddress.optional(),
    'address of a Vault or OpenBao server that wraps keys of files, or did so before',
  ),
  vaultKey: define(
    'keys',
    'vault-key',
    matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be the name of a key').optional(),
    'its transit key, of type aes256-gcm96 with derived=true',
  ),
  vaultMount: define(
    'keys',
    'vault-mount',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*$/, 'must be the path of a mount').default('transit'),
    'where its transit engine is mounted',
  ),
  vaultNamespace: define(
    'keys',
    'vault-namespace',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*\/?$/, 'must be the path of a namespace').optional(),
    'its namespace, where it has them',
  ),
  vaultToken: define(
    'keys',
    'vault-token',
    matching(/^[\x21-\x7e]+$/, 'must be a token without spaces').optional(),
    'token for it; renewed while it can be',
    { secret: true },
  ),
  vaultTokenFile: define(
    'keys',
    'vault-token-file',
    text.optional(),
    'file with the token, read again whenever it changes; in place of vault-token',
  ),
  vaultTimeoutMs: define('keys', 'vault-timeout-ms', milliseconds(5000, 100, 60_000), 'how long it may take to answer'),
  pkcs11Module: define(
    'keys',
    'pkcs11-module',
    text.optional(),
    'PKCS#11 library of a hardware module that wraps keys of files, or did so before',
  ),
  pkcs11Token: define('keys', 'pkcs11-token', text.optional(), 'label of its token'),
  pkcs11Key: define(
    'keys',
    'pkcs11-key',
    text.optional(),
    'label of its AES keys, of which the one with the highest id wraps',
  ),
  pkcs11Pin: define(
    'keys',
    'pkcs11-pin',
    matching(/^[\x21-\x7e]+$/, 'must be a PIN without spaces').optional(),
    'PIN of its user',
    { secret: true },
  ),
  pkcs11PinFile: define('keys', 'pkcs11-pin-file', text.optional(), 'file with the PIN, in place of pkcs11-pin'),
  pkcs11TimeoutMs: define(
    'keys',
    'pkcs11-timeout-ms',
    milliseconds(5000, 100, 60_000),
    'how long the module may take to answer',
  ),

  keyRotationEnabled: define(
    'keys',
    'key.rotation.enabled',
    yesOrNo.default(false),
    'work on key rotations; without it they can be planned only',
  ),
  keyRotationPollMs: define(
    'keys',
    'key.rotation.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'pause between two looks for key rotations',
  ),
  keyRotationInitialDelayMs: define(
    'keys',
    'key.rotation.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'pause before the first look',
  ),
  keyRotationMaxTenants: define(
    'keys',
    'key.rotation.max-tenants-per-poll',
    wholeNumber(1, 10_000).default(100),
    'most tenants that one look takes up',
  ),

  integrityEnabled: define(
    'integrity',
    'integrity.check.enabled',
    yesOrNo.default(true),
    'check stored files by schedule; without it checks are made by hand only',
  ),
  integrityCron: define(
    'integrity',
    'integrity.check.schedule.cron',
    textThat(refuseCron).default('0 0 2 * * ?'),
    'when: second, minute, hour, day, month, weekday (MON, or 1 for Sunday), in the time zone of the server',
  ),
  integritySampleRate: define(
    'integrity',
    'integrity.check.sample-rate',
    share.default(0.01),
    'share of the files that a scheduled check looks at',
  ),
  integrityBatchSize: define(
    'integrity',
    'integrity.check.batch-size',
    wholeNumber(1, 1000).default(50),
    'files that a check reads from the database at once',
  ),
  integrityLockTimeoutSeconds: define(
    'integrity',
    'integrity.check.lock-timeout-seconds',
    seconds(1800, 10, 86_400),
    'how long the lock of a check outlives a server that died at it',
  ),
  integrityMediumOdds: define(
    'integrity',
    'integrity.check.medium-odds',
    share.default(0.09),
    'share of the scheduled checks that are MEDIUM; what is left is LIGHTWEIGHT',
  ),
  integrityHeavyOdds: define(
    'integrity',
    'integrity.check.heavy-odds',
    share.default(0.01),
    'share of the scheduled checks that are HEAVY',
  ),
  integritySampleChunks: define(
    'integrity',
    'integrity.check.heavy.sample-chunks',
    wholeNumber(0, 10_000).default(1),
    'chunks of a file that a HEAVY check reads',
  ),
  integrityMaxDownloadBytes: define(
    'integrity',
    'integrity.check.heavy.max-download-bytes',
    bytes(0, 2 ** 40).default(83_886_080),
    'most bytes of a file that a HEAVY check reads',
  ),

  backfillWorkerEnabled: define(
    'backfill',
    'backfill.worker.enabled',
    yesOrNo.default(true),
    'work on manifest backfills; without it they can be planned only',
  ),
  backfillApplyEnabled: define(
    'backfill',
    'backfill.apply.enabled',
    yesOrNo.default(false),
    'let backfills write manifests; without it they look only',
  ),
  backfillPageSize: define(
    'backfill',
    'backfill.page-size',
    wholeNumber(1, 1000).default(100),
    'records that a backfill finds at once',
  ),
  backfillClaimSize: define(
    'backfill',
    'backfill.claim-size',
    wholeNumber(1, 20).default(20),
    'items of a backfill that a server takes on at once',
  ),
  backfillMaxAttempts: define(
    'backfill',
    'backfill.max-attempts',
    wholeNumber(1, 20).default(3),
    'tries of each item while the store or the chain is away',
  ),
  backfillClaimLeaseSeconds: define(
    'backfill',
    'backfill.claim-lease-seconds',
    seconds(120, 10, 3600),
    'how long an item stays with a server that is not heard of',
  ),
  backfillRunLeaseSeconds: define(
    'backfill',
    'backfill.run-lease-seconds',
    seconds(300, 10, 3600),
    'how long a run stays with a server that is not heard of',
  ),
  backfillWorkerDelaySeconds: define(
    'backfill',
    'backfill.worker-delay-seconds',
    seconds(5, 1, 3600),
    'pause between two looks for backfills',
  ),

  sweepMarkEnabled: define(
    'sweep',
    'sweep.mark.enabled',
    yesOrNo.default(false),
    'let administrators mark objects that nothing refers to',
  ),
  sweepDeleteEnabled: define(
    'sweep',
    'sweep.delete.enabled',
    yesOrNo.default(false),
    'delete marked objects once their protection has ended and a new census agrees',
  ),
  sweepProtectionDays: define(
    'sweep',
    'sweep.protection-window-days',
    wholeNumber(0, 3650).default(30),
    'how long a marked object stays at least',
  ),
  sweepBatchSize: define(
    'sweep',
    'sweep.batch-size',
    wholeNumber(1, 100).default(20),
    'marked objects that a server takes on at once',
  ),
  sweepLeaseSeconds: define(
    'sweep',
    'sweep.lease-seconds',
    seconds(120, 30, 3600),
    'how long a marked object stays with a server that is not heard of',
  ),
  sweepWorkerDelaySeconds: define(
    'sweep',
    'sweep.worker-delay-seconds',
    seconds(60, 1, 86_400),
    'pause between two looks for marked objects whose time has come',
  ),

  ...suiteSettings,

  s3Endpoints: define(
    'objects',
    's3-endpoints',
    listOf(refuseWebAddress).optional(),
    'addresses of one S3-compatible cluster; absent: files lie in the data folder',
  ),
  s3Bucket: define('objects', 's3-bucket', text.optional(), 'bucket'),
  s3Region: define('objects', 's3-region', text.default('us-east-1'), 'region'),
  s3AccessKeyId: define('objects', 's3-access-key-id', text.optional(), 'access key', { secret: true }),
  s3SecretAccessKey: define('objects', 's3-secret-access-key', text.optional(), 'secret key', { secret: true }),
  s3PublicEndpoint: define(
    'objects',
    's3-public-endpoint',
    webAddress.optional(),
    'address that clients use for presigned transfers',
  ),

  reserveBytes: define(
    'objects',
    'reserve-bytes',
    bytes(0, 2 ** 40).default(32 * 2 ** 20),
    'room in the data folder that is kept for a full disk; 0 keeps none',
  ),

  backupPassphrase: define(
    'backup',
    'backup-passphrase',
    textThat(refusePassphrase).optional(),
    'passphrase of backups; absent: it is asked for',
    { secret: true },
  ),

  filesMaxBytes: define('files', 'files.max-bytes', bytes(1, 2 ** 50).default(4 * 2 ** 30), 'largest file'),
  filesRetentionDays: define(
    'files',
    'files.retention-days',
    wholeNumber(0, 36_500).default(30),
    'how long the bytes of a deleted file are kept',
  ),
  uploadsMaxChunkBytes: define(
    'files',
    'uploads.max-chunk-bytes',
    bytes(1024, 2 ** 30).default(80 * 2 ** 20),
    'largest chunk',
  ),
  uploadsSessionHours: define(
    'files',
    'uploads.session-hours',
    wholeNumber(1, 8760).default(48),
    'how long an upload may rest before it expires',
  ),
  uploadsUrlHours: define(
    'files',
    'uploads.url-hours',
    wholeNumber(1, 168).default(24),
    'how long the addresses of a direct upload are good',
  ),
  quotaMode: define(
    'files',
    'quota.mode',
    oneOf('SHADOW', 'ENFORCE').default('SHADOW'),
    'past the quota: SHADOW writes a warning, ENFORCE refuses',
  ),
  quotaUserBytes: define(
    'files',
    'quota.user-bytes',
    bytes(0, 2 ** 52).default(5 * 2 ** 30),
    'what one account may store',
  ),
  quotaUserFiles: define(
    'files',
    'quota.user-files',
    wholeNumber(0, 2 ** 40).default(10_000),
    'how many files one account may have',
  ),
  quotaTenantBytes: define(
    'files',
    'quota.tenant-bytes',
    bytes(0, 2 ** 52).default(100 * 2 ** 30),
    'what one tenant may store',
  ),
  quotaTenantFiles: define(
    'files',
    'quota.tenant-files',
    wholeNumber(0, 2 ** 40).default(500_000),
    'how many files one tenant may have',
  ),

  chainRpcUrl: define(
    'chain',
    'chain-rpc-url',
    webAddress.optional(),
    'JSON-RPC address of an EVM node for batch roots; absent: they go to the embedded ledger',
    { secret: true },
  ),
  chainContract: define(
    'chain',
    'chain-contract',
    matching(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits').optional(),
    'address of the anchor contract; "recordproof-server chain deploy" makes one',
  ),
  chainSenderKey: define(
    'chain',
    'chain-sender-key',
    matching(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits').optional(),
    'private key of the account that deployed the contract and pays for transactions',
    { secret: true },
  ),
  chainConfirmations: define(
    'chain',
    'chain.confirmations',
    wholeNumber(0, 10_000).default(12),
    'blocks on top before a batch root or file record counts',
  ),
  chainFileRecords: define(
    'chain',
    'chain.file-records',
    oneOf('ledger', 'chain').default('ledger'),
    'where files are recorded: on the embedded ledger, or on the EVM chain with a transaction for each',
  ),
  chainTimeoutSeconds: define(
    'chain',
    'chain.timeout-seconds',
    seconds(60, 1, 3600),
    'how long a batch root may take before it is asked for again later',
  ),
  ledgerName: define(
    'chain',
    'ledger-name',
    matching(/^[^\s+\p{Cc}]{1,255}$/u, 'must be one word without "+"').optional(),
    'what the embedded ledger is called in its checkpoints, best host/path of this server; fixed by the first start',
  ),
  attestationEnabled: define(
    'attestation',
    'attestation.production.enabled',
    yesOrNo.default(false),
    'gather stored files into batches and anchor them',
    { laptop: true },
  ),
  attestationPollMs: define(
    'attestation',
    'attestation.production.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'pause between two looks for what has waited long enough; as many as make a batch due do not wait for it',
  ),
  attestationInitialDelayMs: define(
    'attestation',
    'attestation.production.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'pause between the start of a server and its first look',
  ),
  attestationMinBatch: define(
    'attestation',
    'attestation.production.min-batch-size',
    wholeNumber(1, 10_000).default(50),
    'files that make a batch due at once',
    { laptop: 1 },
  ),
  attestationMaxBatch: define(
    'attestation',
    'attestation.production.max-batch-size',
    wholeNumber(1, 10_000).default(100),
    'most files in one batch',
  ),
  attestationMaxWaitSeconds: define(
    'attestation',
    'attestation.production.max-wait-seconds',
    seconds(600, 0, 604_800),
    'how long a file waits for others at most',
    { laptop: 5 },
  ),
  attestationSeedLimit: define(
    'attestation',
    'attestation.production.seed-limit',
    wholeNumber(0, 100_000).default(200),
    'files without candidate that are taken up per tenant and run',
  ),
  attestationMaxBatches: define(
    'attestation',
    'attestation.production.max-batches-per-run',
    wholeNumber(1, 1000).default(2),
    'most new batches per tenant and run',
  ),
  attestationLeaseSeconds: define(
    'attestation',
    'attestation.production.claim-lease-seconds',
    seconds(120, 5, 3600),
    'how long nobody else takes what a server has claimed',
  ),
  attestationMaxAttempts: define(
    'attestation',
    'attestation.production.candidate-max-attempts',
    wholeNumber(1, 100).default(3),
    'attempts before a candidate is a dead letter',
  ),

  eventsMaxStreams: define(
    'limits',
    'events.max-streams',
    wholeNumber(0, 1_000_000).default(10_000),
    'event streams that one server holds open; each takes a file handle',
  ),

  adminUsername: define(
    'accounts',
    'admin-username',
    fitting(api.username).optional(),
    'first administrator, made on an empty server',
  ),
  adminEmail: define(
    'accounts',
    'admin-email',
    fitting(api.email).optional(),
    'e-mail address of the first administrator',
  ),
  adminPassword: define(
    'accounts',
    'admin-password',
    fitting(api.password).optional(),
    'password of the first administrator',
    {
      secret: true,
    },
  ),
  tokenLifetimeSeconds: define(
    'accounts',
    'token-lifetime-seconds',
    seconds(86_400, 60, 2_592_000),
    'how long a login lasts',
  ),
  mailCodeIntervalSeconds: define(
    'accounts',
    'mail-code-interval-seconds',
    seconds(60, 0, 3600),
    'least time between two codes for one address',
  ),

  rateAuth: define('limits', 'rate-limit-auth', rate(10), 'logins, registrations and the like, per minute'),
  rateUpload: allowance('upload', 20, 'uploads begun'),
  rateDownload: allowance('download', 100, 'downloads'),
  rateChunk: allowance('chunk', 6000, 'chunks, and what else goes on with an upload'),
  rateShare: allowance('share', 600, 'calls of those who come with the link of a share, per address'),
  ratePublicProof: allowance('public-proof', 120, 'public proof look-ups per address'),
  rateLedger: allowance('ledger', 1200, 'tiles and checkpoints of the ledger per address'),
  rateProbe: allowance('probe', 6000, 'health checks and metric scrapes per address'),
  rateOther: allowance('other', 60, 'everything else'),

  logLevel: define('telemetry', 'log-level', oneOf(...logLevels).default('info'), 'least level that is logged', {
    flag: 'log-level',
  }),
  otelEndpoint: define(
    'telemetry',
    'otel-endpoint',
    webAddress.optional(),
    'OpenTelemetry collector; absent: http://localhost:4317, once traces are sent',
    { env: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  otelEnabled: define(
    'telemetry',
    'otel-enabled',
    yesOrNo.optional(),
    'whether traces are sent; absent: they are where anything is said about them',
  ),
  otelProtocol: define(
    'telemetry',
    'otel-protocol',
    oneOf('grpc', 'http/protobuf').default('grpc'),
    'how traces travel',
    { env: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
  ),
  otelSampler: define(
    'telemetry',
    'otel-sampler',
    oneOf(...samplerNames).default('parentbased_traceidratio'),
    'which traces are kept',
    { env: 'OTEL_TRACES_SAMPLER' },
  ),
  otelSamplerRatio: define('telemetry', 'otel-sampler-ratio', share.default(0.1), 'share of traces that are kept', {
    env: 'OTEL_TRACES_SAMPLER_ARG',
  }),

  outboxPendingDegraded: define(
    'health',
    'health.outbox.pending-degraded',
    wholeNumber(0, 1e9).default(500),
    'waiting events above which health is DEGRADED',
  ),
  outboxFailedDown: define(
    'health',
    'health.outbox.failed-down',
    wholeNumber(0, 1e9).default(20),
    'exhausted events above which health is DOWN',
  ),
  sagaRunningDegraded: define(
    'health',
    'health.saga.running-degraded',
    wholeNumber(0, 1e9).default(100),
    'running sagas above which health is DEGRADED',
  ),
  sagaFailedDown: define(
    'health',
    'health.saga.failed-down',
    wholeNumber(0, 1e9).default(10),
    'failed sagas above which health is DOWN',
  ),
  sagaCompensationDegraded: define(
    'health',
    'health.saga.compensation-degraded',
    wholeNumber(0, 1e9).default(50),
    'sagas waiting for compensation above which health is DEGRADED',
  ),
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
