// Stored bytes that changed behind the server's back: never registered before, never delivered to a clean end after.
import { copyFile, readFile, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as filesApi from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toObjectPath } from '../../server/src/platform/objects/disk-layout.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { readStoredManifest } from '../support/manifest-text.ts';
import { objectDamages } from '../support/object-damages.ts';
import { completeDirect, digestOf, sendDirect, sendProxied } from '../support/uploads.ts';

const chunkSize = 70_000;
let app: TestApp;
let alice: Person;
let seed = 0;

beforeAll(async () => {
  app = await startApp();
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());

const pathOf = (key: string): string => {
  const { folders, file } = toObjectPath(key);
  return join(app.folder, 'objects', 'objects', ...folders, file);
};

type Damage = (keys: readonly string[], foreign: readonly string[]) => Promise<void>;

const at = (keys: readonly string[], index: number): string => pathOf(keys[index] ?? '');

async function flipBit(path: string, position: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(position) ^ 4, position);
  await writeFile(path, bytes);
}

async function swap(left: string, right: string): Promise<void> {
  const [first, second] = [await readFile(left), await readFile(right)];
  await writeFile(left, second);
  await writeFile(right, first);
}

const damages: Readonly<Record<string, Damage>> = {
  'one flipped bit at the beginning': keys => flipBit(at(keys, 0), 60),
  'one flipped bit in the last byte of a chunk': keys => flipBit(at(keys, 1), chunkSize - 1),
  'a chunk cut short': async keys => truncate(at(keys, 1), 30_000),
  'an empty chunk': async keys => truncate(at(keys, 2), 0),
  'two chunks of equal length that changed places': keys => swap(at(keys, 0), at(keys, 1)),
  'the chunk of another file in its place': (keys, foreign) => copyFile(at(foreign, 1), at(keys, 1)),
  'a chunk that is gone': async keys => unlink(at(keys, 1)),
};

const next = async (size = 180_000) => {
  seed += 1;
  return pattern(size, seed);
};

/** The large one is read back by another thread, and while its chunks are still coming in. */
const sizes = { small: [180_000, chunkSize], large: [18 * 2 ** 20, 7 * 2 ** 20] } as const;

let uploads = 0;

async function send(kind: 'proxied' | 'direct', bytes: Uint8Array, clientId = `damaged-${++uploads}`): Promise<string> {
  const sending = { chunkSize: bytes.length === sizes.large[0] ? sizes.large[1] : chunkSize, clientId };
  if (kind === 'proxied') return sendProxied(alice, bytes, sending);
  return (await sendDirect(alice, bytes, sending)).clientId;
}

const complete = (kind: 'proxied' | 'direct', clientId: string) =>
  kind === 'proxied'
    ? alice.call(api.completeUploadSession, { params: { clientId } })
    : completeDirect(alice, clientId);

async function listStaged(clientId: string): Promise<string[]> {
  const rows = await app.app.database.db
    .selectFrom('upload_chunk as c')
    .innerJoin('upload as u', 'u.id', 'c.upload_id')
    .select('c.storage_key')
    .where('u.client_id', '=', clientId)
    .orderBy('c.chunk_index')
    .execute();
  return rows.map(row => row.storage_key);
}

async function listStored(fileId: string): Promise<string[]> {
  const { chunks } = await readStoredManifest(app.app.database.db, fileId);
  return chunks.map(chunk => chunk.storagePath);
}

async function download(fileHash: string): Promise<Uint8Array> {
  const response = await alice.client.open(filesApi.downloadFile, { params: { hash: fileHash } });
  return new Uint8Array(await response.arrayBuffer());
}

for (const [name, hurt] of Object.entries(objectDamages)) {
  test(`a repeated upload is stored and repairs every record of the damaged object: ${name}`, async () => {
    const bytes = await next(100_000); // two objects
    const first = await complete('direct', await send('direct', bytes));
    for (const key of await listStored(first.fileId)) await hurt(pathOf(key));
    const again = await complete('direct', await send('direct', bytes));
    expect(again.contentHash).toBe(digestOf(bytes));
    for (const { fileHash } of [first, again]) expect(digestOf(await download(fileHash))).toBe(digestOf(bytes));
  });
}

for (const kind of ['proxied', 'direct'] as const) {
  for (const [what, damage] of Object.entries(damages)) {
    for (const [size, [length]] of Object.entries(sizes)) {
      test(`${kind}, ${size}: ${what} makes completion fail, and a repeated upload succeeds`, async () => {
        const bytes = await next(length);
        const [clientId, other] = [await send(kind, bytes), await send(kind, await next(length))];
        await damage(await listStaged(clientId), await listStaged(other));
        const files = app.app.database.db.selectFrom('file').select('id');
        const before = await files.execute();
        await expect(complete(kind, clientId)).rejects.toMatchObject({ kind: 'CONFLICT' });
        expect(await files.execute()).toEqual(before);
        await complete(kind, other);
        await send(kind, bytes, clientId);
        expect((await complete(kind, clientId)).contentHash).toBe(digestOf(bytes));
      });
    }

    test(`${kind}: ${what} is detected by a download`, async () => {
      const bytes = await next();
      const clientIds = [await send(kind, bytes), await send(kind, await next())];
      const [stored, other] = [await complete(kind, clientIds[0] ?? ''), await complete(kind, clientIds[1] ?? '')];
      expect(digestOf(await download(stored.fileHash))).toBe(stored.contentHash);
      await damage(await listStored(stored.fileId), await listStored(other.fileId));
      await expect(download(stored.fileHash)).rejects.toThrow();
    });
  }
}

test('a large single part is compared with its digest at arrival when it is read back', async () => {
  const bytes = await next(sizes.large[0]);
  const sending = { chunkSize: bytes.length, clientId: `damaged-${++uploads}` };
  const { clientId } = await sendDirect(alice, bytes, sending);
  for (const key of await listStaged(clientId)) await flipBit(pathOf(key), bytes.length - 1);
  await expect(completeDirect(alice, clientId)).rejects.toMatchObject({ kind: 'CONFLICT' });
  await sendDirect(alice, bytes, sending);
  expect((await completeDirect(alice, clientId)).contentHash).toBe(digestOf(bytes));
});
