// Runs that cannot go on: whatever their kind, they end FAILED after the attempts of their job.
import { randomBytes } from 'node:crypto';
import * as rotations from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { importAll, makeLegacy, readBackfill, startBackfill } from '../../../../test/support/legacy-world.ts';
import {
  beginRotation,
  listEnvelopes,
  masterKeysOf,
  readRotation,
  toLocal,
} from '../../../../test/support/rotations.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { openWorker } from '../../platform/jobs/worker.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { backfills } from '../backfill/backfills.ts';
import { findRun } from './run-queries.ts';
import { runParts } from './work-runs.ts';

/** The server starts again, and works on runs from now on. */
async function restartAsWorker(start: StartApp, app: TestApp): Promise<TestApp> {
  await app.app[Symbol.asyncDispose]();
  const { db } = app.config;
  const database = db.kind === 'postgres' ? { DATABASE_URL: db.url.reveal() } : {};
  const env = { KEY_ROTATION_ENABLED: 'true', BACKFILL_WORKER_ENABLED: 'true', ...database };
  return start({ folder: app.folder, clock: app.clock, env });
}

/** Longer than all pauses between the attempts. */
async function waitOutAttempts(app: TestApp): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await app.drain();
    app.clock.advance(120_000);
  }
  await app.drain();
}

const auditedEnds = ({ app }: TestApp) =>
  app.database.db.selectFrom('audit_log').select('id').where('operation_type', '=', 'end-run').execute();

const idleJob = { id: 0, payload: {}, attempt: 1, fence: 1, keepLease: async () => {}, assertFence: async () => {} };

/** Already there when the run finds its items: no attempt gets past it. */
const blockingItem = { attempts: 0, due_at: 0, updated_at: 0 } as const;

eachApp(start => {
  test('a broken rotation ends as FAILED, its items are released, and the next run can start', async () => {
    await using app = await start({ env: { KEY_ROTATION_ENABLED: 'false' } });
    const ada = await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    await storeProxied(ada, randomBytes(500));
    await app.drain();
    await (await masterKeysOf(app)).addVersion();
    await root.call(rotations.putKeyRotationPolicy, toLocal('2'));
    const run = await beginRotation(root, 'APPLY');
    const [envelope] = await listEnvelopes(app);
    if (envelope === undefined) throw new Error('no envelope was stored');
    const { id: envelope_id, tenant_id, recipient_type } = envelope;
    const claimed = { ...blockingItem, status: 'RUNNING', claim: 'another server', retryable: 0 } as const;
    const item = { ...claimed, tenant_id, run_id: Number(run.runId), envelope_id, recipient_type };
    await app.app.database.db.insertInto('key_rotation_item').values(item).execute();
    await using worker = await restartAsWorker(start, app);
    await waitOutAttempts(worker);
    const boss = await worker.person('boss', { role: 'admin' });
    expect(await readRotation(boss, run)).toMatchObject({ status: 'FAILED', failureCategory: 'INTERNAL' });
    const items = worker.app.database.db.selectFrom('key_rotation_item').select(['status', 'claim']);
    expect(await items.execute()).toEqual([{ status: 'PENDING', claim: null }]);
    expect(await auditedEnds(worker)).toHaveLength(1);
    const next = await beginRotation(boss, 'APPLY', 'next');
    await worker.drain();
    expect(await readRotation(boss, next)).toMatchObject({ status: 'COMPLETED', succeededCount: 1 });
  });

  test('a broken backfill ends as FAILED with the reason', { tags: 'long-on-postgres' }, async () => {
    await using app = await start({ env: { BACKFILL_WORKER_ENABLED: 'false' } });
    await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    await importAll(app, await makeLegacy(app, 'ada', 2));
    const { db } = app.app.database;
    const { id: file_id, tenant_id, file_hash } = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow();
    const run = await startBackfill(root, { mode: 'SCAN' });
    const item = { ...blockingItem, status: 'PENDING', fence: 0, tenant_id, file_id, file_hash } as const;
    await db
      .insertInto('backfill_item')
      .values({ ...item, run_id: Number(run.runId) })
      .execute();
    await using worker = await restartAsWorker(start, app);
    await waitOutAttempts(worker);
    const boss = await worker.person('boss', { role: 'admin' });
    const ended = await readBackfill(boss, run);
    expect(ended).toMatchObject({ status: 'FAILED', failure: expect.stringMatching(/unique/i) });
    expect(ended.completedAt).not.toBeNull();
    expect(await auditedEnds(worker)).toHaveLength(1);
  });

  test('a run that fails slowly ends as FAILED, although each attempt lasts longer than the pause between polls', async () => {
    await using app = await start({ env: { BACKFILL_WORKER_ENABLED: 'false' } });
    const root = await app.person('root', { role: 'admin' });
    const run = await startBackfill(root, { mode: 'SCAN' });
    const { server } = app.app;
    const { database, clock } = server;
    let attempts = 0;
    const kind = { ...backfills, name: 'slow' }; // the server itself has no handler for its jobs
    const { jobs = [] } = runParts(server, kind, {
      ...{ pollSeconds: 1, runsAtOnce: 1, listModes: () => ['SCAN'] as const },
      async work(which) {
        if ((await findRun(database.db, kind, which))?.completed_at !== null || attempts > 20) return null;
        attempts += 1;
        await poll();
        throw new Error('the disk is full');
      },
    });
    const poll = async () => jobs[0]?.run({ ...idleJob, signal: new AbortController().signal });
    await poll();
    const worker = openWorker({ ...{ db: database.db, engine: database.kind, clock, log: silentLog }, handlers: jobs });
    for (let turn = 0; turn < 8; turn += 1) {
      await worker.drain();
      app.clock.advance(120_000);
    }
    expect(await readBackfill(root, run)).toMatchObject({ status: 'FAILED', failure: expect.stringContaining('full') });
    expect(attempts).toBe(5);
    expect(await auditedEnds(app)).toHaveLength(1);
    await worker.stop(1000);
  });
});
