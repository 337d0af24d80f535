// Master keys in local files: creation by concurrent servers, envelope binding, new versions and damaged files.
import { spawn } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentSuite, newFileKey } from './content-suite.ts';
import {
  type Envelope,
  type EnvelopeBinding,
  isSameKey,
  type KeyProvider,
  KeyProviderError,
  openEnvelope,
  sealEnvelope,
} from './envelope.ts';
import { openLocalKeys } from './local-keys.ts';
import { rewrapMany } from './rewrap-many.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-keys-'));
  path = join(folder, 'master-keys.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { dataKey, fileNonce } = newFileKey();
const binding: EnvelopeBinding = {
  tenantId: '1',
  fileId: '2',
  fileHash: 'ab',
  recipientType: 'OWNER',
  recipientId: '3',
  suite: contentSuite,
  fileNonce,
};
const open = (createIfMissing = true) => openLocalKeys({ path, createIfMissing });
const failure = (category: string) => expect.objectContaining({ name: 'KeyProviderError', category });

test('the first start creates a key file for its owner only, and later starts keep it', async () => {
  const envelope = await sealEnvelope(await open(), dataKey, binding);
  expect(envelope).toMatchObject({ provider: 'local', contract: 1, keyVersion: '1', algorithm: 'AES-256-GCM' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['master-keys.json']);
  expect(isSameKey(await openEnvelope([await open(false)], envelope, binding), dataKey)).toBe(true);
});

test('servers that start concurrently use one key', async () => {
  const providers = await Promise.all(Array.from({ length: 8 }, () => open()));
  const envelopes = await Promise.all(providers.map(provider => sealEnvelope(provider, dataKey, binding)));
  for (const envelope of envelopes) {
    for (const provider of providers)
      expect(isSameKey(await openEnvelope([provider], envelope, binding), dataKey)).toBe(true);
  }
  expect(await readdir(folder)).toEqual(['master-keys.json']);
});

test('a missing key file is an error if envelopes exist', async () => {
  await expect(open(false)).rejects.toThrow('is missing; restore it');
  await expect(open(false)).rejects.toEqual(failure('CONFIGURATION'));
});

test('an envelope opens only with its own binding', async () => {
  const keys = await open();
  const envelope = await sealEnvelope(keys, dataKey, binding);
  const others: Partial<EnvelopeBinding>[] = [
    { tenantId: '11' },
    { fileId: '22' },
    { fileHash: 'ac' },
    { recipientType: 'SHARE' },
    { recipientId: '33' },
    { suite: 'OTHER' },
    { fileNonce: randomBytes(16) },
    { tenantId: '12', fileId: '' },
    { fileHash: '', fileId: '2ab' },
  ];
  for (const other of others) {
    const asked = { ...binding, ...other };
    await expect(openEnvelope([keys], envelope, asked)).rejects.toEqual(failure('INVALID_CIPHERTEXT'));
    // Nor when whoever moved it has also changed the digest that is stored beside it.
    const { aadDigest } = await sealEnvelope(keys, dataKey, asked);
    await expect(openEnvelope([keys], { ...envelope, aadDigest }, asked)).rejects.toEqual(
      failure('INVALID_CIPHERTEXT'),
    );
  }
});

test('a wrapped key with a flipped bit or another length is rejected', async () => {
  const keys = await open();
  const envelope = await sealEnvelope(keys, dataKey, binding);
  for (let bit = 0; bit < envelope.wrapped.length * 8; bit += 1) {
    const wrapped = Buffer.from(envelope.wrapped);
    wrapped[bit >> 3] = (wrapped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await expect(openEnvelope([keys], { ...envelope, wrapped }, binding)).rejects.toEqual(
      failure('INVALID_CIPHERTEXT'),
    );
  }
  for (const wrapped of [
    envelope.wrapped.subarray(1),
    Buffer.concat([envelope.wrapped, Buffer.alloc(1)]),
    Buffer.alloc(0),
  ]) {
    await expect(openEnvelope([keys], { ...envelope, wrapped }, binding)).rejects.toEqual(
      failure('INVALID_CIPHERTEXT'),
    );
  }
});

test('an envelope with an unknown provider, contract, algorithm or version is rejected with that reason', async () => {
  const keys = await open();
  const envelope = await sealEnvelope(keys, dataKey, binding);
  const ask = (change: Partial<Envelope>) => openEnvelope([keys], { ...envelope, ...change }, binding);
  await expect(ask({ provider: 'vault-transit' })).rejects.toEqual(failure('CONFIGURATION'));
  await expect(ask({ contract: 2 })).rejects.toEqual(failure('CONFIGURATION'));
  await expect(ask({ algorithm: 'NONE' })).rejects.toEqual(failure('INVALID_CIPHERTEXT'));
  await expect(ask({ keyVersion: '9' })).rejects.toEqual(failure('KEY_NOT_FOUND'));
  await expect(ask({ aadDigest: '' })).rejects.toEqual(failure('INVALID_CIPHERTEXT'));
  await expect(sealEnvelope(keys, createSecretKey(randomBytes(16)), binding)).rejects.toEqual(failure('INTERNAL'));
});

test('a running server uses a new key version at once, and old envelopes still open', async () => {
  const server = await open();
  const old = await sealEnvelope(server, dataKey, binding);
  const command = await openLocalKeys({ path, createIfMissing: false, now: () => new Date('2026-01-02T03:04:05Z') });
  expect(await command.addVersion()).toBe('2');
  expect(await server.activeKeyVersion()).toBe('2');
  const renewed = await sealEnvelope(server, dataKey, binding);
  expect(renewed.keyVersion).toBe('2');
  for (const envelope of [old, renewed])
    expect(isSameKey(await openEnvelope([server], envelope, binding), dataKey)).toBe(true);
  expect(await server.listVersions()).toMatchObject([
    { version: '1', state: 'OLD' },
    { version: '2', state: 'ACTIVE', createdAt: '2026-01-02T03:04:05.000Z' },
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a server opens envelopes wrapped by another server with a newer version', async () => {
  const [first, second] = [await open(), await open()];
  await sealEnvelope(first, dataKey, binding);
  await second.addVersion();
  const newer = await sealEnvelope(second, dataKey, binding);
  expect(isSameKey(await openEnvelope([first], newer, binding), dataKey)).toBe(true);
});

test('rewrapping moves an envelope to the active version and keeps its data key', async () => {
  const keys = await open();
  const old = await sealEnvelope(keys, dataKey, binding);
  await keys.addVersion();
  const [moved] = await rewrapMany([keys], keys, [{ source: old, binding }]);
  if (moved === undefined || moved instanceof KeyProviderError) throw moved ?? new Error('nothing came of it');
  expect(moved).toMatchObject({ keyVersion: '2', aadDigest: old.aadDigest });
  expect(isSameKey(await openEnvelope([keys], moved, binding), dataKey)).toBe(true);
  await keys.removeVersion('1');
  expect(isSameKey(await openEnvelope([keys], moved, binding), dataKey)).toBe(true);
  await expect(openEnvelope([await open()], old, binding)).rejects.toEqual(failure('KEY_NOT_FOUND'));
  await expect(keys.removeVersion('2')).rejects.toThrow('the active master key cannot be removed');
  await expect(keys.removeVersion('7')).rejects.toThrow('there is no master key version 7');
});

test('concurrent changes of the key file are made one after the other, also those of two servers', async () => {
  const servers = [await open(), await open()];
  const added = await Promise.all(Array.from({ length: 6 }, (_, at) => servers[at % 2]?.addVersion()));
  expect(added.toSorted()).toEqual(['2', '3', '4', '5', '6', '7']);
  for (const keys of servers) {
    const versions = (await keys.listVersions()).map(({ version }) => version);
    expect(versions).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  }
  const isForOwner = async (name: string) => ((await stat(join(folder, name))).mode & 0o077) === 0;
  const names = await readdir(folder);
  expect(names.toSorted()).toEqual(['master-keys.json', 'master-keys.lock']);
  expect(await Promise.all(names.map(isForOwner))).toEqual([true, true]);
});

test('the lock of a change that was killed does not stop the next; one that is held does, and says so', async () => {
  const keys = await open();
  await writeFile(join(folder, 'master-keys.json.lock'), '1\n'); // how earlier versions locked
  const lock = join(folder, 'master-keys.lock');
  const sleeper = `import { withFileLock } from ${JSON.stringify(new URL('../../../../shared/src/node/file-lock.ts', import.meta.url).href)};
    await withFileLock(${JSON.stringify(lock)}, 0, () => { console.log('held'); return new Promise(end => setTimeout(end, 120_000)); });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', sleeper], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(holder.stdout, 'data');
    const other = await openLocalKeys({ path, createIfMissing: false, lockWaitMs: 50 });
    await expect(other.addVersion()).rejects.toThrow('being changed by another process');
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
  expect(await keys.addVersion()).toBe('2');
});

test('a key file accessible to others is rejected with the command that repairs it', async () => {
  await open();
  for (const mode of [0o640, 0o604, 0o660]) {
    await chmod(path, mode);
    await expect(open()).rejects.toThrow(`(mode ${mode.toString(8)}); run: chmod 600 ${path}`);
  }
  await chmod(path, 0o400);
  expect(await (await open()).activeKeyVersion()).toBe('1');
});

test('a damaged key file is rejected, and the message contains no key', async () => {
  await open();
  const good = await readFile(path, 'utf8');
  const content = JSON.parse(good) as { keys: { key: string }[] };
  const secret = content.keys[0]?.key ?? '';
  const flipped = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
  const damages = [
    '',
    '{',
    '[]',
    good.slice(0, -20),
    good.replace('recordproof-master-keys', 'other'),
    good.replace('"formatVersion": 1', '"formatVersion": 2'),
    good.replace('"activeVersion": "1"', '"activeVersion": "2"'),
    good.replace(secret, flipped),
    good.replace(secret, 'AAAA'),
    good.replace('"keys"', '"extra": 1, "keys"'),
    good.replace(/\[([\s\S]*)\]/, '[$1,$1]'),
    good.replace(/\[[\s\S]*\]/, '[]'),
  ];
  for (const damage of damages) {
    await writeFile(path, damage);
    const error: unknown = await open().catch((caught: unknown) => caught);
    expect(error).toEqual(failure('CONFIGURATION'));
    expect(String(error)).toContain('is damaged (');
    expect(String(error)).not.toContain(secret.slice(1, 20));
  }
  await writeFile(path, good);
  await open();
});

test('an envelope that opens to another key is rejected; older envelopes get a key check when rewrapped', async () => {
  const keys = await open();
  const envelope = await sealEnvelope(keys, dataKey, binding);
  expect(envelope.keyCheck).toMatch(/^[0-9a-f]{32}$/);
  const { dataKey: other } = newFileKey();
  const lying: KeyProvider = {
    ...{ id: keys.id, contract: keys.contract, operations: keys.operations, algorithms: keys.algorithms },
    activeKeyVersion: () => keys.activeKeyVersion(),
    wrap: (_key, digest) => keys.wrap(other, digest),
    unwrap: async () => other,
  };
  await expect(openEnvelope([lying], envelope, binding)).rejects.toEqual(failure('INVALID_RESPONSE'));
  const [moved] = await rewrapMany([lying], lying, [{ source: envelope, binding }]);
  expect(moved).toEqual(failure('INVALID_RESPONSE'));
  const { keyCheck: _, ...older } = envelope;
  expect(isSameKey(await openEnvelope([keys], older, binding), dataKey)).toBe(true);
  expect(isSameKey(await openEnvelope([lying], older, binding), other)).toBe(true);
  const [renewed] = await rewrapMany([keys], keys, [{ source: older, binding }]);
  expect(renewed).toMatchObject({ keyCheck: envelope.keyCheck });
});
