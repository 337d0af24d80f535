// Key provider over a Vault transit engine: wrapping, binding, rotation, batches, and its kinds of failure.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { movableClock } from '../../../../test/support/clock.ts';
import {
  type InjectedFailure,
  startTransitDouble,
  type TransitDouble,
} from '../../../../test/support/transit-double.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { type EnvelopeBinding, isSameKey, KeyProviderError, openEnvelope, sealEnvelope } from './envelope.ts';
import { keyBreaker } from './remote-keys.ts';
import { rewrapMany } from './rewrap-many.ts';
import type { SecretSource } from './secret-file.ts';
import { openTransitKeys, type TransitKeys } from './vault-transit.ts';

const token = 'hvs.very-secret-token';
const newKey = (): KeyObject => createSecretKey(randomBytes(32));
const binding: EnvelopeBinding = {
  tenantId: '1',
  fileId: '7',
  fileHash: 'ab'.repeat(32),
  recipientType: 'OWNER',
  recipientId: '3',
  suite: 'RP-AES256-GCM-CHUNK-CHAIN-V1',
  fileNonce: new Uint8Array(16),
};

let vault: TransitDouble;
let said: { fields: object; message: string }[];
let clock: ReturnType<typeof movableClock>;
const opened: TransitKeys[] = [];

function connect(more: { token?: SecretSource; timeoutMs?: number; address?: string; windowCalls?: number } = {}) {
  const { timeoutMs = 2000, windowCalls = 20 } = more;
  const source: SecretSource = more.token ?? { kind: 'value', reveal: () => token };
  const options = { address: more.address ?? vault.address, token: source, mount: 'transit', key: 'files', timeoutMs };
  const breaker = new CircuitBreaker('keys', clock, { ...keyBreaker(timeoutMs + 1000), windowCalls });
  const log = { info() {}, warn: (fields: object, message: string) => void said.push({ fields, message }) };
  const provider = openTransitKeys(options, { clock, log, breaker });
  opened.push(provider);
  return provider;
}

const categoryOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KeyProviderError);
  expect(JSON.stringify([(error as Error).message, said])).not.toContain(token);
  return (error as KeyProviderError).category;
};

beforeEach(async () => {
  vault = await startTransitDouble(token);
  vault.addKey('files');
  said = [];
  clock = movableClock();
});
afterEach(async () => {
  for (const provider of opened.splice(0)) provider[Symbol.dispose]();
  await vault[Symbol.asyncDispose]();
});

describe('wrapping with a transit engine', () => {
  test('a wrapped key opens with its binding only', async () => {
    const provider = connect();
    const dataKey = newKey();
    const envelope = await sealEnvelope(provider, dataKey, binding);
    expect(envelope).toMatchObject({ provider: 'vault-transit', contract: 1, keyVersion: '1' });
    expect(isSameKey(await openEnvelope([provider], envelope, binding), dataKey)).toBe(true);
    const elsewhere = provider.unwrap(envelope, randomBytes(32));
    expect(await categoryOf(elsewhere)).toBe('INVALID_CIPHERTEXT');
  });

  test('after a rotation new keys use the new version, and old ones still open', async () => {
    const provider = connect();
    const dataKey = newKey();
    const before = await sealEnvelope(provider, dataKey, binding);
    vault.rotate('files');
    expect(await provider.activeKeyVersion()).toBe('2');
    const [after] = await rewrapMany([provider], provider, [{ source: before, binding }]);
    if (after === undefined || after instanceof KeyProviderError) throw after ?? new Error('nothing came of it');
    expect(after.keyVersion).toBe('2');
    for (const envelope of [before, after])
      expect(isSameKey(await openEnvelope([provider], envelope, binding), dataKey)).toBe(true);
  });

  test('many keys are wrapped in one call, and a damaged one fails alone', async () => {
    const provider = connect();
    const wishes = Array.from({ length: 20 }, () => ({ dataKey: newKey(), binding: randomBytes(32) }));
    const wrapped = (await provider.many?.wrap(wishes)) ?? [];
    const asked = wishes.map(({ binding: own }, index) => {
      const each = wrapped[index];
      if (each === undefined || each instanceof KeyProviderError) throw new Error('not wrapped');
      return { wrapped: each, binding: index === 4 ? randomBytes(32) : own };
    });
    const other = { keyVersion: '1', algorithm: 'AES-256-GCM', wrapped: randomBytes(60) };
    const opened = (await provider.many?.unwrap([...asked, { wrapped: other, binding: randomBytes(32) }])) ?? [];
    const failed = opened.flatMap((each, index) => (each instanceof KeyProviderError ? [[index, each.category]] : []));
    expect(failed).toEqual([
      [4, 'INVALID_CIPHERTEXT'],
      [20, 'INVALID_CIPHERTEXT'],
    ]);
    const first = opened[0];
    expect(first instanceof KeyProviderError || !first || isSameKey(first, wishes[0]?.dataKey ?? newKey())).toBe(true);
    expect(vault.calls.filter(call => call.startsWith('POST'))).toHaveLength(2);
  });

  test('a disabled key version is reported as KEY_DISABLED', async () => {
    const provider = connect();
    const envelope = await sealEnvelope(provider, newKey(), binding);
    vault.rotate('files');
    const key = vault.keys.get('files');
    if (key) key.minDecryptionVersion = 2;
    expect(await categoryOf(openEnvelope([provider], envelope, binding))).toBe('KEY_DISABLED');
  });

  test.each([
    ['is missing', undefined, 'KEY_NOT_FOUND'],
    ['is not derived', { derived: false }, 'CONFIGURATION'],
    ['can be exported', { exportable: true }, 'CONFIGURATION'],
    ['is for something else', { type: 'ed25519' }, 'CONFIGURATION'],
  ])('a key that %s wraps nothing, and is not created', async (_, shape, category) => {
    vault.keys.clear();
    if (shape) vault.addKey('files', shape);
    expect(await categoryOf(sealEnvelope(connect(), newKey(), binding))).toBe(category);
    expect(vault.counted.wrapped).toBe(0);
    expect(vault.keys.size).toBe(shape ? 1 : 0);
  });
});

describe('failures of the transit engine', () => {
  const reject = (status: number, ...errors: string[]): InjectedFailure => ({ kind: 'refuse', status, errors });
  test.each<[string, InjectedFailure, string]>([
    ['403', reject(403, 'permission denied'), 'PERMISSION_DENIED'],
    ['404', reject(404), 'KEY_NOT_FOUND'],
    ['429', reject(429, 'request path "transit" rate limit quota exceeded'), 'THROTTLED'],
    ['400 for a missing key', reject(400, 'encryption key not found'), 'KEY_NOT_FOUND'],
    ['400 for a closed version', reject(400, 'version is disallowed by policy (too old)'), 'KEY_DISABLED'],
    ['another 400', reject(400, 'unknown field'), 'CONFIGURATION'],
    ['a sealed server', reject(503, 'Vault is sealed'), 'UNAVAILABLE'],
    ['a fault of the server', reject(500, 'internal error'), 'UNAVAILABLE'],
    ['a standby without replication', reject(473), 'UNAVAILABLE'],
    ['a redirect', reject(307), 'CONFIGURATION'],
    ['a connection that breaks', { kind: 'hang-up' }, 'UNAVAILABLE'],
    ['silence', { kind: 'silence' }, 'TIMEOUT'],
    ['an answer that is no JSON', { kind: 'answer', text: '<html>' }, 'INVALID_RESPONSE'],
    ['an answer of another form', { kind: 'answer', text: '{"data":{}}' }, 'INVALID_RESPONSE'],
    ['an answer without end', { kind: 'answer', text: 'x'.repeat(5_000_000) }, 'INVALID_RESPONSE'],
    [
      'a key of the wrong length',
      { kind: 'answer', text: '{"data":{"batch_results":[{"plaintext":"AAAA"}]}}' },
      'INVALID_RESPONSE',
    ],
    ['too few answers', { kind: 'answer', text: '{"data":{"batch_results":[]}}' }, 'INVALID_RESPONSE'],
  ])('%s is reported by its category', async (_, trouble, category) => {
    const provider = connect({ timeoutMs: category === 'TIMEOUT' ? 300 : 30_000 });
    const envelope = await sealEnvelope(provider, newKey(), binding);
    vault.troubles.set('decrypt', { trouble, times: 1 });
    expect(await categoryOf(openEnvelope([provider], envelope, binding))).toBe(category);
    await openEnvelope([provider], envelope, binding);
  });

  test('an address without a listener is an outage', async () => {
    const gone = vault.address;
    await vault[Symbol.asyncDispose]();
    expect(await categoryOf(connect({ address: gone }).activeKeyVersion())).toBe('UNAVAILABLE');
    vault = await startTransitDouble(token);
  });

  test('repeated outages open the circuit, rejected requests do not', async () => {
    const provider = connect({ windowCalls: 4 });
    const envelope = await sealEnvelope(provider, newKey(), binding);
    vault.troubles.set('decrypt', { trouble: reject(400, 'cipher: message authentication failed'), times: 6 });
    for (let n = 0; n < 6; n++) await categoryOf(openEnvelope([provider], envelope, binding));
    await openEnvelope([provider], envelope, binding);
    vault.troubles.set('decrypt', { trouble: reject(503), times: 1000 });
    for (let n = 0; n < 6; n++)
      expect(await categoryOf(openEnvelope([provider], envelope, binding))).toBe('UNAVAILABLE');
    const asked = vault.calls.length;
    expect(await categoryOf(openEnvelope([provider], envelope, binding))).toBe('UNAVAILABLE');
    expect(vault.calls).toHaveLength(asked);
    vault.troubles.clear();
    clock.advance(11_000);
    await openEnvelope([provider], envelope, binding);
  });
});

describe('the token of the transit engine', () => {
  test('is renewed after half of its lifetime, and looked up again when it changes', async () => {
    let current = token;
    const provider = connect({ token: { kind: 'value', reveal: () => current } });
    vault.tokens.set(token, { ttlSeconds: 600, renewable: true });
    const renewals = () => vault.calls.filter(call => call.endsWith('renew-self')).length;
    await provider.renewTokenIfDue();
    clock.advance(299_000);
    await provider.renewTokenIfDue();
    expect(renewals()).toBe(0);
    clock.advance(2000);
    await provider.renewTokenIfDue();
    expect(renewals()).toBe(1);
    current = 'hvs.second';
    vault.tokens.set(current, { ttlSeconds: 600, renewable: false });
    await provider.renewTokenIfDue();
    clock.advance(10_000_000);
    await provider.renewTokenIfDue();
    expect(renewals()).toBe(1);
  });

  test('is not logged when its renewal fails, and the provider keeps working', async () => {
    const provider = connect();
    vault.troubles.set('lookup-self', { trouble: { kind: 'refuse', status: 500, errors: [token] }, times: 1 });
    await provider.renewTokenIfDue();
    expect(said).toHaveLength(1);
    expect(JSON.stringify(said)).not.toContain(token);
    expect(await provider.activeKeyVersion()).toBe('1');
  });

  test('is read from a file that can be replaced at any time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recordproof-token-'));
    const path = join(folder, 'token');
    try {
      writeFileSync(path, `${token}\n`, { mode: 0o600 });
      const provider = connect({ token: { kind: 'file', path } });
      expect(await provider.activeKeyVersion()).toBe('1');
      vault.tokens.clear();
      vault.tokens.set('hvs.replaced', { ttlSeconds: 60, renewable: true });
      expect(await categoryOf(provider.activeKeyVersion())).toBe('PERMISSION_DENIED');
      writeFileSync(path, 'hvs.replaced\n');
      expect(await provider.activeKeyVersion()).toBe('1');
      chmodSync(path, 0o604);
      expect(await categoryOf(connect({ token: { kind: 'file', path } }).activeKeyVersion())).toBe('CONFIGURATION');
      rmSync(path);
      expect(await categoryOf(provider.activeKeyVersion())).toBe('CONFIGURATION');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
