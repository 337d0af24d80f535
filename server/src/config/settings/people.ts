// Settings of accounts and their files.
import * as api from '@recordproof/shared/api/auth.ts';
import { bytes, define, fitting, listOf, oneOf, seconds, wholeNumber } from '@recordproof/shared/settings/setting.ts';

const rejectDomain = (word: string): string | null => api.mailDomain.safeParse(word).error?.issues[0]?.message ?? null;

export const peopleSettings = {
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
    oneOf('SHADOW', 'ENFORCE').default('ENFORCE'),
    'past the quota: ENFORCE rejects, SHADOW writes a warning',
    { laptop: 'SHADOW' },
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

  registration: define(
    'accounts',
    'accounts.registration',
    oneOf('open', 'invite', 'domains', 'closed').default('invite'),
    'who may register: everybody, invited people, people with addresses of certain domains, or nobody',
    { laptop: 'open' },
  ),
  registrationDomains: define(
    'accounts',
    'accounts.registration-domains',
    listOf(rejectDomain).default([]),
    'domains whose addresses may register in mode domains',
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
  apiTokenMaxDays: define(
    'accounts',
    'api-token-max-days',
    wholeNumber(1, 3650).default(365),
    'how long an API token may last',
  ),
};
