// Settings of the backing services (database, object store on disk or S3, Redis, RabbitMQ, mail) and of backups.
import {
  bytes,
  listOf,
  oneOf,
  settingsOf,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { mailSender, rejectWebAddress, serviceUrl, smtpUrl, webAddress } from '../validation.ts';

const database = settingsOf('database');
const services = settingsOf('services');
const objects = settingsOf('objects');
const backup = settingsOf('backup');

const fewestCharacters = 12;

/** The error in a backup passphrase, or null. */
export const rejectPassphrase = (passphrase: string): string | null =>
  [...passphrase].length < fewestCharacters ? `must have at least ${fewestCharacters} characters` : null;

export const backingServiceSettings = {
  databaseUrl: database(
    'database-url',
    serviceUrl('postgres:', 'postgresql:').optional(),
    'PostgreSQL address; absent: SQLite in the data folder',
    { env: 'DATABASE_URL', secret: true },
  ),
  databasePoolSize: database(
    'database-pool-size',
    wholeNumber(2, 500).default(16),
    'maximum number of PostgreSQL connections',
  ),

  redisUrl: services(
    'redis-url',
    serviceUrl('redis:', 'rediss:').optional(),
    'Redis address; absent: rate limits and event fan-out are kept in this process',
    { env: 'REDIS_URL', secret: true },
  ),
  severalWithoutRedis: services(
    'several-servers-without-redis',
    yesOrNo.default(false),
    'allow several servers on one PostgreSQL without Redis; each then has its own rate limits and stream tokens',
  ),
  rabbitmqUrl: services(
    'rabbitmq-url',
    serviceUrl('amqp:', 'amqps:').optional(),
    'RabbitMQ address to which events are published; absent: events stay in this server',
    { env: 'RABBITMQ_URL', secret: true },
  ),
  smtpUrl: services('smtp-url', smtpUrl.optional(), 'mail server; absent: mail is written into the data folder', {
    env: 'SMTP_URL',
    secret: true,
  }),
  mailFrom: services('mail-from', mailSender.default('RecordProof <no-reply@localhost>'), 'sender address of mails'),
  mailLanguage: services(
    'mail-language',
    oneOf('en', 'zh').default('en'),
    'language of mails without a request, or whose request has no supported language',
  ),

  s3Endpoints: objects(
    's3-endpoints',
    listOf(rejectWebAddress).optional(),
    'addresses of one S3-compatible cluster; absent: files are stored in the data folder',
  ),
  s3Bucket: objects('s3-bucket', text.optional(), 'S3 bucket'),
  s3Region: objects('s3-region', text.default('us-east-1'), 'S3 region'),
  s3AccessKeyId: objects('s3-access-key-id', text.optional(), 'S3 access key id', { secret: true }),
  s3SecretAccessKey: objects('s3-secret-access-key', text.optional(), 'S3 secret access key', {
    secret: true,
  }),
  s3PublicEndpoint: objects(
    's3-public-endpoint',
    webAddress.optional(),
    'S3 address that clients use for presigned URLs',
  ),

  reserveBytes: objects(
    'reserve-bytes',
    bytes(0, 2 ** 40).default(32 * 2 ** 20),
    'space reserved in the data folder, released when the disk is full; 0: none',
  ),

  backupPassphrase: backup(
    'backup-passphrase',
    textThat(rejectPassphrase).optional(),
    'passphrase of backups; absent: prompted for',
    { secret: true },
  ),
  backupTo: backup(
    'backup-to',
    text.optional(),
    'default of --to and --from of backups: a folder, or s3://BUCKET/PREFIX',
  ),
  backupKeep: backup(
    'backup-keep',
    wholeNumber(1, 9999).optional(),
    'default of --keep: number of backups to keep; absent: all',
  ),
  backupS3Endpoints: backup(
    'backup-s3-endpoints',
    listOf(rejectWebAddress).optional(),
    'addresses of the S3 store of backups; absent: the S3 settings of the objects',
  ),
  backupS3Region: backup('backup-s3-region', text.default('us-east-1'), 'S3 region of backups'),
  backupS3AccessKeyId: backup('backup-s3-access-key-id', text.optional(), 'S3 access key id of backups', {
    secret: true,
  }),
  backupS3SecretAccessKey: backup('backup-s3-secret-access-key', text.optional(), 'S3 secret access key of backups', {
    secret: true,
  }),
};
