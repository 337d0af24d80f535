// Configuration: precedence of its sources, validation, error messages with hints, profiles and redaction.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { listSettings } from './list-settings.ts';

async function withFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-config-'));
  const path = join(folder, 'recordproof.yaml');
  writeFileSync(path, text);
  try {
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rejection = async (argv: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
  try {
    await readConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('this configuration should have been refused');
};

test('an empty configuration is complete: SQLite, disk, loopback', async () => {
  const config = await readConfig([], {});
  expect(config).toMatchObject({
    profile: 'server',
    http: { host: '127.0.0.1', port: 8080 },
    db: { kind: 'sqlite' },
    cluster: { kind: 'memory' },
    outbox: { kind: 'local' },
    mail: { kind: 'files' },
    objects: { kind: 'disk' },
    tracing: { kind: 'off' },
    ratesPerMinute: { auth: 10, upload: 20, download: 100, other: 60 },
    uploads: { maxFileBytes: 4 * 2 ** 30, maxChunkBytes: 83_886_080, sessionHours: 48, urlHours: 24 },
  });
});

test('flags override the environment, which overrides the file, whether its keys are nested or dotted', async () => {
  const text = 'port: 1001\nhost: 10.0.0.1\nquota:\n  mode: ENFORCE\nfiles.max-bytes: 1000\n';
  await withFile(text, async path => {
    const config = await readConfig(['--config', path, '--port', '1003'], {
      RECORDPROOF_PORT: '1002',
      RECORDPROOF_HOST: '10.0.0.2',
    });
    expect(config.http).toMatchObject({ port: 1003, host: '10.0.0.2' });
    expect(config.quota.mode).toBe('ENFORCE');
    expect(config.files.maxBytes).toBe(1000);
    expect((await readConfig(['--config', path], { FILES_MAX_BYTES: '2000' })).files.maxBytes).toBe(2000);
    expect((await readConfig(['--config', path], { FILES_MAX_BYTES: '10GB' })).files.maxBytes).toBe(10 * 2 ** 30);
  });
});

test.each([
  ['an unknown flag', ['--prot', '1'], {}, '--prot'],
  ['an unknown variable', [], { RECORDPROOF_PROT: '1' }, 'RECORDPROOF_PROT is not a setting'],
  ['a port that does not exist', [], { RECORDPROOF_PORT: '70000' }, 'RECORDPROOF_PORT'],
  ['a port that is no number', ['--port', 'http'], {}, '--port'],
  [
    'half an S3 group',
    [],
    { RECORDPROOF_S3_ENDPOINTS: 'http://s3', RECORDPROOF_S3_BUCKET: 'b' },
    'RECORDPROOF_S3_ACCESS_KEY_ID and RECORDPROOF_S3_SECRET_ACCESS_KEY are missing',
  ],
  [
    'an S3 address without a scheme',
    [],
    {
      RECORDPROOF_S3_ENDPOINTS: 's3:9000',
      RECORDPROOF_S3_BUCKET: 'b',
      RECORDPROOF_S3_ACCESS_KEY_ID: 'k',
      RECORDPROOF_S3_SECRET_ACCESS_KEY: 's',
    },
    'RECORDPROOF_S3_ENDPOINTS',
  ],
  ['a public address without a store', [], { RECORDPROOF_S3_PUBLIC_ENDPOINT: 'http://s3' }, 'no S3 store is'],
  [
    'half an administrator',
    [],
    { RECORDPROOF_ADMIN_USERNAME: 'root' },
    'RECORDPROOF_ADMIN_EMAIL and RECORDPROOF_ADMIN_PASSWORD are missing',
  ],
  ['another database', [], { DATABASE_URL: 'mysql://localhost/x' }, 'postgres://'],
  ['a short management token', [], { RECORDPROOF_MANAGEMENT_TOKEN: 'short' }, 'at least 16 characters'],
  ['a file that is not there', ['--config', '/nowhere/recordproof.yaml'], {}, 'does not exist'],
  ['a proxy that is a word', [], { RECORDPROOF_TRUSTED_PROXIES: 'foo' }, 'RECORDPROOF_TRUSTED_PROXIES'],
  ['a network that is too narrow', [], { RECORDPROOF_TRUSTED_PROXIES: '10.0.0.0/99' }, '10.0.0.0/8'],
  ['a network of everybody', [], { RECORDPROOF_TRUSTED_PROXIES: '0.0.0.0/0' }, 'IP addresses or networks'],
  ['a sender that is no address', [], { RECORDPROOF_MAIL_FROM: 'not an address' }, 'RECORDPROOF_MAIL_FROM'],
  ['a mail server without a name', [], { SMTP_URL: 'smtp://' }, 'SMTP_URL'],
  ['a Redis without a name', [], { REDIS_URL: 'redis://' }, 'REDIS_URL: the value must name a host'],
  ['a broker without a name', [], { RABBITMQ_URL: 'amqp://' }, 'RABBITMQ_URL: the value must name a host'],
  ['a password that is not encoded', [], { REDIS_URL: 'redis://u:%ZZ@h' }, 'percent-encoded'],
  ['a host that is no address', ['--host', '999.1.1.1'], {}, '--host (it is "999.1.1.1")'],
  ['a host in brackets', [], { RECORDPROOF_HOST: '[::1]' }, 'name or the IP address'],
  ['a port in another notation', [], { RECORDPROOF_PORT: '0x50' }, 'must be a whole number from 0 to 65535'],
  ['a size of unknown unit', [], { FILES_MAX_BYTES: '10PB' }, 'must be a size such as 10GB'],
  ['a size out of bounds', [], { RECORDPROOF_RESERVE_BYTES: '2TB' }, 'from 0 to 1099511627776'],
  ['a port in scientific notation', [], { RECORDPROOF_PORT: '8e3' }, 'must be a whole number'],
  ['a public address with more', [], { RECORDPROOF_PUBLIC_URL: 'https://a.b/c?d#e' }, 'must end before any ? or #'],
  ['a share above all', [], { OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'must be a number from 0 to 1'],
  ['another word', [], { QUOTA_MODE: 'shadow' }, 'must be SHADOW or ENFORCE'],
  ['neither yes nor no', [], { RECORDPROOF_OPEN_METRICS: 'maybe' }, 'must be true or false'],
  ['a data folder that is a file', ['--data', import.meta.filename], {}, 'is not a folder'],
  ['a data folder inside a file', ['--data', join(import.meta.filename, 'x', 'y')], {}, 'is not a folder'],
])('%s is rejected with one sentence', async (_name, argv, env, part) => {
  const message = await rejection(argv, env);
  expect(message).toContain(part);
  expect(message).not.toContain('\n');
});

test('an unknown key and a file that is not a mapping are rejected with a hint', async () => {
  await withFile('trusted-proxy: [10.0.0.1]\n', async path =>
    expect(await rejection(['--config', path])).toContain('trusted-proxies'),
  );
  await withFile('- a\n- b\n', async path => expect(await rejection(['--config', path])).toContain('key: value'));
  await withFile('a: [\n', async path => expect(await rejection(['--config', path])).toContain('not usable'));
});

test.each([
  ['a short password', { RECORDPROOF_ADMIN_PASSWORD: 'hunter2' }, 'RECORDPROOF_ADMIN_PASSWORD: the value must have at'],
  ['a user name with a space', { RECORDPROOF_ADMIN_USERNAME: 'a b' }, 'RECORDPROOF_ADMIN_USERNAME'],
  ['no e-mail address', { RECORDPROOF_ADMIN_EMAIL: 'root' }, 'must be an e-mail address'],
])('a first administrator with %s is rejected', async (_name, change, part) => {
  const admin = {
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
    RECORDPROOF_ADMIN_PASSWORD: 'a long password',
  };
  expect((await readConfig([], admin)).accounts.firstAdmin?.username).toBe('root');
  const message = await rejection([], { ...admin, ...change });
  expect(message).toContain(part);
  expect(message).not.toContain('hunter2');
  await expect(listSettings([], { ...admin, ...change }), 'the command "config" finds it too').rejects.toThrow(message);
});

test.each([
  ['host: null\n', 'host in'],
  ['port:\n', 'port in'],
  ['port: true\n', 'must be a whole number'],
  ['host: [a, b]\n', 'must be a text'],
  ['health: {outbox: {}}\n', '"health.outbox" must contain settings, such as health.outbox.'],
  ['quota:\n', '"quota" must contain settings'],
  ['quota.mode: SHADOW\nquota: {mode: ENFORCE}\n', 'sets "quota.mode" twice'],
  ['trusted-proxies: [{a: 1}]\n', 'must be a text'],
])('a file with %j is rejected as ambiguous', async (text, part) => {
  await withFile(text, async path => expect(await rejection(['--config', path])).toContain(part));
});

test('well-formed addresses, proxies, senders and database URLs are accepted', async () => {
  const { http, mail } = await readConfig([], {
    RECORDPROOF_HOST: '::1',
    RECORDPROOF_TRUSTED_PROXIES: '10.0.0.0/8, ::1, fd00::/8 ,loopback',
    RECORDPROOF_MAIL_FROM: 'Ärchiv <no-reply@example.org>',
    RECORDPROOF_PUBLIC_URL: 'https://files.example.org/base/',
    DATABASE_URL: 'postgres:///name?host=/run/postgresql',
  });
  expect(http).toMatchObject({
    host: '::1',
    trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8', 'loopback'],
    publicUrl: 'https://files.example.org/base',
  });
  expect(mail.from).toBe('Ärchiv <no-reply@example.org>');
});

test('a misspelled name is rejected with a suggestion, despite the common prefix', async () => {
  expect(await rejection([], { RECORDPROOF_PROT: '1' })).toMatch(/Did you mean RECORDPROOF_PORT\?$/);
  expect(await rejection([], { RECORDPROOF_DATABASE_URL: 'x' })).toContain('Did you mean DATABASE_URL');
  expect(await rejection([], { RECORDPROOF_ZEBRA: '1' })).not.toContain('Did you mean');
  expect(await rejection(['--prot', '1'])).toContain('Did you mean --port?');
});

test('messages about invalid values contain no text of the schema library', async () => {
  for (const name of ['RECORDPROOF_PORT', 'RECORDPROOF_PROFILE', 'RECORDPROOF_LOG_LEVEL', 'FILES_MAX_BYTES'])
    expect(await rejection([], { [name]: '-1' })).not.toMatch(/Invalid|expected|Too (?:big|small)/);
});

test('secrets are not printed in lists, logs, JSON or messages', async () => {
  const env = {
    DATABASE_URL: 'postgres://u:hunter2@localhost/db',
    RECORDPROOF_MANAGEMENT_TOKEN: 'hunter2-hunter2-hunter2',
  };
  const config = await readConfig([], env);
  const shown =
    JSON.stringify(await listSettings([], env)) +
    JSON.stringify(config) +
    inspect(config, { depth: 10 }) +
    `${config.http.managementToken}`;
  expect(shown).not.toContain('hunter2');
  expect(await rejection([], { DATABASE_URL: 'hunter2' })).not.toContain('hunter2');
});

test('profile laptop anchors at once, and explicit settings override the profile', async () => {
  expect((await readConfig([], {})).attestation).toEqual({
    enabled: false,
    pollMs: 30_000,
    initialDelayMs: 30_000,
    minBatchSize: 50,
    maxBatchSize: 100,
    maxWaitSeconds: 600,
    seedLimit: 200,
    maxBatchesPerRun: 2,
    claimLeaseSeconds: 120,
    candidateMaxAttempts: 3,
  });
  const { attestation } = await readConfig(['--profile', 'laptop'], {});
  expect(attestation).toMatchObject({ enabled: true, minBatchSize: 1, maxWaitSeconds: 5, maxBatchSize: 100 });
  const said = { RECORDPROOF_PROFILE: 'laptop', ATTESTATION_PRODUCTION_ENABLED: 'false' };
  expect((await readConfig([], said)).attestation).toMatchObject({ enabled: false, minBatchSize: 1 });
  const shown = (await listSettings([], said)).filter(({ key }) => key.startsWith('attestation.production.m'));
  expect(shown.map(({ source }) => source)).toEqual(['profile', 'default', 'profile', 'default']);
});

test('registration is by invitation in profile server, open in laptop; domains need mode domains', async () => {
  const registration = async (argv: string[], env: Record<string, string> = {}) =>
    (await readConfig(argv, env)).accounts.registration;
  expect(await registration([])).toEqual({ mode: 'invite', domains: [] });
  expect(await registration(['--profile', 'laptop'])).toEqual({ mode: 'open', domains: [] });
  const domains = { ACCOUNTS_REGISTRATION: 'domains', ACCOUNTS_REGISTRATION_DOMAINS: 'Example.org' };
  expect(await registration([], domains)).toEqual({ mode: 'domains', domains: ['example.org'] });
  expect(await rejection([], { ACCOUNTS_REGISTRATION: 'domains' })).toContain(
    'accounts.registration-domains names none',
  );
  expect(await rejection([], { ACCOUNTS_REGISTRATION_DOMAINS: 'example.org' })).toContain('not "domains"');
  expect(await rejection([], { ...domains, ACCOUNTS_REGISTRATION_DOMAINS: 'ada@example.org' })).toContain(
    'a domain such as',
  );
});

test('file records are written to a chain only if one is configured', async () => {
  const evm = {
    RECORDPROOF_CHAIN_RPC_URL: 'https://node.example.org',
    RECORDPROOF_CHAIN_CONTRACT: `0x${'A'.repeat(40)}`,
    RECORDPROOF_CHAIN_SENDER_KEY: `0x${'1'.repeat(64)}`,
  };
  expect((await readConfig([], evm)).chain).toMatchObject({ kind: 'evm', fileRecords: 'ledger' });
  const there = { ...evm, CHAIN_FILE_RECORDS: 'chain' };
  expect((await readConfig([], there)).chain).toMatchObject({ kind: 'evm', fileRecords: 'chain' });
  expect(await rejection([], { CHAIN_FILE_RECORDS: 'chain' })).toBe(
    'chain.file-records is "chain", but no EVM chain is configured (RECORDPROOF_CHAIN_RPC_URL).',
  );
  expect(await rejection([], { CHAIN_FILE_RECORDS: 'elsewhere' })).toContain('must be ledger or chain');
});

const vault = {
  RECORDPROOF_VAULT_ADDRESS: 'https://vault.example.org:8200/',
  RECORDPROOF_VAULT_KEY: 'files',
  RECORDPROOF_VAULT_TOKEN: 'hvs.secret',
};

const hardware = {
  RECORDPROOF_PKCS11_MODULE: '/usr/lib/softhsm/libsofthsm2.so',
  RECORDPROOF_PKCS11_TOKEN: 'ours',
  RECORDPROOF_PKCS11_KEY: 'files',
  RECORDPROOF_PKCS11_PIN: '654321',
};

test('a hardware module is configured, and its PIN is not shown', async () => {
  const env = { ...hardware, RECORDPROOF_KEY_PROVIDER: 'pkcs11' };
  const { keyProviders } = await readConfig([], env);
  expect(keyProviders).toMatchObject({ active: 'pkcs11', vault: null, pkcs11: { token: 'ours', key: 'files' } });
  expect(inspect(keyProviders, { depth: 9 }) + JSON.stringify(await listSettings([], env))).not.toContain('6543');
});

test('a key service is configured completely, and its token is not shown', async () => {
  const { keyProviders } = await readConfig([], { ...vault, RECORDPROOF_KEY_PROVIDER: 'vault-transit' });
  expect(keyProviders).toMatchObject({ active: 'vault-transit', vault: { mount: 'transit', key: 'files' } });
  expect(keyProviders.vault?.address).toBe('https://vault.example.org:8200');
  expect(inspect(keyProviders, { depth: 9 }) + JSON.stringify(await listSettings([], vault))).not.toContain('hvs.');
  expect((await readConfig([], vault)).keyProviders.active).toBe('local');
});

test.each([
  [{ RECORDPROOF_KEY_PROVIDER: 'vault-transit' }, 'no key service is configured (RECORDPROOF_VAULT_ADDRESS)'],
  [{ ...vault, RECORDPROOF_VAULT_TOKEN: '' }, 'RECORDPROOF_VAULT_TOKEN or RECORDPROOF_VAULT_TOKEN_FILE is missing'],
  [{ ...vault, RECORDPROOF_VAULT_TOKEN_FILE: 'x' }, 'are both set'],
  [{ RECORDPROOF_VAULT_TOKEN: 'hvs.secret' }, 'RECORDPROOF_VAULT_ADDRESS is not'],
  [{ RECORDPROOF_VAULT_KEY: 'files' }, 'RECORDPROOF_VAULT_ADDRESS is missing'],
  [{ RECORDPROOF_KEY_PROVIDER: 'pkcs11' }, 'no hardware module is configured (RECORDPROOF_PKCS11_MODULE)'],
  [{ ...hardware, RECORDPROOF_PKCS11_PIN: '' }, 'RECORDPROOF_PKCS11_PIN or RECORDPROOF_PKCS11_PIN_FILE is missing'],
  [{ ...hardware, RECORDPROOF_PKCS11_PIN_FILE: 'x' }, 'are both set'],
  [{ RECORDPROOF_PKCS11_PIN: '6543' }, 'RECORDPROOF_PKCS11_MODULE is not'],
  [{ RECORDPROOF_PKCS11_TOKEN: 'ours' }, 'RECORDPROOF_PKCS11_MODULE and RECORDPROOF_PKCS11_KEY are missing'],
  [{ KEY_ROTATION_ENABLE: 'true' }, 'KEY_ROTATION_ENABLE is not a setting'],
])('a key service configured as %o is rejected', async (env, part) => {
  expect(await rejection([], env)).toContain(part);
});

const gcmSuite = 'CRYPTO_SUITES_RP_AES256_GCM_CHUNK_CHAIN_V1';

test('the lifecycle of a suite is read from the file and from the environment', async () => {
  const text =
    'crypto.suites.rp-aes256-gcm-chunk-chain-v1:\n  deprecated-at: 2027-01-01T00:00:00+01:00\ncrypto.suites.none.production-write-allowed: false\n';
  await withFile(text, async path => {
    const { suites } = await readConfig(['--config', path], { [`${gcmSuite}_DISABLED_AT`]: '2028-01-01T00:00:00Z' });
    expect(suites['RP-AES256-GCM-CHUNK-CHAIN-V1']).toEqual({
      deprecatedAt: Date.UTC(2026, 11, 31, 23),
      disabledAt: Date.UTC(2028, 0, 1),
      productionWriteAllowed: undefined,
    });
    expect(suites.NONE).toMatchObject({ productionWriteAllowed: false });
  });
  const atOnce = {
    [`${gcmSuite}_DEPRECATED_AT`]: '2027-01-01T00:00:00Z',
    [`${gcmSuite}_DISABLED_AT`]: '2027-01-01T00:00:00Z',
  };
  expect((await readConfig([], atOnce)).suites['RP-AES256-GCM-CHUNK-CHAIN-V1']?.disabledAt).toBe(Date.UTC(2027, 0, 1));
});

test.each([
  [
    { [`${gcmSuite}_DEPRECATED_AT`]: 'soon' },
    `${gcmSuite}_DEPRECATED_AT (it is "soon"): the value must be a time such as`,
  ],
  [{ [`${gcmSuite}_DEPRECATED_AT`]: '2027-02-30T00:00:00Z' }, 'must be a time such as'],
  [{ [`${gcmSuite}_DISABLED_AT`]: '2027-01-01' }, 'must be a time such as'],
  [{ [`${gcmSuite}_DISABLED_AT`]: '2027-01-01T00:00:00' }, 'must be a time such as'],
  [
    { [`${gcmSuite}_DEPRECATED_AT`]: '2027-01-02T00:00:00Z', [`${gcmSuite}_DISABLED_AT`]: '2027-01-01T00:00:00Z' },
    'crypto.suites.rp-aes256-gcm-chunk-chain-v1.disabled-at must not be earlier than crypto.suites.rp-aes256-gcm-chunk-chain-v1.deprecated-at.',
  ],
  [
    { [`${gcmSuite}_DISABLED_AT`]: '2025-01-01T00:00:00Z' },
    'disabled-at must not be earlier than 2026-01-01T00:00:00.000Z',
  ],
  [{ [`${gcmSuite}_DEPRECATED_AT`]: '2025-01-01T00:00:00Z' }, 'deprecated-at must not be earlier than 2026-01-01'],
  [{ CRYPTO_SUITES_NONE_PRODUCTION_WRITE_ALLOWED: 'maybe' }, 'must be true or false'],
  [
    { CRYPTO_SUITES_ML_KEM_768_DRAFT_PRODUCTION_WRITE_ALLOWED: 'true' },
    'crypto.suites.ml-kem-768-draft.production-write-allowed cannot allow what the program does not: ML-KEM-768-DRAFT is a draft.',
  ],
  [{ CRYPTO_SUITES_NONE_RETIRED_AT: '2027-01-01T00:00:00Z' }, 'CRYPTO_SUITES_NONE_RETIRED_AT is not a setting'],
  [{ CRYPTO_SUITES_ROT13_DISABLED_AT: '2027-01-01T00:00:00Z' }, 'CRYPTO_SUITES_ROT13_DISABLED_AT is not a setting'],
])('a lifecycle of suites such as %o is rejected with one sentence', async (env, part) => {
  const message = await rejection([], env);
  expect(message).toContain(part);
  expect(message).not.toContain('\n');
});

test('a lifecycle of an unknown suite, or with an unknown key, is rejected in the file too', async () => {
  const rejected = (text: string) => withFile(text, path => rejection(['--config', path]));
  expect(await rejected('crypto.suites.rot13.disabled-at: 2027-01-01T00:00:00Z\n')).toContain('there is no setting');
  expect(await rejected('crypto.suites.none.status: ACTIVE\n')).toContain('there is no setting');
  expect(await rejected('crypto.suites.none: ACTIVE\n')).toContain('must contain settings');
});

test('any tracing setting turns tracing on, and an unknown sampler is rejected', async () => {
  const tracing = async (env: Record<string, string>) => (await readConfig([], env)).tracing;
  const said = { kind: 'otlp', endpoint: 'http://localhost:4317', protocol: 'grpc', ratio: 0.1 };
  expect(await tracing({})).toEqual({ kind: 'off' });
  expect(await tracing({ RECORDPROOF_OTEL_ENABLED: 'true' })).toEqual({ ...said, sampler: 'parentbased_traceidratio' });
  expect(await tracing({ OTEL_TRACES_SAMPLER: 'always_on' })).toEqual({ ...said, sampler: 'always_on' });
  expect(await tracing({ OTEL_TRACES_SAMPLER_ARG: '0.5' })).toMatchObject({ ...said, ratio: 0.5 });
  const there = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' };
  expect(await tracing(there)).toMatchObject({ endpoint: 'http://collector:4317' });
  expect(await tracing({ ...there, RECORDPROOF_OTEL_ENABLED: 'false' })).toEqual({ kind: 'off' });
  expect(await rejection([], { OTEL_TRACES_SAMPLER: 'jaeger_remote' })).toContain(
    'must be always_on, always_off, traceidratio',
  );
});

test('profile laptop multiplies every rate limit by 100, except that of sign-ins', async () => {
  const { ratesPerMinute: wide } = await readConfig(['--profile', 'laptop'], {});
  const { ratesPerMinute: usual } = await readConfig([], {});
  expect(usual).toMatchObject({ auth: 10, upload: 20, download: 100, chunk: 6000, share: 600, other: 60 });
  const { auth, ...others } = usual;
  const expected = Object.fromEntries(Object.entries(others).map(([name, rate]) => [name, rate * 100]));
  expect(wide).toEqual({ auth, ...expected });
  const said = await readConfig(['--profile', 'laptop'], { RECORDPROOF_RATE_LIMIT_UPLOAD: '3' });
  expect(said.ratesPerMinute.upload).toBe(3);
});

test('key rotation is configured in a file, nested or dotted, or in the environment, within its bounds', async () => {
  const usual = { enabled: false, pollMs: 30_000, initialDelayMs: 30_000, maxTenantsPerPoll: 100 };
  expect((await readConfig([], {})).keyRotation).toEqual(usual);
  const text = 'key:\n  rotation:\n    enabled: true\n    poll-interval-ms: 1000\nkey.rotation.initial-delay-ms: 0\n';
  await withFile(text, async path => {
    const env = { KEY_ROTATION_POLL_INTERVAL_MS: '2000', KEY_ROTATION_MAX_TENANTS_PER_POLL: '7' };
    const { keyRotation } = await readConfig(['--config', path], env);
    expect(keyRotation).toEqual({ enabled: true, pollMs: 2000, initialDelayMs: 0, maxTenantsPerPoll: 7 });
  });
  for (const [name, value] of [
    ['KEY_ROTATION_ENABLED', 'perhaps'],
    ['KEY_ROTATION_POLL_INTERVAL_MS', '999'],
    ['KEY_ROTATION_POLL_INTERVAL_MS', '3600001'],
    ['KEY_ROTATION_INITIAL_DELAY_MS', '-1'],
    ['KEY_ROTATION_INITIAL_DELAY_MS', '3600001'],
    ['KEY_ROTATION_MAX_TENANTS_PER_POLL', '0'],
    ['KEY_ROTATION_MAX_TENANTS_PER_POLL', '10001'],
    ['KEY_ROTATION_POLL_INTERVAL', '5000'],
  ] as const)
    expect(await rejection([], { [name]: value })).toContain(name);
});

const provider = { id: 'keycloak', title: 'Company', issuer: 'https://id.example.org', 'client-id': 'recordproof' };
const listed = (...providers: object[]) => ({ RECORDPROOF_SSO_PROVIDERS: JSON.stringify(providers) });

test('sign-in providers are read from the environment or the file, their secrets from separate settings', async () => {
  const env = { ...listed(provider), RECORDPROOF_SSO_CLIENT_SECRETS: 'keycloak:a%2Cb' };
  const { singleSignOn } = await readConfig([], env);
  expect(singleSignOn.providers).toMatchObject([{ id: 'keycloak', scopes: ['openid', 'profile', 'email'] }]);
  expect(singleSignOn.providers[0]?.clientSecret?.reveal()).toBe('a,b');
  expect(inspect(singleSignOn, { depth: 9 })).not.toContain('a,b');
  const shown = (await listSettings([], env)).filter(({ key }) => key.startsWith('sso.'));
  expect(shown.map(({ value }) => value)).toEqual([expect.stringContaining('"id":"keycloak"'), '(set)', '12']);
  await withFile('the secret\n', async secretFile => {
    const text = JSON.stringify({ sso: { providers: [{ ...provider, 'client-secret-file': secretFile }] } });
    const config = await withFile(text, path => readConfig(['--config', path]));
    expect(config.singleSignOn.providers[0]?.clientSecret?.reveal()).toBe('the secret');
  });
});

test('invalid and unsafe sign-in providers are rejected', async () => {
  const cases: readonly (readonly [NodeJS.ProcessEnv, string])[] = [
    [{ RECORDPROOF_SSO_PROVIDERS: 'x' }, 'as JSON'],
    [listed({ ...provider, issuer: 'http://id.example.org' }), '0.issuer: must be an https:// address'],
    [listed({ ...provider, 'client-secret': 'x' }), '0: '],
    [listed({ ...provider, scopes: ['email'] }), 'must contain openid'],
    [listed({ ...provider, 'create-accounts': true }), 'Name domains or groups, or set everyone: true'],
    [listed({ ...provider, 'client-secret-file': '/none' }), 'cannot be read'],
    [listed(provider, provider), 'names keycloak twice'],
    [{ ...listed(provider), RECORDPROOF_SSO_CLIENT_SECRETS: 'other:x' }, 'which is not in sso.providers'],
    [{ ACCOUNTS_LOCAL_SIGN_IN: 'false' }, 'no one could sign in'],
  ];
  for (const [env, message] of cases) expect(await rejection([], env)).toContain(message);
});
