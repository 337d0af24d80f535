// @module-tag long-on-postgres
// Health of key providers: forbidden use, missing versions, frequency of checks, and conditions that prevent the start.
import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { masterKeysOf } from '../../../../test/support/rotations.ts';
import { startTransitDouble, type TransitDouble } from '../../../../test/support/transit-double.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { masterKeyFile } from '../../platform/crypto/local-keys.ts';

const token = 'hvs.a-token-of-a-test';
const wrappedBy = (address: string) => ({
  RECORDPROOF_KEY_PROVIDER: 'vault-transit',
  RECORDPROOF_VAULT_ADDRESS: address,
  RECORDPROOF_VAULT_KEY: 'files',
  RECORDPROOF_VAULT_TOKEN: token,
});
const forbidden = { kind: 'refuse', status: 403, errors: ['a secret of the service'] } as const;
const always = Number.MAX_SAFE_INTEGER;

async function startVault(): Promise<TransitDouble> {
  const vault = await startTransitDouble(token);
  vault.addKey('files');
  return vault;
}

/** Health of the keys, and whether the server is ready, after the last answer has expired. */
async function ask({ clock }: TestApp, root: Person) {
  clock.advance(15_000);
  const { components } = await (await root.fetch('/actuator/health')).json();
  return { encryption: components.encryption, ready: (await root.fetch('/actuator/health/readiness')).status };
}

/** The same installation, started again. */
const databaseOf = ({ config }: TestApp): Readonly<Record<string, string>> =>
  config.db.kind === 'postgres' ? { DATABASE_URL: config.db.url.reveal() } : {};

eachApp(start => {
  test('a key service that shows the key but forbids its use is DOWN, and the server is not ready', async () => {
    await using vault = await startVault();
    await using app = await start({ env: wrappedBy(vault.address) });
    const root = await app.person('root', { role: 'admin' });
    expect(await ask(app, root)).toMatchObject({ encryption: { status: 'UP' }, ready: 200 });
    for (const operation of ['encrypt', 'decrypt']) {
      vault.troubles.set(operation, { trouble: forbidden, times: always });
      const { encryption, ready } = await ask(app, root);
      expect([encryption.status, encryption.details.keyFailure, ready]).toEqual(['DOWN', 'PERMISSION_DENIED', 503]);
      expect(JSON.stringify(encryption)).not.toContain('secret');
      vault.troubles.clear();
      expect(await ask(app, root)).toMatchObject({ encryption: { status: 'UP' }, ready: 200 });
    }
    const scraped = await (await root.fetch('/actuator/prometheus')).text();
    const series =
      'app_file_key_wrapping_duration_seconds_count{operation="wrap",failure_category="PERMISSION_DENIED"}';
    expect(scraped).toContain(`${series} 1`);
  });

  test('health checks call the key service at most once in ten seconds', async () => {
    await using vault = await startVault();
    await using app = await start({ env: wrappedBy(vault.address) });
    const root = await app.person('root', { role: 'admin' });
    await ask(app, root);
    const calls = vault.calls.length;
    for (let nth = 0; nth < 5; nth += 1) {
      app.clock.advance(1500);
      expect((await root.fetch('/actuator/health')).status).toBe(200);
    }
    expect(vault.calls).toHaveLength(calls);
  });

  test('a key version that stored files need and this server lacks is DOWN', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const path = join(app.config.keysFolder, masterKeyFile);
    await copyFile(path, `${path}.older`);
    await storeProxied(root, randomBytes(3000));
    await (await masterKeysOf(app)).addVersion();
    await storeProxied(root, randomBytes(3001));
    expect(await ask(app, root)).toMatchObject({ encryption: { status: 'UP' }, ready: 200 });
    await copyFile(`${path}.older`, path);
    // A key that was read before is kept, as a server that was just started would not have it.
    await app.app[Symbol.asyncDispose]();
    await using next = await start({ folder: app.folder, env: databaseOf(app) });
    const again = await next.person('second', { role: 'admin' });
    const { encryption, ready } = await ask(next, again);
    const unusableKeys = [{ provider: 'local', keyVersion: '2', failure: 'KEY_NOT_FOUND' }];
    expect(encryption).toMatchObject({ status: 'DOWN', details: { unusableKeys } });
    expect(ready).toBe(503);
  });

  test('a key service never reached stops the start; one that worked before does not', async () => {
    await using vault = await startVault();
    const unreachable = wrappedBy('http://127.0.0.1:9');
    const rejected = await start({ env: unreachable }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(rejected).toBeInstanceOf(ConfigError);
    expect(String(rejected)).toContain('the key provider vault-transit cannot wrap data keys');
    expect(String(rejected)).toContain('RECORDPROOF_VAULT_ADDRESS');

    await using app = await start({ env: wrappedBy(vault.address) });
    await storeProxied(await app.person('ada'), randomBytes(3000));
    await app.app[Symbol.asyncDispose]();
    vault.troubles.set('encrypt', { trouble: { kind: 'hang-up' }, times: always });
    vault.troubles.set('decrypt', { trouble: { kind: 'hang-up' }, times: always });
    await using next = await start({ folder: app.folder, env: { ...databaseOf(app), ...wrappedBy(vault.address) } });
    const root = await next.person('root', { role: 'admin' });
    expect(await ask(next, root)).toMatchObject({ encryption: { status: 'DOWN' }, ready: 503 });
    vault.troubles.clear();
    expect(await ask(next, root)).toMatchObject({ encryption: { status: 'UP' }, ready: 200 });
  });
});

test.each([
  ['a key service that forbids to wrap', 'encrypt', forbidden, 'PERMISSION_DENIED'],
  ['a key service that forbids to unwrap', 'decrypt', forbidden, 'PERMISSION_DENIED'],
  ['a key service whose keys open nothing', 'encrypt', { kind: 'lie' }, 'INVALID_RESPONSE'],
] as const)('%s prevents the start', async (_what, operation, trouble, category) => {
  await using vault = await startVault();
  vault.troubles.set(operation, { trouble, times: always });
  const started = startApp({ env: wrappedBy(vault.address) });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(category);
});

test('a hardware module that cannot be loaded prevents the start', async () => {
  const env = {
    RECORDPROOF_KEY_PROVIDER: 'pkcs11',
    RECORDPROOF_PKCS11_MODULE: '/nowhere/libmodule.so',
    RECORDPROOF_PKCS11_TOKEN: 'files',
    RECORDPROOF_PKCS11_KEY: 'files',
    RECORDPROOF_PKCS11_PIN: '1234',
  };
  const started = startApp({ env });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(
    /pkcs11 cannot wrap data keys: .* \(CONFIGURATION\).*RECORDPROOF_PKCS11_MODULE/,
  );
});
