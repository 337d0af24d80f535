// Key rotation runs: policy, dry run, pause and resumption, concurrent workers, and retirement of the old key.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { holdHeartbeats, openGate, until } from '../../../../test/support/heartbeats.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import {
  beginRotation as begin,
  download,
  rotating as enabled,
  listEnvelopes,
  listItems,
  masterKeysOf as masterKeys,
  readRotation as read,
  toLocal,
} from '../../../../test/support/rotations.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import { workOnRun } from './work-run.ts';

/** A tenant with files under master key 1, where 2 wraps by now. */
async function openWorld(start: StartApp, files = 3, env: Readonly<Record<string, string>> = enabled) {
  const app = await start({ env });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const stored = new Map<string, Buffer>();
  for (let count = 0; count < files; count += 1) {
    const bytes = randomBytes(500);
    stored.set((await storeProxied(ada, bytes)).fileHash, bytes);
  }
  await (await masterKeys(app)).addVersion();
  return { app, ada, root, stored, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const pick = ({ id, contract, operations, algorithms }: KeyProvider) => ({ id, contract, operations, algorithms });

/** What is stored of the files themselves: name and digest of every object. */
async function digestObjects({ config }: TestApp): Promise<string[]> {
  if (config.objects.kind !== 'disk') throw new Error('these tests keep their objects on disk');
  const entries = await readdir(config.objects.folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(entry => entry.isFile() && entry.name.startsWith('tenant-'))
    .map(entry => join(entry.parentPath, entry.name));
  const digest = async (path: string) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  return (await Promise.all(paths.map(async path => `${await digest(path)} ${path}`))).sort();
}

eachApp(start => {
  test('every envelope is wrapped by the new key, and files download without the old one', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, ada, root, stored } = world;
    const policy = await root.call(api.putKeyRotationPolicy, toLocal('2'));
    expect(policy).toMatchObject({ policyVersion: 1, provider: 'local', providerKeyVersion: '2' });
    expect(policy.retirement).toMatchObject({ state: 'NOT_READY', reason: 'NO_APPLY_RUN' });
    await app.drain();
    const objects = await digestObjects(app);
    const run = await begin(root, 'APPLY');
    expect(run.status).toBe('PLANNED');
    await app.drain();
    expect(objects).toHaveLength(3);
    expect(await digestObjects(app)).toEqual(objects);
    const done = await read(root, run);
    expect(done).toMatchObject({ status: 'COMPLETED', totalCount: 3, succeededCount: 3, remainingCount: 0 });
    const envelopes = await listEnvelopes(app);
    expect(envelopes.map(row => [row.status, row.provider_key_version, row.logical_key_version])).toEqual([
      ...Array.from({ length: 3 }, () => ['SUPERSEDED', '1', 1]),
      ...Array.from({ length: 3 }, () => ['ACTIVE', '2', 2]),
    ]);
    await (await masterKeys(app)).removeVersion('1');
    for (const [fileHash, bytes] of stored) expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
    const metrics = parseMetrics(await (await root.fetch('/actuator/prometheus')).text());
    expect(JSON.stringify([...metrics])).toContain('app_key_rotation_items_total');
  });

  test('a dry run counts envelopes, calls no key provider and changes no envelope', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, ada, root } = world;
    await storeProxied(ada, randomBytes(10));
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    const before = await listEnvelopes(app);
    const run = await begin(root, 'DRY_RUN');
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'COMPLETED', totalCount: 4, skippedCount: 1 });
    const outcomes = (await listItems(root, run)).map(item => item.outcome);
    expect(outcomes).toEqual([...Array.from({ length: 3 }, () => 'DRY_RUN_CANDIDATE'), 'DRY_RUN_ALREADY_TARGET']);
    expect(await listEnvelopes(app)).toEqual(before);
    const { retirement } = await root.call(api.getKeyRotationPolicy);
    expect(retirement.reason).toBe('NO_APPLY_RUN');
  });

  test('the old key is ready for retirement after the grace period, and the retirement is recorded once', async () => {
    await using world = await openWorld(start, 1);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    expect((await root.expectError(api.acknowledgeKeyRetirement)).kind).toBe('RUN_STATE_CONFLICT');
    await begin(root, 'APPLY');
    await app.drain();
    expect((await root.call(api.getKeyRotationPolicy)).retirement).toMatchObject({ reason: 'GRACE_PERIOD' });
    app.clock.advance(61_000);
    expect((await root.call(api.getKeyRotationPolicy)).retirement).toMatchObject({ state: 'READY', reason: null });
    const noted = await root.call(api.acknowledgeKeyRetirement);
    expect(noted.retirement.state).toBe('ACKNOWLEDGED');
    expect((await root.call(api.acknowledgeKeyRetirement)).retirement).toEqual(noted.retirement);
    await root.call(api.putKeyRotationPolicy, toLocal('2', { batchSize: 7 }));
    expect((await root.call(api.getKeyRotationPolicy)).retirement.reason).toBe('POLICY_CHANGED');
  });

  test('an identical policy adds no version and no audit entry, and keeps the retirement state', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start, 1);
    const { app, root } = world;
    const body = toLocal('2', { scheduleEnabled: true, scheduleIntervalSeconds: 3600 });
    const puts = Array.from({ length: 5 }, () => root.call(api.putKeyRotationPolicy, body));
    expect(new Set((await Promise.all(puts)).map(({ policyVersion }) => policyVersion))).toEqual(new Set([1]));
    await begin(root, 'APPLY');
    await app.drain();
    app.clock.advance(61_000);
    await root.call(api.acknowledgeKeyRetirement);
    const { db } = app.app.database;
    const readRow = () => db.selectFrom('key_rotation_policy').selectAll().executeTakeFirstOrThrow();
    const before = await readRow();
    const again = await root.call(api.putKeyRotationPolicy, body);
    expect(again).toMatchObject({ policyVersion: 1, scheduleEnabled: true, retirement: { state: 'ACKNOWLEDGED' } });
    expect(await readRow()).toEqual(before);
    const rows = await db.selectFrom('audit_log').select('id').where('operation_type', '=', 'put-policy').execute();
    expect(rows).toHaveLength(1);
    const unscheduled = toLocal('2', { scheduleEnabled: false, scheduleIntervalSeconds: 3600 });
    expect((await root.call(api.putKeyRotationPolicy, unscheduled)).policyVersion).toBe(2);
    expect((await root.call(api.putKeyRotationPolicy, body)).policyVersion).toBe(3);
  });

  test('a policy that does not match the provider of new files is rejected', { tags: 'long-on-postgres' }, async () => {
    await using world = await openWorld(start, 0);
    const { root } = world;
    for (const wrong of [toLocal('1'), toLocal('2', { expectedProvider: 'vault-transit' })])
      expect(await root.expectError(api.putKeyRotationPolicy, wrong)).toMatchObject({
        kind: 'UNPROCESSABLE',
        detail: { reason: 'PROVIDER_MISMATCH' },
      });
    expect((await root.expectError(api.putKeyRotationPolicy, toLocal('2', { maxBackoffSeconds: 1 }))).status).toBe(400);
    expect((await root.expectError(api.putKeyRotationPolicy, toLocal('2', { scheduleEnabled: true }))).status).toBe(
      400,
    );
    expect((await root.expectError(api.getKeyRotationPolicy)).kind).toBe('RESULT_DATA_NONE');
  });

  test('a repeated requestId returns the same run; other parameters or a second run are rejected', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start, 1, {});
    const { root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    const twenty = await Promise.all(Array.from({ length: 20 }, () => begin(root, 'APPLY', 'one')));
    expect(new Set(twenty.map(run => run.runId)).size).toBe(1);
    const other = { body: { mode: 'DRY_RUN', requestId: 'one' } } as const;
    expect((await root.expectError(api.startKeyRotation, other)).kind).toBe('REQUEST_ID_REUSED');
    const second = { body: { mode: 'DRY_RUN', requestId: 'two' } } as const;
    expect((await root.expectError(api.startKeyRotation, second)).kind).toBe('RUN_STATE_CONFLICT');
    await root.call(api.putKeyRotationPolicy, toLocal('2', { batchSize: 7 }));
    const late = { body: { mode: 'APPLY', requestId: 'one' } } as const;
    expect((await root.expectError(api.startKeyRotation, late)).kind).toBe('REQUEST_ID_REUSED');
  });

  test('a paused run can be resumed where it stopped; a cancelled run cannot', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2', { batchSize: 1, maxItemsPerMinute: 1 }));
    const run = await begin(root, 'APPLY');
    const params = { params: { runId: run.runId } };
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'RUNNING', succeededCount: 1, remainingCount: 2 });
    expect((await root.call(api.pauseKeyRotation, params)).status).toBe('PAUSED');
    app.clock.advance(600_000);
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'PAUSED', succeededCount: 1 });
    expect((await root.expectError(api.pauseKeyRotation, params)).kind).toBe('RUN_STATE_CONFLICT');
    expect((await root.call(api.resumeKeyRotation, params)).status).toBe('RUNNING');
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'RUNNING', succeededCount: 2 });
    expect((await root.call(api.cancelKeyRotation, params)).status).toBe('CANCELLED');
    app.clock.advance(600_000);
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'CANCELLED', succeededCount: 2, remainingCount: 1 });
    expect((await root.expectError(api.retryKeyRotation, params)).kind).toBe('RUN_STATE_CONFLICT');
  });

  test('two workers on one run process every item once, and a revoked envelope stays revoked', async () => {
    await using world = await openWorld(start, 12, {});
    const { app, root } = world;
    await root.call(
      api.putKeyRotationPolicy,
      toLocal('2', { batchSize: 2, maxItemsPerMinute: 60_000, leaseSeconds: 3600 }),
    );
    const run = await begin(root, 'APPLY');
    const { db } = app.app.database;
    const revoked = (await listEnvelopes(app))[5];
    const server = app.app.server;
    const { tenant_id: tenantId, id: runId } = await db
      .selectFrom('key_rotation_run')
      .selectAll()
      .executeTakeFirstOrThrow();
    const work = async () => {
      for (let until = 0 as number | null; until !== null; ) {
        until = await workOnRun(server, { tenantId, runId }, new AbortController().signal);
        app.clock.advance(50);
        await setImmediate(); // lets the other one go on
      }
    };
    const revoking = db
      .updateTable('envelope')
      .set({ status: 'REVOKED' })
      .where('id', '=', revoked?.id ?? 0)
      .execute();
    await Promise.all([work(), work(), revoking]);
    const items = await listItems(root, run);
    const envelopes = await listEnvelopes(app);
    const active = envelopes.filter(row => row.status === 'ACTIVE');
    const skipped = items.filter(item => item.outcome === 'SKIPPED_REVOKED').length;
    expect(items.every(item => item.attempts === 1 || item.outcome !== 'SUCCEEDED')).toBe(true);
    expect(active.every(row => row.provider_key_version === '2')).toBe(true);
    expect(new Set(active.map(row => row.file_id)).size).toBe(active.length);
    expect(await read(root, run)).toMatchObject({ status: 'COMPLETED', skippedCount: skipped, remainingCount: 0 });
    expect(envelopes.find(row => row.id === revoked?.id)?.status).toBe('REVOKED');
  });

  test('items claimed by a lost server are processed by another after the lease', async () => {
    await using world = await openWorld(start, 2);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2', { batchSize: 1, maxItemsPerMinute: 1, leaseSeconds: 120 }));
    const run = await begin(root, 'APPLY');
    await app.drain();
    const { db } = app.app.database;
    const lost = {
      status: 'RUNNING',
      claim: 'another server',
      attempts: 1,
      due_at: app.clock.now() + 120_000,
    } as const;
    await db.updateTable('key_rotation_item').set(lost).where('status', '=', 'PENDING').execute();
    app.clock.advance(100_000);
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'RUNNING', remainingCount: 1 });
    app.clock.advance(21_000);
    await app.drain();
    expect(await read(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 2 });
  });

  test('a slow envelope renews the lease of its batch, and no item is claimed again', async () => {
    await using world = await openWorld(start, 3, {});
    const { app, root, stored } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2', { batchSize: 10, leaseSeconds: 120 }));
    const run = await begin(root, 'APPLY');
    const gate = openGate();
    const slow = (provider: KeyProvider): KeyProvider => ({
      ...pick(provider),
      activeKeyVersion: () => provider.activeKeyVersion(),
      wrap: (dataKey, binding) => provider.wrap(dataKey, binding),
      unwrap: async (wrapped, binding) => {
        await gate.pass();
        return provider.unwrap(wrapped, binding);
      },
    });
    const server = { ...app.app.server, keyProviders: app.app.server.keyProviders.map(slow) };
    const { db } = app.app.database;
    const items = db.selectFrom('key_rotation_item').selectAll();
    const { tenant_id: tenantId, id: runId } = await db
      .selectFrom('key_rotation_run')
      .selectAll()
      .executeTakeFirstOrThrow();
    const work = () => workOnRun(server, { tenantId, runId }, new AbortController().signal);
    using heartbeats = holdHeartbeats();
    const first = work();
    await gate.reached;
    for (let beat = 1; beat <= 3; beat += 1) {
      const renewedUntil = app.clock.now() + 170_000;
      heartbeats.pass(app.clock, 50_000);
      await until(async () => (await items.execute()).every(({ due_at }) => due_at >= renewedUntil));
    }
    expect(await work()).toBeGreaterThan(app.clock.now());
    gate.open();
    await first;
    expect(await items.execute()).toMatchObject(Array.from(stored, () => ({ status: 'SUCCEEDED', attempts: 1 })));
    expect(await read(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 3 });
  });

  test('scheduled runs start automatically, and are hidden from other tenants', async () => {
    await using world = await openWorld(start, 1);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2', { scheduleEnabled: true, scheduleIntervalSeconds: 3600 }));
    app.clock.advance(3_700_000);
    await app.drain();
    const { records } = await root.call(api.listKeyRotations, { query: {} });
    expect(records).toMatchObject([{ mode: 'APPLY', status: 'COMPLETED', succeededCount: 1 }]);
    const far = await app.person('far', { role: 'admin', tenant: 'elsewhere' });
    expect((await far.call(api.listKeyRotations, { query: {} })).records).toEqual([]);
    const runId = records[0]?.runId ?? '';
    expect((await far.expectError(api.getKeyRotation, { params: { runId } })).kind).toBe('RESULT_DATA_NONE');
    expect((await far.expectError(api.cancelKeyRotation, { params: { runId } })).kind).toBe('RESULT_DATA_NONE');
  });
});
