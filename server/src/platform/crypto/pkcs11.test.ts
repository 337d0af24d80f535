// @vitest-environment-options {"process": "pkcs11: the module reads its settings once"}
import { execFileSync } from 'node:child_process';
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { constants, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { isThere } from '../../../../scripts/test-programs.mjs';
import { movableClock } from '../../../../test/support/clock.ts';
import {
  openSoftHsm,
  type SoftHsm,
  softHsmModule,
  testWithSoftHsm as test,
  tokenPin,
} from '../../../../test/support/softhsm.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';
import {
  type EnvelopeBinding,
  isSameKey,
  KeyProviderError,
  openEnvelope,
  sealEnvelope,
  type UnwrapRequest,
} from './envelope.ts';
import { openPkcs11Keys, type Pkcs11Options } from './pkcs11.ts';
import { keyBreaker } from './remote-keys.ts';

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

let hsm: SoftHsm | undefined;
const opened: AsyncDisposable[] = [];

beforeAll(() => {
  if (isThere('softhsm2-util')) hsm = openSoftHsm('ours', 'guarded', 'careless', 'empty', 'doubled');
});
afterEach(async () => {
  for (const provider of opened.splice(0)) await provider[Symbol.asyncDispose]();
});
afterAll(() => hsm?.[Symbol.dispose]());

const timeoutMs = 60_000;

const openBreaker = (calls: number) =>
  new CircuitBreaker('hsm', movableClock(), { ...keyBreaker(timeoutMs), windowCalls: calls, minimumCalls: calls });

function connect(
  more: Partial<Pkcs11Options> & { readonly pinText?: string } = {},
  breaker: CircuitBreaker = openBreaker(1000),
) {
  const { pinText = tokenPin, ...options } = more;
  const pin = { kind: 'value', reveal: () => pinText } as const;
  const provider = openPkcs11Keys(
    { module: softHsmModule, token: 'ours', key: 'files', pin, timeoutMs, ...options },
    breaker,
  );
  opened.push(provider);
  return provider;
}

const categoryOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KeyProviderError);
  expect((error as Error).message).not.toContain(tokenPin);
  return (error as KeyProviderError).category;
};

test('a wrapped key opens with its binding only, also after a rotation', async () => {
  hsm?.addKey({ token: 'ours', label: 'files', id: '01' });
  const provider = connect();
  const dataKey = newKey();
  const envelope = await sealEnvelope(provider, dataKey, binding);
  expect(envelope).toMatchObject({ provider: 'pkcs11', contract: 1, keyVersion: '01', algorithm: 'PKCS11-AES256-GCM' });
  expect(envelope.wrapped).toHaveLength(60);
  expect(isSameKey(await openEnvelope([provider], envelope, binding), dataKey)).toBe(true);
  expect(await categoryOf(provider.unwrap(envelope, randomBytes(32)))).toBe('INVALID_CIPHERTEXT');
  for (const offset of [0, 20, 59]) {
    const wrapped = Buffer.from(envelope.wrapped);
    wrapped[offset] = (wrapped[offset] ?? 0) ^ 1;
    expect(await categoryOf(openEnvelope([provider], { ...envelope, wrapped }, binding))).toBe('INVALID_CIPHERTEXT');
  }
  const short = { ...envelope, wrapped: envelope.wrapped.subarray(1) };
  expect(await categoryOf(openEnvelope([provider], short, binding))).toBe('INVALID_CIPHERTEXT');

  hsm?.addKey({ token: 'ours', label: 'files', id: '0a' });
  hsm?.addKey({ token: 'ours', label: 'something else', id: '0b' });
  expect(await provider.activeKeyVersion()).toBe('0a');
  const newer = await sealEnvelope(provider, dataKey, binding);
  expect(newer.keyVersion).toBe('0a');
  for (const each of [envelope, newer])
    expect(isSameKey(await openEnvelope([connect()], each, binding), dataKey)).toBe(true);
  const lost = { ...newer, keyVersion: '0c' };
  expect(await categoryOf(openEnvelope([provider], lost, binding))).toBe('KEY_NOT_FOUND');
});

test('many keys are wrapped in one call, and a damaged one fails alone', async () => {
  const provider = connect();
  hsm?.addKey({ token: 'ours', label: 'files', id: '10' });
  const wishes = Array.from({ length: 50 }, () => ({ dataKey: newKey(), binding: randomBytes(32) }));
  const wrapped = await provider.many?.wrap(wishes);
  const asked = wishes.map(({ binding: own }, index): UnwrapRequest => {
    const each = wrapped?.[index];
    if (each === undefined || each instanceof KeyProviderError) throw each ?? new Error('not wrapped');
    return { wrapped: each, binding: index === 4 ? randomBytes(32) : own };
  });
  const answers = (await provider.many?.unwrap(asked)) ?? [];
  expect(answers.map(answer => (answer instanceof KeyProviderError ? answer.category : 'opened'))).toEqual(
    wishes.map((_, index) => (index === 4 ? 'INVALID_CIPHERTEXT' : 'opened')),
  );
  for (const [index, answer] of answers.entries())
    if (!(answer instanceof KeyProviderError)) expect(isSameKey(answer, wishes[index]?.dataKey ?? newKey())).toBe(true);
});

test('an altered key is recognized also under a version that may only decrypt', async () => {
  const provider = connect();
  for (const [id, encrypts] of [
    ['20', false],
    ['21', true],
  ] as const)
    hsm?.addKey({ token: 'ours', label: 'files', id, encrypts });
  const altered = { keyVersion: '20', algorithm: 'PKCS11-AES256-GCM', wrapped: randomBytes(60) };
  expect(await categoryOf(provider.unwrap(altered, randomBytes(32)))).toBe('INVALID_CIPHERTEXT');
});

test('a rejected PIN is not retried, so that the token does not lock', async () => {
  hsm?.addKey({ token: 'guarded', label: 'files', id: '01' });
  const wrong = connect({ token: 'guarded', pinText: '0000-0000' });
  for (let time = 0; time < 12; time += 1) expect(await categoryOf(wrong.activeKeyVersion())).toBe('PERMISSION_DENIED');
  expect(await connect({ token: 'guarded' }).activeKeyVersion()).toBe('01');
});

test('unusable tokens, modules and keys are reported by category, without secrets', { tags: 'long' }, async () => {
  expect(await categoryOf(connect({ token: 'empty' }).activeKeyVersion())).toBe('KEY_NOT_FOUND');
  expect(await categoryOf(connect({ token: 'nowhere' }).activeKeyVersion())).toBe('UNAVAILABLE');
  expect(await categoryOf(connect({ module: '/nowhere/module.so' }).activeKeyVersion())).toBe('CONFIGURATION');
  hsm?.addKey({ token: 'careless', label: 'files', id: '01', extractable: true });
  expect(await categoryOf(connect({ token: 'careless' }).activeKeyVersion())).toBe('CONFIGURATION');
  for (let time = 0; time < 2; time += 1) hsm?.addKey({ token: 'doubled', label: 'files', id: '01' });
  expect(await categoryOf(connect({ token: 'doubled' }).activeKeyVersion())).toBe('CONFIGURATION');
  const missing = { kind: 'file', path: '/nowhere/pin' } as const;
  expect(await categoryOf(connect({ pin: missing }).activeKeyVersion())).toBe('CONFIGURATION');
});

test('a token that fails at every key opens the circuit breaker, and one with damaged keys does not', async () => {
  for (const [token, states] of [
    ['nowhere', ['UNAVAILABLE', 'OPEN']],
    ['ours', ['INVALID_CIPHERTEXT', 'CLOSED']],
  ] as const) {
    const breaker = openBreaker(3);
    const provider = connect({ token }, breaker);
    const altered = { keyVersion: '01', algorithm: 'PKCS11-AES256-GCM', wrapped: randomBytes(60) };
    for (let time = 0; time < 3; time += 1)
      expect(await categoryOf(provider.unwrap(altered, randomBytes(32)))).toBe(states[0]);
    expect(breaker.view().state).toBe(states[1]);
  }
});

/** Loading it reads a pipe that says nothing; resolves when it hangs. */
async function openHangingModule() {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-module-'));
  const path = join(folder, 'module.so');
  execFileSync('mkfifo', [path]);
  const hang = async () => {
    for (;;) {
      const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null); // no reader yet
      if (pipe !== null) return pipe;
      await sleep(10);
    }
  };
  return { path, hang, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test('a module that hangs does not keep the server from closing', { tags: 'long' }, async () => {
  using module = await openHangingModule();
  const provider = connect({ module: module.path });
  const asked = categoryOf(provider.activeKeyVersion());
  const pipe = await module.hang();
  const closed = opened
    .pop()
    ?.[Symbol.asyncDispose]()
    .then(() => 'closed');
  expect(await Promise.race([closed, sleep(30_000, 'hangs')])).toBe('closed');
  await pipe.close();
  expect(await asked).toBe('UNAVAILABLE');
});
