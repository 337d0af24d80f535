// Life of integrity alerts: acknowledgement, resolution, repair from other copies and backups, and repair by an upload.
import { copyFile, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/integrity.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import {
  chunkBytes,
  fileBytes,
  flipByte,
  listAlerts,
  objectOf,
  readManifest,
  type Stored,
} from '../../../../test/support/integrity-world.ts';
import { manifestOfText } from '../../../../test/support/manifest-text.ts';
import { objectDamages } from '../../../../test/support/object-damages.ts';
import { completeDirect, cut, digestOf, sendDirect, storeProxied } from '../../../../test/support/uploads.ts';

const sending = { chunkSize: chunkBytes };

async function begin() {
  const app = await startApp({ env: { INTEGRITY_CHECK_HEAVY_SAMPLE_CHUNKS: '10000' } });
  const alice = await app.person('alice');
  const root = await app.person('root', { role: 'admin' });
  const bytes = await pattern(fileBytes, 1);
  const sealed = () => storeProxied(alice, bytes, sending);
  const plain = async (person = alice) => completeDirect(person, (await sendDirect(person, bytes, sending)).clientId);
  return { app, alice, root, bytes, sealed, plain, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function check(root: Person): Promise<api.IntegrityAlert> {
  await root.call(api.checkIntegrity, { body: {} });
  const [alert] = await listAlerts(root, { status: 'PENDING' });
  if (!alert) throw new Error('nothing was found');
  return alert;
}

async function download(person: Person, { fileHash }: Stored): Promise<string> {
  const response = await person.client.open(downloadFile, { params: { hash: fileHash } });
  return digestOf(new Uint8Array(await response.arrayBuffer()));
}

const putChunk = (person: Person, id: string, index: number, form: string, bytes: Uint8Array) =>
  person.fetch(`/api/v1/admin/integrity-alerts/${id}/chunks/${index}?form=${form}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: Uint8Array.from(bytes),
  });

const operationsOf = async ({ app }: TestApp): Promise<string[]> => {
  const rows = await app.database.db
    .selectFrom('audit_log')
    .select('operation_type')
    .where('module', '=', 'integrity')
    .where('status', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(row => row.operation_type);
};

test('a check of the tenant and the resolution of an alert need no body', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  await rm(await objectOf(app, await sealed()));
  const checked = await root.fetch(api.checkIntegrity.path, { method: 'POST' });
  expect([checked.status, await checked.json()]).toMatchObject([200, { data: { level: 'HEAVY', mismatchesFound: 1 } }]);
  const [alert] = await listAlerts(root, {});
  const path = api.resolveIntegrityAlert.path.replace('{id}', alert?.id ?? '');
  expect((await root.fetch(path, { method: 'PUT' })).status).toBe(200);
});

test('an alert is acknowledged and resolved once, and raised again if the damage persists', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  await rm(await objectOf(app, await sealed()));
  const { id, fileId } = await check(root);
  const params = { id };
  const acknowledge = () => root.call(api.acknowledgeIntegrityAlert, { params });
  const rivals = await Promise.allSettled([acknowledge(), acknowledge()]);
  expect(rivals.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await root.call(api.getIntegrityAlert, { params })).toMatchObject({
    status: 'ACKNOWLEDGED',
    acknowledgedBy: 'root',
    ownerName: 'alice',
    fileName: 'report.pdf',
    repairHint: expect.stringContaining('admin integrity repair'),
  });
  const resolve = () => root.call(api.resolveIntegrityAlert, { params, body: { note: 'seen to' } });
  const ended = await Promise.allSettled([resolve(), resolve()]);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const resolved = { status: 'RESOLVED', resolution: 'MANUAL', note: 'seen to', resolvedBy: 'root' };
  expect(await root.call(api.getIntegrityAlert, { params })).toMatchObject(resolved);
  for (const rejected of [
    await root.expectError(api.acknowledgeIntegrityAlert, { params }),
    await root.expectError(api.resolveIntegrityAlert, { params, body: {} }),
    await root.expectError(api.repairIntegrityAlert, { params }),
  ])
    expect(rejected.kind).toBe('CONFLICT');
  const long = { note: 'x'.repeat(513) };
  expect((await root.expectError(api.resolveIntegrityAlert, { params, body: long })).status).toBe(400);
  const again = await check(root);
  expect(again).toMatchObject({ fileId, status: 'PENDING' });
  const ids = async (query: Record<string, string>) => (await listAlerts(root, query)).map(alert => alert.id);
  expect(await ids({})).toEqual([id, again.id]);
  expect(await ids({ status: 'RESOLVED' })).toEqual([id]);
  expect(await ids({ type: 'OBJECT_NOT_FOUND', severity: 'CRITICAL', fileId })).toEqual([id, again.id]);
  expect(await ids({ type: 'CHAIN_NOT_FOUND' })).toEqual([]);
  expect(await operationsOf(app)).toEqual([
    ...['raise-alert', 'check', 'acknowledge-alert', 'resolve-alert'],
    ...['raise-alert', 'check'],
  ]);
});

test('a second record with the same content repairs a sealed file, chunk for chunk', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, root, sealed } = ground;
  const [file] = [await sealed(), await sealed()];
  const path = await objectOf(app, file);
  const before = await readFile(path);
  await flipByte(path, 500);
  const { id } = await check(root);
  const result = await root.call(api.repairIntegrityAlert, { params: { id } });
  expect(result).toMatchObject({
    healedChunks: 1,
    damaged: [],
    alert: { status: 'RESOLVED', resolution: 'REPAIRED', resolvedBy: 'root', note: expect.stringContaining('file ') },
  });
  expect(await readFile(path)).toEqual(before);
  expect(await download(alice, file)).toBe(file.contentHash);
  expect(await operationsOf(app)).toEqual(['raise-alert', 'check', 'heal-chunks', 'alert-healed']);
});

const atItsEnd: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'cut by a byte': objectDamages['cut by a byte'],
  'cut in half': objectDamages['cut in half'],
  'cut to its first 48 bytes': path => truncate(path, 48),
  'without its footer': objectDamages['without its footer'],
  'grown by a byte': objectDamages['grown by a byte'],
};

test.each(Object.entries(atItsEnd))(
  'a sealed object that was %s is repaired from its twin',
  { tags: 'long-on-postgres' },
  async (_name, damage) => {
    await using ground = await begin();
    const { app, alice, root, sealed } = ground;
    const [file] = [await sealed(), await sealed()];
    const path = await objectOf(app, file);
    const before = await readFile(path);
    await damage(path);
    const { id } = await check(root);
    const { healedChunks, damaged } = await root.call(api.repairIntegrityAlert, { params: { id } });
    expect({ healedChunks, damaged }).toEqual({ healedChunks: 1, damaged: [] });
    expect(await readFile(path)).toEqual(before);
    expect(await download(alice, file)).toBe(file.contentHash);
  },
);

test('a sealed object shorter than 48 bytes is not repaired from its twin', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  const [file] = [await sealed(), await sealed()];
  const path = await objectOf(app, file);
  await truncate(path, 47);
  const { id } = await check(root);
  const { healedChunks, damaged, alert } = await root.call(api.repairIntegrityAlert, { params: { id } });
  expect([healedChunks, damaged.length, alert.status]).toEqual([0, 1, 'PENDING']);
  expect((await stat(path)).size).toBe(47);
});

test('a sealed record repairs an unencrypted file, also if all of its objects are missing', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, root, sealed, plain } = ground;
  const file = await plain();
  await sealed();
  for (const index of [0, 1, 2]) await rm(await objectOf(app, file, index));
  const { id } = await check(root);
  expect(await root.call(api.repairIntegrityAlert, { params: { id } })).toMatchObject({ healedChunks: 3, damaged: [] });
  expect(await download(alice, file)).toBe(file.contentHash);
});

test('without another copy the damage is listed, and a backup repairs it with stored or plain bytes', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, root, bytes, sealed } = ground;
  const file = await sealed();
  const { chunks } = await readManifest(app, file);
  const [gone, flipped] = [await objectOf(app, file, 0), await objectOf(app, file, 2)];
  const stored = (await readFile(gone)).subarray(0, chunks[0]?.size);
  await copyFile(gone, join(app.folder, 'kept'));
  await rm(gone);
  await flipByte(flipped, 600);
  const { id } = await check(root);
  const { damaged, alert } = await root.call(api.repairIntegrityAlert, { params: { id } });
  expect(alert.status).toBe('PENDING');
  expect(damaged.map(({ index, problem }) => [index, problem])).toEqual([
    [0, 'OBJECT_NOT_FOUND'],
    [2, 'CONTENT_HASH_MISMATCH'],
  ]);
  const piece = (index: number) => cut(bytes, chunkBytes, index);
  expect((await putChunk(root, id, 0, 'plain', piece(0))).status).toBe(422);
  expect((await putChunk(root, id, 0, 'stored', stored.subarray(1))).status).toBe(400);
  expect((await putChunk(root, id, 2, 'plain', piece(1).subarray(0, piece(2).length))).status).toBe(400);
  expect((await putChunk(root, id, 3, 'stored', stored)).status).toBe(404);
  expect((await putChunk(alice, id, 0, 'stored', stored)).status).toBe(403);
  await expect(readFile(gone)).rejects.toThrow('ENOENT');
  expect((await putChunk(root, id, 0, 'stored', stored)).status).toBe(200);
  expect((await putChunk(root, id, 2, 'plain', piece(2))).status).toBe(200);
  expect(await root.call(api.repairIntegrityAlert, { params: { id } })).toMatchObject({
    healedChunks: 0,
    damaged: [],
    alert: { status: 'RESOLVED', resolution: 'REPAIRED' },
  });
  expect((await listAlerts(root)).map(({ status }) => status)).toEqual(['RESOLVED', 'RESOLVED']);
  expect(await readFile(gone)).toEqual(await readFile(join(app.folder, 'kept')));
  expect(await download(alice, file)).toBe(file.contentHash);
});

test('concurrent repairs run once, and an object restored by hand is found intact', async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  const file = await sealed();
  const path = await objectOf(app, file);
  const kept = join(app.folder, 'kept');
  await copyFile(path, kept);
  await rm(path);
  const { id } = await check(root);
  await copyFile(kept, path);
  const repair = () => root.call(api.repairIntegrityAlert, { params: { id } });
  const answers = await Promise.allSettled([repair(), repair(), repair()]);
  expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
  const alert = await root.call(api.getIntegrityAlert, { params: { id } });
  expect(alert).toMatchObject({ status: 'RESOLVED', resolution: 'FOUND_WHOLE' });
  expect((await operationsOf(app)).filter(operation => operation === 'alert-healed')).toHaveLength(1);
});

test('a later upload of the same bytes repairs every record that shares them, and the alerts record it', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin();
  const { app, alice, root, plain } = ground;
  const [first, second] = [await plain(), await plain()];
  await flipByte(await objectOf(app, first), 500);
  await root.call(api.checkIntegrity, { body: {} });
  const hurt = (await listAlerts(root)).map(({ fileId }) => fileId);
  expect(new Set(hurt)).toEqual(new Set([first.fileId, second.fileId]));
  app.clock.advance(60_000);
  await app.drain();
  expect(await listAlerts(root, { status: 'PENDING' })).toHaveLength(2);
  const third = await plain(await app.person('bob'));
  app.clock.advance(60_000);
  await app.drain();
  for (const alert of await listAlerts(root))
    expect(alert).toMatchObject({
      status: 'RESOLVED',
      resolution: 'UPLOADED_AGAIN',
      note: expect.stringContaining(`file ${third.fileId} `),
    });
  expect((await operationsOf(app)).filter(operation => operation === 'alert-healed')).toHaveLength(2);
  expect(await download(alice, first)).toBe(first.contentHash);
});

test('a file prepared before the alert and stored after it also repairs', async () => {
  await using ground = await begin();
  const { app, root, plain } = ground;
  const first = await plain();
  await flipByte(await objectOf(app, first), 500);
  await check(root);
  const third = await plain(await app.person('bob'));
  const { db } = app.app.database;
  await db.updateTable('file').set({ created_at: 1 }).where('id', '=', Number(third.fileId)).execute();
  app.clock.advance(60_000);
  await app.drain();
  expect(await listAlerts(root)).toMatchObject([{ status: 'RESOLVED', resolution: 'UPLOADED_AGAIN' }]);
});

test('an alert of a file without shared objects is queued behind others', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  await rm(await objectOf(app, await sealed()));
  await check(root);
  app.clock.advance(60_000);
  await app.drain();
  const alerts = app.app.database.db.selectFrom('integrity_alert').select(['created_at', 'looked_at']);
  const { created_at, looked_at } = await alerts.executeTakeFirstOrThrow();
  expect(looked_at).toBeGreaterThan(created_at);
});

test('a repair writes only to objects that the database assigns to the file', async () => {
  await using ground = await begin();
  const { app, root, bytes, sealed } = ground;
  const [file] = [await sealed(), await sealed()];
  const { chunks } = await readManifest(app, file);
  const objects = app.app.database.db.updateTable('stored_object').set(eb => ({ size: eb('size', '+', 1) }));
  await objects.where('path', '=', chunks[1]?.storagePath ?? '').execute();
  const { id } = await check(root);
  const { ino } = await stat(await objectOf(app, file));
  const repaired = await root.call(api.repairIntegrityAlert, { params: { id } });
  expect(repaired).toMatchObject({ healedChunks: 0, damaged: [{ index: 1 }], alert: { status: 'PENDING' } });
  expect((await putChunk(root, id, 1, 'plain', cut(bytes, chunkBytes, 1))).status).toBe(422);
  expect((await stat(await objectOf(app, file))).ino).toBe(ino);
});

test('a damaged manifest cannot be repaired with bytes', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, sealed } = ground;
  await sealed();
  await app.app.database.db.updateTable('manifest').set(manifestOfText('{}')).execute();
  const { id } = await check(root);
  expect((await root.expectError(api.repairIntegrityAlert, { params: { id } })).kind).toBe('UNPROCESSABLE');
});
