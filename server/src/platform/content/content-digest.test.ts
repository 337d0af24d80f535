// Content digests of stored chunks, in a thread and without: plain and sealed input, imprints, and damage.
import { createHash, createSecretKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pattern } from '../../../../test/support/bytes.ts';
import { type ChunkContext, newFileKey, sealChunk, toSealedSize } from '../crypto/content-suite.ts';
import { openDiskStore } from '../objects/disk-store.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type ContentReader, openContentReader, type StoredChunk } from './content-digest.ts';
import { Imprinter } from './imprint.ts';

let folder: string;
let store: ObjectStore;
let reader: ContentReader;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-contents-'));
  const secret = createSecretKey(Buffer.alloc(32, 1));
  store = await openDiskStore({ folder, presign: { baseUrl: 'http://localhost', secret } });
  reader = openContentReader(store);
});
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pathOf = (key: string): string => store.files?.pathOf(key) ?? '';

async function putPlain(key: string, bytes: Uint8Array): Promise<StoredChunk> {
  await store.put(key, [bytes]);
  return { key, size: bytes.length, proof: { sha256: sha256(bytes) } };
}

async function putSealed(key: string, bytes: Uint8Array, context: ChunkContext): Promise<StoredChunk> {
  await store.put(key, sealChunk(context, [bytes]));
  return { key, size: toSealedSize(bytes.length), proof: { sealed: context } };
}

async function change(key: string, position: number): Promise<void> {
  const bytes = await readFile(pathOf(key));
  bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
  await writeFile(pathOf(key), bytes);
}

for (const where of ['here', 'thread'] as const) {
  test(`${where}: plain and sealed chunks have the digest of their plaintext`, async () => {
    const first = await pattern(3_000_001, 1);
    const second = await pattern(2_500_000, 2);
    const digest = reader.openDigest(where);
    const context = { ...newFileKey(), tenantId: '1', index: 1, count: 2 };
    const { etag } = await digest.add(await putPlain(`${where}/plain`, first));
    await digest.add(await putSealed(`${where}/sealed`, second, context));
    expect(etag).toBe(sha256(first));
    expect(await digest.finish()).toBe(sha256(Buffer.concat([first, second])));
  });

  test(`${where}: two interleaved digests do not mix`, async () => {
    const chunks = await Promise.all([1, 2, 3, 4].map(async seed => pattern(1_200_000, seed)));
    const stored = await Promise.all(chunks.map((bytes, index) => putPlain(`${where}/turn-${index}`, bytes)));
    const digests = [reader.openDigest(where), reader.openDigest(where)];
    await Promise.all(
      digests.map(async (digest, which) => {
        for (const chunk of stored.filter((_, index) => index % 2 === which)) await digest.add(chunk);
      }),
    );
    const found = await Promise.all(digests.map(digest => digest.finish()));
    const expected = [0, 1].map(which => sha256(Buffer.concat(chunks.filter((_, index) => index % 2 === which))));
    expect(found).toEqual(expected);
  });

  test(`${where}: missing, shortened, altered and misplaced chunks are rejected with different errors`, async () => {
    const bytes = await pattern(1_500_000, 5);
    const context = { ...newFileKey(), tenantId: '1', index: 0, count: 2 };
    const add = async (chunk: StoredChunk) => reader.openDigest(where).add(chunk);
    const plain = await putPlain(`${where}/a`, bytes);
    const sealed = await putSealed(`${where}/b`, bytes, context);
    await expect(add({ ...plain, key: `${where}/none` })).rejects.toMatchObject({ kind: 'NOT_FOUND' });
    await expect(add({ ...plain, size: plain.size - 1 })).rejects.toMatchObject({ kind: 'LENGTH_MISMATCH' });
    await expect(add({ ...sealed, proof: { sealed: { ...context, index: 1 } } })).rejects.toMatchObject({
      name: 'ContentError',
      kind: 'WRONG_CHUNK',
    });
    await change(plain.key, 700_000);
    await expect(add(plain)).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'CORRUPT' });
    await change(sealed.key, 700_000);
    await expect(add(sealed)).rejects.toMatchObject({ name: 'ContentError', kind: 'NOT_AUTHENTIC' });
  });
}

test('the imprint from the upload replaces the digest in the thread, and detects altered bytes', async () => {
  const bytes = await pattern(3_000_001, 8);
  const imprinter = new Imprinter();
  await store.put('imprinted', imprinter.pass(Readable.from([bytes.subarray(0, 65_536), bytes.subarray(65_536)])));
  const chunk = { key: 'imprinted', size: bytes.length };
  const proof = { sha256: sha256(bytes), imprint: imprinter.finish() };
  const digest = reader.openDigest('thread');
  expect(await digest.add({ ...chunk, proof })).toMatchObject({ etag: sha256(bytes) });
  expect(await digest.finish()).toBe(sha256(bytes));
  await change('imprinted', 2_999_999);
  await expect(reader.openDigest('thread').add({ ...chunk, proof })).rejects.toMatchObject({
    name: 'ObjectStoreError',
    kind: 'CORRUPT',
  });
});

test('a stamp changes when the bytes change, and when they are replaced by the same bytes', async () => {
  const bytes = await pattern(1000, 6);
  const digest = reader.openDigest('thread');
  const { stamp } = await digest.add(await putPlain('stamped', bytes));
  expect(await reader.findStamp('stamped')).toBe(stamp);
  await change('stamped', 10);
  const changed = await reader.findStamp('stamped');
  expect(changed).not.toBe(stamp);
  await putPlain('stamped', bytes);
  const replaced = await reader.findStamp('stamped');
  expect([changed, stamp]).not.toContain(replaced);
  await store.delete('stamped');
  expect(await reader.findStamp('stamped')).toBeNull();
  digest.drop();
});

test('an ended digest rejects further chunks', async () => {
  const chunk = await putPlain('ended', await pattern(1000, 7));
  const digest = reader.openDigest('thread');
  await digest.add(chunk);
  digest.drop();
  await expect(digest.add(chunk)).rejects.toThrow('this digest has ended');
});
