// The intake of chunks, in threads and without: digests, length checks, aborts, concurrency and disk errors.
import { createSecretKey } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pattern, sha256Of, toBytes } from '../../../../test/support/bytes.ts';
import { newFileKey, openChunk, toSealedSize } from '../crypto/content-suite.ts';
import { openDiskStore } from '../objects/disk-store.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { ImprintCheck } from './imprint.ts';
import { type IncomingChunk, type Intake, openIntake } from './intake.ts';

let folder: string;
let store: ObjectStore;
let intake: Intake;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-intake-'));
  const secret = createSecretKey(Buffer.alloc(32, 1));
  store = await openDiskStore({ folder, presign: { baseUrl: 'http://localhost', secret } });
  intake = openIntake(store);
});
afterAll(async () => {
  await intake?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const plain = { kind: 'plain', withImprint: false } as const;

/** Blocks that have their memory to themselves, as a socket delivers them. */
async function* cut(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

const toChunk = (key: string, bytes: Uint8Array, more: Partial<IncomingChunk> = {}): IncomingChunk => ({
  key,
  size: bytes.length,
  form: plain,
  source: cut(bytes),
  signal: new AbortController().signal,
  ownsBlocks: true,
  ...more,
});

const readObject = async (key: string): Promise<Buffer> => toBytes((await store.get(key)).body);
const listTemporary = (): Promise<string[]> => readdir(join(folder, 'temporary'));

const ways = [
  { where: 'on the main thread', length: 700_001 },
  { where: 'on a thread', length: 3_700_001 },
];

for (const { where, length } of ways) {
  test(`${where}: a plain chunk is stored with its digest, and its imprint matches`, async () => {
    const bytes = await pattern(length, 1);
    const form = { kind: 'plain', withImprint: true } as const;
    const { stored, sha256: digest, imprint } = await intake.store(toChunk(`${where}/plain`, bytes, { form }));
    expect({ ...stored, digest }).toEqual({
      size: length,
      sha256: sha256Of(bytes),
      etag: sha256Of(bytes),
      digest: sha256Of(bytes),
    });
    expect(await readObject(`${where}/plain`)).toEqual(bytes);
    const check = imprint && new ImprintCheck(imprint);
    check?.update(bytes);
    expect(check?.isSame()).toBe(true);
  });

  test(`${where}: a sealed chunk can be opened, and its digest is that of the plaintext`, async () => {
    const bytes = await pattern(length, 2);
    const context = { ...newFileKey(), tenantId: '1', index: 1, count: 2 };
    const sealed = { size: toSealedSize(length), form: { kind: 'sealed', context } as const };
    const takenIn = await intake.store(toChunk(`${where}/sealed`, bytes, sealed));
    expect([takenIn.sha256, takenIn.stored.size]).toEqual([sha256Of(bytes), toSealedSize(length)]);
    expect(await toBytes(openChunk(context, [await readObject(`${where}/sealed`)]))).toEqual(bytes);
  });

  test(`${where}: more or fewer bytes than announced are rejected, and nothing is left of them`, async () => {
    const bytes = await pattern(length, 3);
    for (const size of [length - 1, length + 1]) {
      const storing = intake.store(toChunk(`${where}/length`, bytes, { size }));
      await expect(storing).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'LENGTH_MISMATCH' });
    }
    expect(await store.findHead(`${where}/length`)).toBeNull();
    expect(await listTemporary()).toEqual([]);
  });

  test(`${where}: a failing or aborted source leaves nothing, and the error has the reason`, async () => {
    const bytes = await pattern(length, 4);
    const ending = new AbortController();
    async function* breaking(end: () => void): AsyncGenerator<Uint8Array> {
      yield* cut(bytes.subarray(0, -100_000));
      end();
      yield bytes.slice(-100_000);
    }
    const broken = breaking(() => {
      throw new Error('the network is gone');
    });
    const given = { source: breaking(() => ending.abort()), signal: ending.signal };
    await expect(intake.store(toChunk(`${where}/broken`, bytes, { source: broken }))).rejects.toMatchObject({
      kind: 'SOURCE_FAILED',
      cause: { message: 'the network is gone' },
    });
    await expect(intake.store(toChunk(`${where}/given-up`, bytes, given))).rejects.toMatchObject({ kind: 'ABORTED' });
    expect(await Promise.all(['broken', 'given-up'].map(name => store.findHead(`${where}/${name}`)))).toEqual([
      null,
      null,
    ]);
    expect(await listTemporary()).toEqual([]);
  });

  test(`${where}: blocks in use elsewhere are not modified`, async () => {
    const bytes = await pattern(length, 5);
    const before = sha256Of(bytes);
    async function* views(): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
    }
    await intake.store(toChunk(`${where}/views`, bytes, { source: views(), ownsBlocks: false }));
    await intake.store(toChunk(`${where}/owned-views`, bytes, { source: views() }));
    expect(sha256Of(bytes)).toBe(before);
    expect(sha256Of(await readObject(`${where}/owned-views`))).toBe(before);
  });

  test(`${where}: concurrent chunks do not mix`, async () => {
    const all = await Promise.all(Array.from({ length: 6 }, async (_, seed) => pattern(length + seed, seed)));
    const taken = await Promise.all(all.map((bytes, index) => intake.store(toChunk(`${where}/${index}`, bytes))));
    expect(taken.map(({ stored }) => stored.sha256)).toEqual(all.map(sha256Of));
    const read = await Promise.all(all.map((_, index) => readObject(`${where}/${index}`)));
    expect(read.map(sha256Of)).toEqual(all.map(sha256Of));
  });
}

test('a disk error in a thread is reported as an error of the store, and the thread continues', async () => {
  const { files } = store;
  if (!files) throw new Error('a disk store has files');
  const noFolder = async (key: string) => ({ ...(await files.prepare(key)), temporary: join(folder, 'none', 'file') });
  const failing = openIntake(Object.assign(Object.create(store), { files: { ...files, prepare: noFolder } }));
  try {
    const bytes = await pattern(5_000_000, 6);
    await expect(failing.store(toChunk('refused', bytes))).rejects.toMatchObject({
      name: 'ObjectStoreError',
      kind: 'NOT_FOUND',
    });
    const sealedWrong = { form: { kind: 'sealed', context: { ...newFileKey(), tenantId: '', index: 0, count: 1 } } };
    await expect(intake.store(toChunk('wrong', bytes, sealedWrong as Partial<IncomingChunk>))).rejects.toMatchObject({
      kind: 'FAILED',
    });
    expect((await intake.store(toChunk('after', bytes))).sha256).toBe(sha256Of(bytes));
  } finally {
    await failing[Symbol.asyncDispose]();
  }
});

/** Files of the store that this process holds, those of its threads too. */
async function listOpenFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter(target => target.startsWith(folder));
}

async function* breaksBehind(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* cut(bytes);
  throw new Error('the network is gone');
}

for (const length of [1_200_000, 2_200_000, 3_300_000]) {
  test(`a source that fails at byte ${length} fails only its chunk, and every file is closed`, async () => {
    const bytes = await pattern(length, 8);
    const whole = await pattern(2_500_000, 9);
    await intake.store(toChunk(`failing/${length}/before`, whole));
    const failing = Array.from({ length: 20 }, (_, at) =>
      intake.store(toChunk(`failing/${length}/${at}`, bytes, { size: length + 1, source: breaksBehind(bytes) })),
    );
    const [broken, stored] = await Promise.all([
      Promise.allSettled(failing),
      Promise.all([1, 2, 3].map(at => intake.store(toChunk(`failing/${length}/whole-${at}`, whole)))),
    ]);
    expect(broken.map(result => (result.status === 'rejected' ? result.reason.kind : 'stored'))).toEqual(
      Array(20).fill('SOURCE_FAILED'),
    );
    expect(stored.map(({ sha256 }) => sha256)).toEqual(Array(3).fill(sha256Of(whole)));
    expect(await listTemporary()).toEqual([]);
    expect(await listOpenFiles()).toEqual([]);
  });
}

test('a terminated thread fails its chunk and leaves no temporary file', async () => {
  const ending = openIntake(store);
  const bytes = await pattern(4_000_000, 7);
  async function* endsThreads(): AsyncGenerator<Uint8Array> {
    yield* cut(bytes.subarray(0, 3_000_000));
    await ending[Symbol.asyncDispose]();
    yield* cut(bytes.subarray(3_000_000));
  }
  await expect(ending.store(toChunk('cut-off', bytes, { source: endsThreads() }))).rejects.toThrow('ended');
  expect(await listTemporary()).toEqual([]);
  expect(await store.findHead('cut-off')).toBeNull();
});
