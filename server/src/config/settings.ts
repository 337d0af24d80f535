// The table of every setting: its key in a configuration file, where else it may come from, what it accepts.
// A setting that is not in this table does not exist: an unknown key stops the start.
import { z } from 'zod';

export type Setting = {
  /** Key in the configuration file; dots nest. */
  readonly key: string;
  readonly env: string;
  readonly flag?: string;
  readonly secret?: true;
  readonly group: string;
  readonly help: string;
  readonly schema: z.ZodType;
};

const wholeNumber = (min: number, max: number) =>
  z.coerce.number(`must be a number`).int('must be a whole number').min(min).max(max);

const yesOrNo = z.union([
  z.boolean(),
  z
    .enum(['true', 'false', '1', '0', 'yes', 'no'], 'must be true or false')
    .transform(word => ['true', '1', 'yes'].includes(word)),
]);

const text = z.coerce.string().trim().min(1, 'must not be empty').max(4096);
const list = z.union([
  z.array(text),
  text.transform(words =>
    words
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== ''),
  ),
]);
const urlOf = (...schemes: string[]) =>
  text.refine(value => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be an address that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
  });

const rate = (fallback: number) => wholeNumber(1, 1_000_000).default(fallback);

/** `key.rotation.enabled` → `KEY_ROTATION_ENABLED`. */
const upperSnake = (key: string): string => key.replace(/[.-]/g, '_').toUpperCase();

/** Dotted keys stand for themselves in the environment; the others carry our name. */
const toEnvName = (key: string) => (key.includes('.') ? upperSnake(key) : `RECORDPROOF_${upperSnake(key)}`);

const define = <S extends z.ZodType>(
  group: string,
  key: string,
  schema: S,
  help: string,
  extra: { env?: string; flag?: string; secret?: true } = {},
): Setting & { readonly schema: S } => ({ group, key, schema, help, ...extra, env: extra.env ?? toEnvName(key) });

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const seconds = (fallback: number, min = 1, max = 31_536_000) => wholeNumber(min, max).default(fallback);

export const settings = {
  profile: define(
    'start',
    'profile',
    z.enum(['server', 'laptop']).default('server'),
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
  host: define('http', 'host', text.default('127.0.0.1'), 'address to listen on', { flag: 'host' }),
  port: define('http', 'port', wholeNumber(0, 65_535).default(8080), 'port to listen on; 0 picks a free one', {
    flag: 'port',
  }),
  publicUrl: define(
    'http',
    'public-url',
    urlOf('http:', 'https:').optional(),
    'address under which users reach this server',
  ),
  trustedProxies: define(
    'http',
    'trusted-proxies',
    list.default([]),
    'addresses or networks whose X-Forwarded-For is believed',
  ),
  requestTimeoutSeconds: define(
    'http',
    'request-timeout-seconds',
    seconds(30, 1, 3600),
    'longest time a request without a file may take',
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
    text.min(16, 'must have at least 16 characters').optional(),
    'bearer token for health details and metrics',
    { secret: true },
  ),
  openMetrics: define('http', 'open-metrics', yesOrNo.default(false), 'serve /actuator/prometheus without a token'),

  databaseUrl: define(
    'database',
    'database-url',
    urlOf('postgres:', 'postgresql:').optional(),
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
    urlOf('redis:', 'rediss:').optional(),
    'Redis address; absent: limits and fan-out live in this process',
    { env: 'REDIS_URL', secret: true },
  ),
  rabbitmqUrl: define(
    'services',
    'rabbitmq-url',
    urlOf('amqp:', 'amqps:').optional(),
    'RabbitMQ address; absent: events are handed on in this process',
    { env: 'RABBITMQ_URL', secret: true },
  ),
  smtpUrl: define(
    'services',
    'smtp-url',
    urlOf('smtp:', 'smtps:').optional(),
    'mail server; absent: mail is written into the data folder',
    { env: 'SMTP_URL', secret: true },
  ),
  mailFrom: define('services', 'mail-from', text.default('RecordProof <no-reply@localhost>'), 'sender of mail'),

  s3Endpoints: define(
    'objects',
    's3-endpoints',
    list.optional(),
    'addresses of one S3-compatible cluster; absent: files lie in the data folder',
  ),
  s3Bucket: define('objects', 's3-bucket', text.optional(), 'bucket'),
  s3Region: define('objects', 's3-region', text.default('us-east-1'), 'region'),
  s3AccessKeyId: define('objects', 's3-access-key-id', text.optional(), 'access key', { secret: true }),
  s3SecretAccessKey: define('objects', 's3-secret-access-key', text.optional(), 'secret key', { secret: true }),
  s3PublicEndpoint: define(
    'objects',
    's3-public-endpoint',
    urlOf('http:', 'https:').optional(),
    'address that clients use for presigned transfers',
  ),

  filesMaxBytes: define('files', 'files.max-bytes', wholeNumber(1, 2 ** 50).default(4 * 2 ** 30), 'largest file'),
  filesRetentionDays: define(
    'files',
    'files.retention-days',
    wholeNumber(0, 36_500).default(30),
    'how long the bytes of a deleted file are kept',
  ),
  uploadsMaxChunkBytes: define(
    'files',
    'uploads.max-chunk-bytes',
    wholeNumber(1024, 2 ** 30).default(80 * 2 ** 20),
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
    z.enum(['SHADOW', 'ENFORCE']).default('SHADOW'),
    'past the quota: SHADOW writes a warning, ENFORCE refuses',
  ),
  quotaUserBytes: define(
    'files',
    'quota.user-bytes',
    wholeNumber(0, 2 ** 52).default(5 * 2 ** 30),
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
    wholeNumber(0, 2 ** 52).default(100 * 2 ** 30),
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
    urlOf('http:', 'https:').optional(),
    'JSON-RPC address of an EVM node for batch roots; absent: they go to the embedded ledger',
    { secret: true },
  ),
  chainContract: define(
    'chain',
    'chain-contract',
    text.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits').optional(),
    'address of the anchor contract; "recordproof-server chain deploy" makes one',
  ),
  chainSenderKey: define(
    'chain',
    'chain-sender-key',
    text.regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits').optional(),
    'private key of the account that deployed the contract and pays for transactions',
    { secret: true },
  ),
  chainConfirmations: define(
    'chain',
    'chain.confirmations',
    wholeNumber(0, 10_000).default(12),
    'blocks on top before a batch root counts',
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
    text.regex(/^[^\s+\p{Cc}]{1,255}$/u, 'must be one word without "+"').optional(),
    'what the embedded ledger is called in its checkpoints, best host/path of this server; fixed by the first start',
  ),

  adminUsername: define('accounts', 'admin-username', text.optional(), 'first administrator, made on an empty server'),
  adminEmail: define('accounts', 'admin-email', text.optional(), 'e-mail address of the first administrator'),
  adminPassword: define('accounts', 'admin-password', text.optional(), 'password of the first administrator', {
    secret: true,
  }),
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
  rateUpload: define('limits', 'rate-limit-upload', rate(20), 'uploads started or completed, per minute'),
  rateDownload: define('limits', 'rate-limit-download', rate(100), 'downloads, per minute'),
  rateChunk: define('limits', 'rate-limit-chunk', rate(6000), 'chunks, per minute'),
  ratePublicProof: define(
    'limits',
    'rate-limit-public-proof',
    rate(120),
    'public proof look-ups per address, per minute',
  ),
  rateLedger: define(
    'limits',
    'rate-limit-ledger',
    rate(1200),
    'tiles and checkpoints of the ledger per address, per minute',
  ),
  rateProbe: define(
    'limits',
    'rate-limit-probe',
    rate(6000),
    'health checks and metric scrapes per address, per minute',
  ),
  rateOther: define('limits', 'rate-limit-other', rate(60), 'everything else, per minute'),

  logLevel: define('telemetry', 'log-level', z.enum(logLevels).default('info'), 'least level that is logged', {
    flag: 'log-level',
  }),
  otelEndpoint: define(
    'telemetry',
    'otel-endpoint',
    urlOf('http:', 'https:').optional(),
    'OpenTelemetry collector; absent: no traces are sent',
    { env: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  otelEnabled: define(
    'telemetry',
    'otel-enabled',
    yesOrNo.default(false),
    'send traces to the default collector at http://localhost:4317',
  ),
  otelProtocol: define(
    'telemetry',
    'otel-protocol',
    z.enum(['grpc', 'http/protobuf']).default('grpc'),
    'how traces travel',
    { env: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
  ),
  otelSamplerRatio: define(
    'telemetry',
    'otel-sampler-ratio',
    z.coerce.number().min(0).max(1).default(0.1),
    'share of traces that are kept',
    { env: 'OTEL_TRACES_SAMPLER_ARG' },
  ),

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
