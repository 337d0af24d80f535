// Settings of database, object store, message services and backups.
import {
  bytes,
  define,
  listOf,
  oneOf,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { mailSender, rejectWebAddress, serviceUrl, smtpUrl, webAddress } from '../addresses.ts';
import { rejectPassphrase } from '../passphrase.ts';

export const storeSettings = {
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
  mailLanguage: define(
    'services',
    'mail-language',
    oneOf('en', 'zh').default('en'),
    'language of mails that no request causes, or one without a supported language',
  ),

  s3Endpoints: define(
    'objects',
    's3-endpoints',
    listOf(rejectWebAddress).optional(),
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
    textThat(rejectPassphrase).optional(),
    'passphrase of backups; absent: it is asked for',
    { secret: true },
  ),
  backupTo: define(
    'backup',
    'backup-to',
    text.optional(),
    'where backups are kept unless --to or --from says otherwise: a folder, or s3://BUCKET/PREFIX',
  ),
  backupKeep: define(
    'backup',
    'backup-keep',
    wholeNumber(1, 9999).optional(),
    'how many backups stay unless --keep says otherwise; absent: all',
  ),
  backupS3Endpoints: define(
    'backup',
    'backup-s3-endpoints',
    listOf(rejectWebAddress).optional(),
    'addresses of the S3 store of backups; absent: that of the objects, with its keys and region',
  ),
  backupS3Region: define('backup', 'backup-s3-region', text.default('us-east-1'), 'its region'),
  backupS3AccessKeyId: define('backup', 'backup-s3-access-key-id', text.optional(), 'its access key', {
    secret: true,
  }),
  backupS3SecretAccessKey: define('backup', 'backup-s3-secret-access-key', text.optional(), 'its secret key', {
    secret: true,
  }),
};
