// Integrity checks of files by level: detected damage, reads from the store, and outages.
import { rm } from 'node:fs/promises';
import * as api from '@recordproof/shared/api/integrity.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import {
  chunkBytes,
  fileBytes,
  findAt,
  flipByte,
  harms,
  listAlerts,
  objectOf,
  type Stored,
} from '../../../../test/support/integrity-world.ts';
import { exportProof, laptop } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { KeyProviderError } from '../../platform/crypto/envelope.ts';
import { withLease } from '../../platform/lock.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { ChainError } from '../chain/index.ts';
import { checkAlone } from './check-files.ts';

const everyChunk = { INTEGRITY_CHECK_HEAVY_SAMPLE_CHUNKS: '10000' };

async function begin(env: Readonly<Record<string, string>> = everyChunk) {
  const app = await startApp({ env });
  const alice = await app.person('alice');
  const root = await app.person('root', { role: 'admin' });
  let seed = 0;
  const store = async () => storeProxied(alice, await pattern(fileBytes, ++seed), { chunkSize: chunkBytes });
  return { app, alice, root, store, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const tenantOf = async ({ app }: TestApp) =>
  (await app.database.db.selectFrom('file').select('tenant_id').executeTakeFirstOrThrow()).tenant_id;

/** A check with a store that counts, or fails. */
async function checkWith(
  app: TestApp,
  level: api.CheckLevel,
  parts: Partial<Pick<Parameters<typeof checkAlone>[0], 'objects' | 'records' | 'keyProviders'>>,
) {
  const call = localCall('test', await tenantOf(app), app.clock.now());
  const input = { level, sampleRate: 1, signal: new AbortController().signal };
  return checkAlone({ ...app.app.server, ...parts }, call, input);
}

function countReads({ app }: TestApp) {
  const { objects } = app.server;
  const counted = { heads: 0, bytes: 0 };
  const counting = {
    findHead: (key: string) => {
      counted.heads += 1;
      return objects.findHead(key);
    },
    digest: async (key: string, signal?: AbortSignal) => {
      const digested = await objects.digest(key, signal);
      counted.bytes += digested.size;
      return digested;
    },
    get: async (...read: Parameters<typeof objects.get>) => {
      const got = await objects.get(...read);
      counted.bytes += got.size;
      return got;
    },
  };
  return { counted, counting };
}

describe('damage is detected at the levels that cover it, and only in the damaged file', () => {
  let ground: Awaited<ReturnType<typeof begin>>;
  let whole: Stored;

  beforeAll(async () => {
    ground = await begin();
    whole = await ground.store();
  });
  afterAll(() => ground?.[Symbol.asyncDispose]());

  test.each(Object.entries(harms))('%s', { tags: 'long-on-postgres' }, async (_what, { hurt, found, inOther }) => {
    const { app, root, store } = ground;
    const [file, other] = [await store(), await store()];
    await hurt(app, file, other);
    for (const [nth, level] of api.checkLevels.entries()) {
      expect([level, await findAt(app, root, level, file.fileId)]).toEqual([level, found[nth]]);
      expect([level, await findAt(app, root, level, other.fileId)]).toEqual([level, inOther?.[nth] ?? []]);
      expect(await findAt(app, root, level, whole.fileId)).toEqual([]);
    }
  });
});

test.each([
  ['a signature that was changed', 'proof', { signature: 'AAAA' }],
  ['another content hash in the file record', 'file', { content_hash: `sha256:${'0'.repeat(64)}` }],
] as const)(
  'a proof that does not match the stored evidence is found: %s',
  { tags: 'long-on-postgres' },
  async (_what, table, change) => {
    await using ground = await begin({ ...everyChunk, ...laptop });
    const { app, alice, root, store } = ground;
    const [{ fileId }, other] = [await store(), await store()];
    await app.drain();
    for (const file of [fileId, other.fileId]) await exportProof(alice, file);
    const column = table === 'proof' ? 'file_id' : 'id';
    const { db } = app.app.database;
    await db.updateTable(table).set(change).where(column, '=', Number(fileId)).execute();
    expect(await findAt(app, root, 'MEDIUM', fileId)).toEqual([]);
    for (const level of ['HEAVY', 'FULL'] as const) {
      expect(await findAt(app, root, level, fileId)).toEqual(['MANIFEST_INVALID']);
      expect(await findAt(app, root, level, other.fileId)).toEqual([]);
    }
  },
);

test.each(['UNAVAILABLE', 'INVALID_RESPONSE'] as const)(
  'a key provider that does not answer properly is an error and raises no alert: %s',
  { tags: 'long-on-postgres' },
  async category => {
    await using ground = await begin();
    const { app, root, store } = ground;
    await store();
    const unwrap = async () => {
      throw new KeyProviderError(category, 'the key service does not answer properly');
    };
    const keyProviders = app.app.server.keyProviders.map(provider => ({ ...provider, unwrap }));
    const counts = { totalChecked: 1, mismatchesFound: 0, errorsEncountered: 1 };
    expect(await checkWith(app, 'HEAVY', { keyProviders })).toMatchObject(counts);
    expect(await listAlerts(root)).toEqual([]);
  },
);

test('LIGHTWEIGHT and MEDIUM read no bytes of objects, and HEAVY at most its maximum', {
  tags: 'long-on-postgres',
}, async () => {
  await using ground = await begin({
    ...everyChunk,
    INTEGRITY_CHECK_HEAVY_MAX_DOWNLOAD_BYTES: String(2 * chunkBytes + 1000),
  });
  const { app, store } = ground;
  for (let nth = 0; nth < 4; nth += 1) await store();
  for (const level of ['LIGHTWEIGHT', 'MEDIUM'] as const) {
    const { counted, counting } = countReads(app);
    expect(await checkWith(app, level, { objects: counting })).toMatchObject({ totalChecked: 4, mismatchesFound: 0 });
    expect(counted).toEqual({ heads: 12, bytes: 0 });
  }
  const { counted, counting } = countReads(app);
  await checkWith(app, 'HEAVY', { objects: counting });
  expect(counted.heads).toBe(12);
  expect(counted.bytes).toBeGreaterThan(4 * chunkBytes);
  expect(counted.bytes).toBeLessThanOrEqual(4 * (2 * chunkBytes + 1000));
});

test('HEAVY reads one chunk of each file by default', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin({});
  const { app, store } = ground;
  await store();
  const { counted, counting } = countReads(app);
  await checkWith(app, 'HEAVY', { objects: counting });
  expect(counted.bytes).toBeGreaterThan(0);
  expect(counted.bytes).toBeLessThan(1.5 * chunkBytes);
});

test('an unavailable store or chain is an error and raises no alert', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  await store();
  await store();
  const away = async () => {
    throw new ObjectStoreError('UNAVAILABLE', 'nobody answers');
  };
  const objects = { findHead: away, digest: away, get: away };
  const errors = { totalChecked: 2, mismatchesFound: 0, errorsEncountered: 2 };
  expect(await checkWith(app, 'HEAVY', { objects })).toEqual({ ...errors, level: 'HEAVY' });
  const findRecord = async () => {
    throw new ChainError('UNREACHABLE', 'nobody answers');
  };
  const records = { ...app.app.server.records, findRecord };
  expect(await checkWith(app, 'HEAVY', { records })).toEqual({ ...errors, level: 'HEAVY' });
  expect(await listAlerts(root)).toEqual([]);
});

test('damaged objects are reported while the chain is unavailable', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  await flipByte(await objectOf(app, await store()), 500);
  const findRecord = async () => {
    throw new ChainError('UNREACHABLE', 'nobody answers');
  };
  const records = { ...app.app.server.records, findRecord };
  const result = { totalChecked: 1, mismatchesFound: 1, errorsEncountered: 1, level: 'HEAVY' };
  expect(await checkWith(app, 'HEAVY', { records })).toEqual(result);
  expect((await listAlerts(root)).map(({ alertType }) => alertType)).toEqual(['CONTENT_HASH_MISMATCH']);
});

test('a missing record is reported while objects cannot be read', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  await store();
  const away = async () => {
    throw new ObjectStoreError('UNAVAILABLE', 'nobody answers');
  };
  const objects = { findHead: away, digest: away, get: away };
  const records = { ...app.app.server.records, findRecord: async () => null };
  const result = { totalChecked: 1, mismatchesFound: 1, errorsEncountered: 1, level: 'HEAVY' };
  expect(await checkWith(app, 'HEAVY', { objects, records })).toEqual(result);
  expect((await listAlerts(root)).map(({ alertType }) => alertType)).toEqual(['CHAIN_NOT_FOUND']);
});

test('damage found before the store became unavailable is reported', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  const file = await store();
  await rm(await objectOf(app, file, 0));
  const { objects } = app.app.server;
  let heads = 0;
  const findHead = async (key: string) => {
    heads += 1;
    if (heads > 1) throw new ObjectStoreError('UNAVAILABLE', 'nobody answers');
    return objects.findHead(key);
  };
  const digest = (key: string, signal?: AbortSignal) => objects.digest(key, signal);
  const get: typeof objects.get = (...read) => objects.get(...read);
  const result = await checkWith(app, 'LIGHTWEIGHT', { objects: { findHead, digest, get } });
  expect(result).toMatchObject({ mismatchesFound: 1, errorsEncountered: 1 });
  expect((await listAlerts(root)).map(({ alertType }) => alertType)).toEqual(['OBJECT_NOT_FOUND']);
});

test('a scheduled check that finds the lock of a dead server is retried when the lock expires', async () => {
  await using ground = await begin({ INTEGRITY_CHECK_SAMPLE_RATE: '1' });
  const { app, store } = ground;
  await store();
  const { db } = app.app.database;
  const checks = async () => {
    const rows = db.selectFrom('audit_log').select('id').where('module', '=', 'integrity');
    return (await rows.where('operation_type', '=', 'check').execute()).length;
  };
  await app.drain(); // the schedule becomes known
  const untilTwo = 14 * 3600_000;
  const lock = { name: `integrity ${await tenantOf(app)}`, fence: 7 };
  await db
    .insertInto('lease_lock')
    .values({ ...lock, due_at: app.clock.now() + untilTwo + 110_000 })
    .execute();
  app.clock.advance(untilTwo + 60_000);
  await app.drain();
  expect(await checks()).toBe(0);
  app.clock.advance(60_000);
  await app.drain();
  expect(await checks()).toBe(1);
});

test('an unresolved alert is neither raised nor notified again by concurrent checks and downloads', async () => {
  await using ground = await begin();
  const { app, alice, root, store } = ground;
  const file = await store();
  await flipByte(await objectOf(app, file), 500);
  const check = () => checkWith(app, 'HEAVY', {});
  const read = async () => (await alice.fetch(`/api/v1/files/${file.fileHash}/download`)).arrayBuffer();
  await Promise.allSettled([check(), read(), read(), check(), read()]);
  await app.drain();
  await check();
  const [alert, ...others] = await listAlerts(root);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ alertType: 'CONTENT_HASH_MISMATCH', severity: 'CRITICAL', status: 'PENDING' });
  const told = app.app.database.db.selectFrom('event').select('payload').where('type', '=', 'INTEGRITY_ALERT');
  expect(await told.execute()).toHaveLength(1);
});

test('a tenant has one check at a time, and does not block other tenants', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  await store();
  const eve = await app.person('eve', { role: 'admin', tenant: 'other' });
  const { database, clock } = app.app.server;
  const lock = { db: database.db, engine: database.kind, clock };
  await withLease(lock, `integrity ${await tenantOf(app)}`, { leaseSeconds: 60 }, async () => {
    const rejected = await root.expectError(api.checkIntegrity, { body: {} });
    expect(rejected).toMatchObject({ kind: 'CONFLICT', message: expect.stringContaining('or its server stopped') });
    expect(rejected.retryAfterSeconds).toBeGreaterThan(50);
    expect(rejected.retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(await eve.call(api.checkIntegrity, { body: {} })).toMatchObject({ totalChecked: 0 });
  });
  const answers = await Promise.allSettled([1, 2, 3].map(() => root.call(api.checkIntegrity, { body: {} })));
  const done = answers.filter(({ status }) => status === 'fulfilled');
  expect(done.length).toBeGreaterThan(0);
  for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason.kind).toBe('CONFLICT');
  expect(await root.call(api.checkIntegrity, { body: {} })).toEqual({
    totalChecked: 1,
    mismatchesFound: 0,
    errorsEncountered: 0,
    level: 'HEAVY',
  });
});

test('missing files and files of another tenant cannot be checked', { tags: 'long-on-postgres' }, async () => {
  await using ground = await begin();
  const { app, root, store } = ground;
  const { fileId } = await store();
  const eve = await app.person('eve', { role: 'admin', tenant: 'other' });
  for (const [person, id] of [
    [root, '999999'],
    [eve, fileId],
  ] as const)
    expect((await person.expectError(api.checkIntegrity, { body: { fileId: id } })).kind).toBe('FILE_NOT_EXIST');
});
