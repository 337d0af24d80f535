// Settings of accounts, their files, and how people sign in.
import * as api from '@recordproof/shared/api/auth.ts';
import {
  bytes,
  fitting,
  listOf,
  oneOf,
  seconds,
  settingsOf,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { providerList, rejectClientSecret } from '../sign-in-providers.ts';

const files = settingsOf('files');
const accounts = settingsOf('accounts');
const singleSignOn = settingsOf('accounts', 'RECORDPROOF_');

const rejectDomain = (word: string): string | null => api.mailDomain.safeParse(word).error?.issues[0]?.message ?? null;

export const peopleSettings = {
  filesMaxBytes: files('files.max-bytes', bytes(1, 2 ** 50).default(4 * 2 ** 30), 'maximum size of a file'),
  filesRetentionDays: files(
    'files.retention-days',
    wholeNumber(0, 36_500).default(30),
    'retention of deleted files in the trash',
  ),
  uploadsMaxChunkBytes: files(
    'uploads.max-chunk-bytes',
    bytes(1024, 2 ** 30).default(80 * 2 ** 20),
    'maximum size of a chunk',
  ),
  uploadsSessionHours: files(
    'uploads.session-hours',
    wholeNumber(1, 8760).default(48),
    'idle timeout of an upload session, after which it expires',
  ),
  uploadsUrlHours: files(
    'uploads.url-hours',
    wholeNumber(1, 168).default(24),
    'lifetime of the presigned URLs of a direct upload',
  ),
  quotaMode: files(
    'quota.mode',
    oneOf('SHADOW', 'ENFORCE').default('ENFORCE'),
    'uploads over the quota: ENFORCE rejects them, SHADOW logs a warning',
    { laptop: 'SHADOW' },
  ),
  quotaUserBytes: files('quota.user-bytes', bytes(0, 2 ** 52).default(5 * 2 ** 30), 'storage quota per account'),
  quotaUserFiles: files('quota.user-files', wholeNumber(0, 2 ** 40).default(10_000), 'file quota per account'),
  quotaTenantBytes: files('quota.tenant-bytes', bytes(0, 2 ** 52).default(100 * 2 ** 30), 'storage quota per tenant'),
  quotaTenantFiles: files('quota.tenant-files', wholeNumber(0, 2 ** 40).default(500_000), 'file quota per tenant'),

  registration: accounts(
    'accounts.registration',
    oneOf('open', 'invite', 'domains', 'closed').default('invite'),
    'who may register: open (everyone), invite (invited people), domains (addresses of registration-domains), closed (no one)',
    { laptop: 'open' },
  ),
  registrationDomains: accounts(
    'accounts.registration-domains',
    listOf(rejectDomain).default([]),
    'e-mail domains that may register in mode domains',
  ),
  adminUsername: accounts(
    'admin-username',
    fitting(api.username).optional(),
    'user name of the first administrator, created on an empty server',
  ),
  adminEmail: accounts('admin-email', fitting(api.email).optional(), 'e-mail address of the first administrator'),
  adminPassword: accounts('admin-password', fitting(api.password).optional(), 'password of the first administrator', {
    secret: true,
  }),
  tokenLifetimeSeconds: accounts(
    'token-lifetime-seconds',
    seconds(86_400, 60, 2_592_000),
    'lifetime of a sign-in session',
  ),
  mailCodeIntervalSeconds: accounts(
    'mail-code-interval-seconds',
    seconds(60, 0, 3600),
    'minimum interval between two e-mail codes for one address',
  ),
  apiTokenMaxDays: accounts(
    'api-token-max-days',
    wholeNumber(1, 3650).default(365),
    'maximum lifetime of an API token',
  ),

  localSignIn: accounts(
    'accounts.local-sign-in',
    yesOrNo.default(true),
    'allow sign-in with passwords of this server; false: only through the providers in sso.providers',
  ),
  ssoProviders: singleSignOn(
    'sso.providers',
    providerList.default([]),
    'OpenID Connect providers for single sign-on: a list, in the environment as JSON',
  ),
  ssoClientSecrets: singleSignOn(
    'sso.client-secrets',
    listOf(rejectClientSecret).default([]),
    'client secrets of these providers: <id>:<secret>, percent-encoded, separated by commas',
    { secret: true },
  ),
  ssoSessionHours: singleSignOn(
    'sso.session-hours',
    wholeNumber(1, 168).default(12),
    'maximum lifetime of a single sign-on session before the provider is asked again',
  ),
};
