// Settings of accounts and their files.
import * as api from '@recordproof/shared/api/auth.ts';
import { bytes, define, fitting, listOf, oneOf, seconds, wholeNumber } from '@recordproof/shared/settings/setting.ts';

const rejectDomain = (word: string): string | null => api.mailDomain.safeParse(word).error?.issues[0]?.message ?? null;

export const peopleSettings = {
  filesMaxBytes: define('files', 'files.max-bytes', bytes(1, 2 ** 50).default(4 * 2 ** 30), 'maximum size of a file'),
  filesRetentionDays: define(
    'files',
    'files.retention-days',
    wholeNumber(0, 36_500).default(30),
    'retention of deleted files in the trash',
  ),
  uploadsMaxChunkBytes: define(
    'files',
    'uploads.max-chunk-bytes',
    bytes(1024, 2 ** 30).default(80 * 2 ** 20),
    'maximum size of a chunk',
  ),
  uploadsSessionHours: define(
    'files',
    'uploads.session-hours',
    wholeNumber(1, 8760).default(48),
    'idle timeout of an upload session, after which it expires',
  ),
  uploadsUrlHours: define(
    'files',
    'uploads.url-hours',
    wholeNumber(1, 168).default(24),
    'lifetime of the presigned URLs of a direct upload',
  ),
  quotaMode: define(
    'files',
    'quota.mode',
    oneOf('SHADOW', 'ENFORCE').default('ENFORCE'),
    'uploads over the quota: ENFORCE rejects them, SHADOW logs a warning',
    { laptop: 'SHADOW' },
  ),
  quotaUserBytes: define(
    'files',
    'quota.user-bytes',
    bytes(0, 2 ** 52).default(5 * 2 ** 30),
    'storage quota per account',
  ),
  quotaUserFiles: define(
    'files',
    'quota.user-files',
    wholeNumber(0, 2 ** 40).default(10_000),
    'file quota per account',
  ),
  quotaTenantBytes: define(
    'files',
    'quota.tenant-bytes',
    bytes(0, 2 ** 52).default(100 * 2 ** 30),
    'storage quota per tenant',
  ),
  quotaTenantFiles: define(
    'files',
    'quota.tenant-files',
    wholeNumber(0, 2 ** 40).default(500_000),
    'file quota per tenant',
  ),

  registration: define(
    'accounts',
    'accounts.registration',
    oneOf('open', 'invite', 'domains', 'closed').default('invite'),
    'who may register: open (everyone), invite (invited people), domains (addresses of registration-domains), closed (no one)',
    { laptop: 'open' },
  ),
  registrationDomains: define(
    'accounts',
    'accounts.registration-domains',
    listOf(rejectDomain).default([]),
    'e-mail domains that may register in mode domains',
  ),
  adminUsername: define(
    'accounts',
    'admin-username',
    fitting(api.username).optional(),
    'user name of the first administrator, created on an empty server',
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
    'lifetime of a sign-in session',
  ),
  mailCodeIntervalSeconds: define(
    'accounts',
    'mail-code-interval-seconds',
    seconds(60, 0, 3600),
    'minimum interval between two e-mail codes for one address',
  ),
  apiTokenMaxDays: define(
    'accounts',
    'api-token-max-days',
    wholeNumber(1, 3650).default(365),
    'maximum lifetime of an API token',
  ),
};
