// Census and sweep of stored objects: unreferenced objects, conditions of a mark, and deletion after protection.
import { randomBytes } from 'node:crypto';
import { changeFileStatus } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Person, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { engines } from '../../../../test/support/engines.ts';
import { holdHeartbeats, openGate, until } from '../../../../test/support/heartbeats.ts';
import { importText } from '../../../../test/support/legacy-world.ts';
import { readManifestText, writeManifestText } from '../../../../test/support/manifest-text.ts';
import { leaveOrphan, type Orphan } from '../../../../test/support/orphans.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { completeDirect, sendDirect, sendFile, sendProxied, storeProxied } from '../../../../test/support/uploads.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { shareHolds } from '../stored-objects/index.ts';

const switches = { SWEEP_MARK_ENABLED: 'true', SWEEP_DELETE_ENABLED: 'true' };
const dayMs = 24 * 3600_000;

async function begin(start: StartApp, env: Readonly<Record<string, string>> = switches) {
  const app = await start({ env });
  const alice = await app.person('alice');
  const root = await app.person('root', { role: 'admin' });
  const { tenant_id: tenantId } = await app.app.database.db
    .selectFrom('account')
    .select('tenant_id')
    .executeTakeFirstOrThrow();
  const orphan = (where?: Parameters<typeof leaveOrphan>[2]) => leaveOrphan(app.app.server.objects, tenantId, where);
  return { app, alice, root, tenantId, orphan, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function census(app: TestApp, root: Person): Promise<api.Census> {
  const { censusId } = await root.call(api.takeCensus);
  await app.drain();
  return root.call(api.getCensus, { params: { censusId } });
}

/** A census stops before it lists the store, until it is let go. */
function holdCensus({ app }: TestApp) {
  const gate = openGate();
  const { objects } = app.server;
  const list = objects.list.bind(objects);
  objects.list = async function* (...args) {
    await gate.pass();
    yield* list(...args);
  };
  return gate;
}

/** The session is renewed: it does not outlast the protection window. */
async function pass(app: TestApp, root: Person, milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  await app.drain();
  await root.login('root', testPassword);
}

const mark = (root: Person, { storagePath, cipherHash }: Orphan) =>
  root.call(api.markObject, { body: { storagePath, cipherHash } });

async function readMark(root: Person, path: string): Promise<api.SweepMark | undefined> {
  const { records } = await root.call(api.listMarks);
  return records.find(({ storagePath }) => storagePath === path);
}

const isThere = async ({ app }: TestApp, { storagePath }: Orphan) =>
  (await app.server.objects.findHead(storagePath)) !== null;

async function candidatesOf(root: Person, { censusId }: api.Census): Promise<string[]> {
  const { records } = await root.call(api.listCandidates, { params: { censusId } });
  return records.map(({ storagePath }) => storagePath).sort();
}

eachApp(start => {
  test('listing a census replaced by a later one returns 409', async () => {
    await using world = await begin(start);
    const first = await census(world.app, world.root);
    await census(world.app, world.root);
    for (const list of [api.listCandidates, api.listUnknownHolds])
      expect((await world.root.expectError(list, { params: { censusId: first.censusId } })).status).toBe(409);
  });

  test('a census lists unreferenced objects at every storage path, with the same result each time', async () => {
    await using world = await begin(start);
    const { app, alice, root, orphan } = world;
    const { data } = await sendFile(alice, randomBytes(1000), 'short.txt');
    await storeProxied(alice, randomBytes(5000), { chunkSize: 2000 });
    await completeDirect(alice, (await sendDirect(alice, randomBytes(5000), { chunkSize: 2000 })).clientId);
    await sendProxied(alice, randomBytes(4000), { chunkSize: 2000 }); // never completed
    await app.drain();
    const empty = await census(app, root);
    expect(empty).toMatchObject({ state: 'COMPLETED', unreferencedCount: 0, unknownHoldCount: 0, foreignCount: 0 });
    expect(empty.knownReferenceCount).toBe(7);
    const left = [await orphan(), await orphan('short'), await orphan('staging')];
    const first = await census(app, root);
    expect(first).toMatchObject({ unreferencedCount: 3, unreferencedBytes: 300, phase: 'DONE' });
    expect(first.objectCount).toBe(empty.objectCount + 3);
    expect(await candidatesOf(root, first)).toEqual(left.map(({ storagePath }) => storagePath).sort());
    const second = await census(app, root);
    expect(second.censusDigest).toBe(first.censusDigest);
    expect(second.censusDigest).not.toBe(empty.censusDigest);
    expect(data.fileId).toBeDefined();
  });

  test('a marked object is deleted after its protection window and another census, with audit entries', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await begin(start);
    const { app, root, orphan } = world;
    const left = [await orphan(), await orphan('short')];
    await census(app, root);
    const made = await Promise.all(left.flatMap(each => [mark(root, each), mark(root, each)]));
    expect(new Set(made.map(({ markId }) => markId)).size).toBe(2);
    await pass(app, root, 30 * dayMs - 3600_000);
    for (const each of left) expect(await isThere(app, each)).toBe(true);
    await pass(app, root, 3600_000);
    for (const each of left) {
      expect(await isThere(app, each)).toBe(false);
      expect(await readMark(root, each.storagePath)).toMatchObject({ state: 'DELETED', reason: 'UNREFERENCED' });
    }
    const rows = await app.app.database.db
      .selectFrom('audit_log')
      .select('operation_type')
      .where('module', '=', 'sweep')
      .orderBy('id')
      .execute();
    const operations = rows.map(row => row.operation_type);
    expect(operations).toEqual([
      ...['take-census', 'end-census', 'mark-object', 'mark-object'],
      ...['take-census', 'end-census', 'end-mark', 'end-mark'],
    ]);
    const metrics = parseMetrics(await (await root.fetch('/actuator/prometheus')).text());
    const samples = new Map([...metrics.values()].flatMap(family => [...family.samples]));
    expect(samples.get('app_sweep_marks_total{state="DELETED"}')).toBe(2);
    expect(samples.get('app_sweep_deleted_bytes_total')).toBe(200);
    expect(await root.call(api.getSweepStatus)).toMatchObject({ marks: { marked: 0, deleted: 2 } });
  });

  test('referenced objects, and those with another hash, tenant or census, cannot be marked', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await begin(start);
    const { app, alice, root, orphan } = world;
    await storeProxied(alice, randomBytes(1000));
    const [left, late] = [await orphan(), await orphan()];
    const rejected = async (person: Person, body: Partial<Orphan>) =>
      (await person.expectError(api.markObject, { body: { ...left, ...body } })).kind;
    expect(await rejected(root, {})).toBe('RUN_STATE_CONFLICT');
    await census(app, root);
    const kept = await app.app.database.db.selectFrom('stored_object').selectAll().executeTakeFirstOrThrow();
    expect(await rejected(root, { storagePath: kept.path, cipherHash: `sha256:${kept.sha256}` })).toBe(
      'RESULT_DATA_NONE',
    );
    expect(await rejected(root, { storagePath: 'ledger/checkpoint' })).toBe('RESULT_DATA_NONE');
    expect(await rejected(root, { cipherHash: `sha256:${'0'.repeat(64)}` })).toBe('DATA_IS_WRONG');
    const eve = await app.person('eve', { role: 'admin', tenant: 'other' });
    await census(app, eve);
    expect(await rejected(eve, {})).toBe('RESULT_DATA_NONE');
    await app.app.server.objects.delete(late.storagePath);
    expect(await rejected(root, late)).toBe('RUN_STATE_CONFLICT');
    expect((await alice.expectError(api.takeCensus)).status).toBe(403);
    await app.app.server.objects.delete(left.storagePath);
  });

  test('objects at paths without a tenant are ignored if there are two tenants', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await begin(start);
    const { app, root, orphan } = world;
    await app.person('eve', { role: 'admin', tenant: 'other' });
    const left = [await orphan(), await orphan('short'), await orphan('staging')];
    expect(await candidatesOf(root, await census(app, root))).toEqual([left[0]?.storagePath]);
    for (const { storagePath } of left) await app.app.server.objects.delete(storagePath);
  });

  test('a file with an unreadable manifest blocks marks and deletions', { tags: 'long-on-postgres' }, async () => {
    await using world = await begin(start);
    const { app, alice, root, orphan } = world;
    const left = await orphan();
    await census(app, root);
    await mark(root, left);
    const { fileId, fileHash } = await storeProxied(alice, randomBytes(1000));
    const { db } = app.app.database;
    const text = await readManifestText(db, fileId);
    await writeManifestText(db, fileId, '{');
    await pass(app, root, 31 * dayMs);
    expect(await readMark(root, left.storagePath)).toMatchObject({ state: 'MARKED', reason: 'UNKNOWN_HOLDS' });
    const blocked = await census(app, root);
    expect(blocked.unknownHoldCount).toBe(1);
    const { censusId } = blocked;
    const listHolds = async () => (await root.call(api.listUnknownHolds, { params: { censusId } })).records;
    const hold = { fileId, fileHash, ownerName: 'alice', reason: 'MANIFEST_UNREADABLE' };
    expect(await listHolds()).toMatchObject([{ ...hold, hint: expect.stringContaining('restore its manifest') }]);
    await root.call(changeFileStatus, { params: { hash: fileHash }, body: { status: fileStatus.DELETE } });
    expect(await listHolds()).toMatchObject([{ ...hold, hint: expect.stringContaining('retention') }]);
    await root.call(changeFileStatus, { params: { hash: fileHash }, body: { status: fileStatus.SUCCESS } });
    const other = await orphan();
    expect((await root.expectError(api.markObject, { body: other })).kind).toBe('RUN_STATE_CONFLICT');
    await writeManifestText(db, fileId, text);
    await pass(app, root, 2 * 3600_000);
    expect(await readMark(root, left.storagePath)).toMatchObject({ state: 'DELETED' });
    expect(await isThere(app, other)).toBe(true);
    await app.app.server.objects.delete(other.storagePath);
  });

  test('a marked object that is held or changed later is retained', async () => {
    await using world = await begin(start);
    const { app, alice, root, tenantId, orphan } = world;
    const { database, objects } = app.app.server;
    const { fileId } = await storeProxied(alice, randomBytes(1000));
    const [changed, gone, held] = [await orphan(), await orphan(), await orphan()];
    // A row that nobody holds, as a restored database may have it.
    const noted = await database.db
      .insertInto('stored_object')
      .values({
        tenant_id: tenantId,
        sha256: held.cipherHash.slice(7),
        size: held.size,
        path: held.storagePath,
        state: 'LIVE',
        due_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await census(app, root);
    for (const each of [changed, gone, held]) await mark(root, each);
    await objects.put(changed.storagePath, [Buffer.from('other bytes')]);
    await objects.delete(gone.storagePath);
    await database.db
      .insertInto('object_hold')
      .values({ object_id: noted.id, tenant_id: tenantId, holder: `file:${fileId}` })
      .execute();
    await pass(app, root, 31 * dayMs);
    expect(await readMark(root, changed.storagePath)).toMatchObject({ state: 'RETAINED', reason: 'OBJECT_CHANGED' });
    expect(await readMark(root, gone.storagePath)).toMatchObject({ state: 'DELETED', reason: 'ALREADY_GONE' });
    expect(await readMark(root, held.storagePath)).toMatchObject({ state: 'RETAINED', reason: 'REFERENCED' });
    expect(await isThere(app, held)).toBe(true);
    await objects.delete(changed.storagePath);
  });

  test('a marked object named by a record imported after the last census is retained', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await begin(start);
    const { app, root, orphan } = world;
    const left = await orphan();
    await census(app, root);
    await mark(root, left);
    await pass(app, root, 30 * dayMs - 60_000);
    expect(await census(app, root)).toMatchObject({ unknownHoldCount: 0, unreferencedCount: 1 });
    const { storagePath, cipherHash: contentHash, size } = left;
    const chunks = [{ index: 0, storagePath, size }];
    const record = {
      fileHash: 'ab'.repeat(32),
      contentHash,
      fileName: 'old.txt',
      fileSize: size,
      chunkSize: size,
      chunks,
    };
    const line = { ...record, owner: 'alice' };
    expect(await importText(app, `${JSON.stringify(line)}\n`)).toMatchObject({ imported: 1 });
    await pass(app, root, 120_000);
    expect(await readMark(root, storagePath)).toMatchObject({ state: 'RETAINED', reason: 'REFERENCED' });
    expect(await isThere(app, left)).toBe(true);
  });

  test('an object named by a manifest is retained, with or without a row', async () => {
    await using world = await begin(start);
    const { app, alice, root } = world;
    const { fileId } = await storeProxied(alice, randomBytes(1000));
    const { db } = app.app.database;
    const holds = await db.selectFrom('object_hold').selectAll().where('holder', '=', `file:${fileId}`).execute();
    const [object] = await db.selectFrom('stored_object').selectAll().execute();
    await db.deleteFrom('object_hold').where('holder', '=', `file:${fileId}`).execute();
    expect(await census(app, root)).toMatchObject({ knownReferenceCount: 1, unreferencedCount: 0 });
    await db.deleteFrom('stored_object').execute();
    expect(await census(app, root)).toMatchObject({ knownReferenceCount: 1, unreferencedCount: 0 });
    if (object) await db.insertInto('stored_object').values(object).execute();
    await db.insertInto('object_hold').values(holds).execute();
  });

  test('marking and deleting are disabled by their settings', { tags: 'long-on-postgres' }, async () => {
    const folderless = { SWEEP_MARK_ENABLED: 'true', SWEEP_PROTECTION_WINDOW_DAYS: '0' };
    await using world = await begin(start, folderless);
    const { app, root, orphan } = world;
    const left = await orphan();
    await census(app, root);
    await mark(root, left);
    await pass(app, root, 31 * dayMs);
    expect(await readMark(root, left.storagePath)).toMatchObject({ state: 'MARKED', attempts: 0 });
    await app.app.server.objects.delete(left.storagePath);
    await using off = await begin(start, {});
    expect(await off.root.expectError(api.markObject, { body: left })).toMatchObject({
      kind: 'PERMISSION_UNAUTHORIZED',
      status: 403,
    });
    expect(await off.root.call(api.getSweepStatus)).toMatchObject({ markEnabled: false, deleteEnabled: false });
  });

  test('a failing store is retried after thirty seconds and a minute, three attempts in total', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await begin(start);
    const { app, root, orphan } = world;
    const left = await orphan();
    await census(app, root);
    await mark(root, left);
    const { objects } = app.app.server;
    const remove = objects.delete.bind(objects);
    objects.delete = async (key: string) => {
      if (key === left.storagePath) throw new ObjectStoreError('UNAVAILABLE', 'nobody answers');
      return remove(key);
    };
    app.clock.advance(30 * dayMs);
    for (const [attempts, waitSeconds] of [
      [1, 30],
      [2, 60],
    ] as const) {
      const before = app.clock.now();
      await pass(app, root, 0);
      const reason = 'STORE_FAILED';
      expect(await readMark(root, left.storagePath)).toMatchObject({ state: 'MARKED', reason, attempts });
      const row = app.app.database.db.selectFrom('sweep_mark').select('due_at');
      const { due_at } = await row.executeTakeFirstOrThrow();
      expect(due_at).toBeGreaterThan(before + waitSeconds * 1000);
      expect(due_at).toBeLessThan(app.clock.now() + waitSeconds * 1000);
      app.clock.advance(waitSeconds * 1000 + 60_000);
    }
    await pass(app, root, 0);
    expect(await readMark(root, left.storagePath)).toMatchObject({ state: 'FAILED', attempts: 3 });
    objects.delete = remove;
  });

  test('a slow deletion renews its lease beside fast ones, and finished marks are not modified', async () => {
    await using world = await begin(start);
    const { app, root, orphan } = world;
    const [slow, ...fast] = [await orphan(), await orphan(), await orphan()];
    await census(app, root);
    for (const each of [slow, ...fast]) await mark(root, each);
    const gate = openGate();
    const { objects } = app.app.server;
    const remove = objects.delete.bind(objects);
    objects.delete = async (key: string) => {
      if (key === slow.storagePath) await gate.pass();
      return remove(key);
    };
    const rows = app.app.database.db.selectFrom('sweep_mark').selectAll().orderBy('id');
    app.clock.advance(30 * dayMs);
    using heartbeats = holdHeartbeats();
    const sweeping = app.drain();
    await gate.reached;
    await until(async () => (await rows.execute()).filter(({ state }) => state === 'DELETED').length === 2);
    for (let beat = 1; beat <= 3; beat += 1) {
      const renewedUntil = app.clock.now() + 170_000;
      heartbeats.pass(app.clock, 50_000);
      await until(async () => ((await rows.execute())[0]?.due_at ?? 0) >= renewedUntil);
    }
    const ended = { state: 'DELETED', due_at: null, fence: 2 };
    expect(await rows.execute()).toMatchObject([{ state: 'MARKED', fence: 1 }, ended, ended]);
    gate.open();
    await sweeping;
    expect(await rows.execute()).toMatchObject([ended, ended, ended]);
  });

  test('concurrent requests start one census, and copies made meanwhile are seen', async () => {
    await using world = await begin(start);
    const { app, alice, root, tenantId } = world;
    const { fileId } = await storeProxied(alice, randomBytes(1000));
    const { database } = app.app.server;
    const gate = holdCensus(app); // none ends while others still ask
    const asked = await Promise.all([1, 2, 3, 4].map(() => root.call(api.takeCensus)));
    expect(new Set(asked.map(({ censusId }) => censusId)).size).toBe(1);
    await database.db
      .transaction()
      .execute(tx =>
        shareHolds(tx, database.kind, { tenantId, from: `file:${fileId}`, to: `file:${Number(fileId) + 1000}` }),
      );
    gate.open();
    await app.drain();
    const [{ censusId } = { censusId: '' }] = asked;
    expect(await root.call(api.getCensus, { params: { censusId } })).toMatchObject({
      state: 'COMPLETED',
      knownReferenceCount: 1,
    });
  });

  test.runIf(engines.includes('postgres'))('a request at the very end of a census starts another one', async () => {
    await using world = await begin(start);
    const { app, root } = world;
    const gate = holdCensus(app);
    const { database } = app.app;
    const first = await root.call(api.takeCensus);
    await gate.reached;
    await sql`create function end_census() returns trigger language plpgsql as $$ begin
      update sweep_census set state = 'FAILED', completed_at = moved_at where id = ${sql.lit(Number(first.censusId))};
      return null; end $$`.execute(database.db);
    await sql`create trigger end_census after insert on sweep_census execute function end_census()`.execute(
      database.db,
    );
    const next = await root.call(api.takeCensus);
    expect(next).toMatchObject({ state: 'RUNNING' });
    expect(next.censusId).not.toBe(first.censusId);
    gate.open();
    await app.drain();
  });

  test('a census whose store stays unreachable ends as FAILED after its attempts, and the next one completes', {
    tags: 'long',
  }, async () => {
    await using world = await begin(start);
    const { app, root } = world;
    const { objects } = app.app.server;
    const list = objects.list.bind(objects);
    objects.list = () => {
      throw new ObjectStoreError('UNAVAILABLE', 'no answer');
    };
    const { censusId } = await root.call(api.takeCensus);
    const read = () => app.app.database.db.selectFrom('sweep_census').select('state').executeTakeFirstOrThrow();
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      expect(await read()).toMatchObject({ state: 'RUNNING' });
      await app.drain();
      app.clock.advance(400_000);
    }
    await root.login('root', testPassword);
    const failed = await root.call(api.getCensus, { params: { censusId } });
    expect(failed).toMatchObject({ state: 'FAILED', censusDigest: null, completedAt: expect.any(String) });
    const operations = app.app.database.db.selectFrom('audit_log').select('operation_type');
    const rows = await operations.where('module', '=', 'sweep').orderBy('id').execute();
    expect(rows.map(row => row.operation_type)).toEqual(['take-census', 'end-census']);
    objects.list = list;
    expect(await census(app, root)).toMatchObject({ state: 'COMPLETED' });
    const metrics = parseMetrics(await (await root.fetch('/actuator/prometheus')).text());
    const samples = metrics.get('app_sweep_census_total')?.samples;
    expect(samples?.get('app_sweep_census_total{state="FAILED"}')).toBe(1);
    expect(samples?.get('app_sweep_census_total{state="COMPLETED"}')).toBe(1);
  });
});
