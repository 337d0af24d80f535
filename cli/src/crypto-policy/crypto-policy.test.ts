// The commands of cryptographic policy, against a real server.
import { expect, test, vi } from 'vitest';
import { startApp } from '../../../test/support/app.ts';
import { openHome } from '../testing.ts';

// Each test runs the program several times.
vi.setConfig({ testTimeout: 240_000 });

async function openFixture(env: Readonly<Record<string, string>> = {}) {
  const app = await startApp({ env });
  const home = await openHome({ url: app.app.url });
  const root = await app.person('root', { role: 'admin' });
  return {
    run: (...args: string[]) =>
      home.runHere(['admin', 'crypto', ...args], { env: { RECORDPROOF_TOKEN: root.token ?? '' } }),
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

test('a policy is shown, and changed after confirmation unless it was changed meanwhile', async () => {
  await using fixture = await openFixture();
  const shown = await fixture.run('policy');
  expect(shown.stdout).toMatch(/^policy-version +0 \(as the server is configured\)$/m);
  expect(shown.stdout).toMatch(/^wrapping-provider +local$/m);

  const same = await fixture.run('policy', 'set', '--wrapping-provider', 'local', '--json');
  expect(JSON.parse(same.stdout)).toMatchObject({ policyVersion: 0, changed: false });
  const unsaid = await fixture.run('policy', 'set', '--wrapping-provider', 'vault-transit');
  expect(unsaid).toMatchObject({ code: 64, stdout: '' });
  expect(unsaid.stderr).toMatch(/^wrapping-provider +local +→ +vault-transit$/m);
  expect(unsaid.stderr).toContain('--yes');
  const rejected = await fixture.run('policy', 'set', '--kem-suite', 'ML-KEM-768-DRAFT', '--yes', '--json');
  expect(rejected.code).toBe(1);
  expect(JSON.parse(rejected.stdout).error.detail).toEqual({ reason: 'EXPERIMENTAL_NOT_ALLOWED', field: 'kemSuite' });
  const stale = await fixture.run(
    'policy',
    'set',
    '--kem-suite',
    'NONE-V1',
    '--expected-version',
    '4',
    '--yes',
    '--json',
  );
  expect(JSON.parse(stale.stdout).error).toMatchObject({ kind: 'POLICY_VERSION_CONFLICT', code: 50020 });
  expect((await fixture.run('policy', 'set')).code).toBe(64);
});

test('policy and diagnostics fit in 80 columns and show when a suite ends', async () => {
  await using fixture = await openFixture({
    CRYPTO_SUITES_RP_AES256_GCM_CHUNK_CHAIN_V1_DEPRECATED_AT: '2027-01-01T00:00:00Z',
    CRYPTO_SUITES_RP_AES256_GCM_CHUNK_CHAIN_V1_DISABLED_AT: '2037-01-01T00:00:00Z',
    CRYPTO_SUITES_NONE_PRODUCTION_WRITE_ALLOWED: 'false',
  });
  const { stdout } = await fixture.run('diagnostics');
  expect(stdout).toMatch(/^RP-AES256-GCM-CHUNK-CHAIN-V1 +ACTIVE +2027-01-01 00:00 +2037-01-01 00:00$/m);
  expect(stdout).toMatch(/^NONE +READ-ONLY/m);
  expect(stdout).toMatch(/^vault-transit\/1 +no +no/m);
  for (const text of [stdout, (await fixture.run('policy')).stdout]) {
    expect(text).toMatch(/^policy-fingerprint\n {2}sha256:[0-9a-f]{64}$/m);
    expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80);
  }
  const told = JSON.parse((await fixture.run('diagnostics', '--json')).stdout);
  expect(told.suites[0].compatibility).toContain('UNSIGNED-V1');
});
