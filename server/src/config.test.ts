import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError, listSettings, readConfig } from './config.ts';

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

const refusal = async (argv: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
  try {
    await readConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('this configuration should have been refused');
};

test('no setting at all is a whole configuration: SQLite, disk, loopback', async () => {
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

test('a flag wins over the environment, the environment over the file, nested or dotted', async () => {
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
])('%s is refused in one sentence', async (_name, argv, env, part) => {
  const message = await refusal(argv, env);
  expect(message).toContain(part);
  expect(message).not.toContain('\n');
});

test('an unknown key in the file is refused, with a hint at what may have been meant', async () => {
  await withFile('trusted-proxy: [10.0.0.1]\n', async path =>
    expect(await refusal(['--config', path])).toContain('trusted-proxies'),
  );
  await withFile('- a\n- b\n', async path => expect(await refusal(['--config', path])).toContain('key: value'));
  await withFile('a: [\n', async path => expect(await refusal(['--config', path])).toContain('not usable'));
});

test('a secret is not printed: not in lists, logs, JSON or messages', async () => {
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
  expect(await refusal([], { DATABASE_URL: 'hunter2' })).not.toContain('hunter2');
});

test('the profile for one machine anchors at once; whatever is said wins over it', async () => {
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
