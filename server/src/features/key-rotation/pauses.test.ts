// Runs and schedules that an administrator changes while a server works on them.
import { randomBytes } from 'node:crypto';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { beginRotation, masterKeysOf, readRotation, rotating, toLocal } from '../../../../test/support/rotations.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import type { Db } from '../../platform/db/tables.ts';
import { startScheduled } from './start-scheduled.ts';
import { workOnRun } from './work-run.ts';

/** A tenant with one file under master key 1, where 2 wraps by now. */
async function openWorld(start: StartApp, env: Readonly<Record<string, string>> = {}) {
  const app = await start({ env });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  await storeProxied(ada, randomBytes(500));
  await app.drain();
  await (await masterKeysOf(app)).addVersion();
  return { app, root, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function whichOf({ app: { database } }: TestApp) {
  const run = await database.db.selectFrom('key_rotation_run').select(['tenant_id', 'id']).executeTakeFirstOrThrow();
  return { tenantId: run.tenant_id, runId: run.id };
}

/** The server, with a step of others before each of its transactions. */
function interrupted({ app: { server } }: TestApp, steps: readonly (() => Promise<unknown>)[]) {
  let transactions = 0;
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      await steps[transactions++]?.();
      return server.database.db.transaction().execute(work);
    },
  });
  const db = new Proxy(server.database.db, {
    get(target, name) {
      const value: unknown = name === 'transaction' ? transaction : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...server, database: { ...server.database, db } };
}

const nothing = async () => {};

eachApp(start => {
  test('a run that was paused before it began has its times and a certificate after its end', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    const run = await beginRotation(root, 'APPLY');
    const params = { params: { runId: run.runId } };
    await root.call(api.pauseKeyRotation, params);
    await root.call(api.resumeKeyRotation, params);
    await workOnRun(app.app.server, await whichOf(app), new AbortController().signal);
    const ended = await readRotation(root, run);
    expect(ended).toMatchObject({ status: 'COMPLETED', discoveryCompleted: true, startedAt: expect.any(String) });
    await root.call(api.issueRetirementCertificate, params);
  });

  test('a run that is paused and resumed while it finds its items does not end without them', async () => {
    await using world = await openWorld(start);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    const run = await beginRotation(root, 'APPLY');
    const params = { params: { runId: run.runId } };
    const which = await whichOf(app);
    const pause = () => root.call(api.pauseKeyRotation, params);
    const resume = () => root.call(api.resumeKeyRotation, params);
    const { signal } = new AbortController();
    await workOnRun(interrupted(app, [nothing, pause, resume]), which, signal);
    expect(await readRotation(root, run)).toMatchObject({ status: 'RUNNING', discoveryCompleted: false });
    await workOnRun(app.app.server, which, signal);
    expect(await readRotation(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 1 });
  });

  test('a schedule that is switched off while its run starts stays off', async () => {
    await using world = await openWorld(start);
    const { app, root } = world;
    await root.call(api.putKeyRotationPolicy, toLocal('2', { scheduleEnabled: true, scheduleIntervalSeconds: 3600 }));
    app.clock.advance(3_700_000);
    const off = () => root.call(api.putKeyRotationPolicy, toLocal('2', { scheduleEnabled: false }));
    await startScheduled(interrupted(app, [off]), 10);
    expect(await root.call(api.getKeyRotationPolicy)).toMatchObject({ scheduleEnabled: false });
  });

  test('a schedule starts no run while nothing is left to rotate, so that a grace period can end', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start, rotating);
    const { app, root } = world;
    const minutely = { scheduleEnabled: true, scheduleIntervalSeconds: 60, gracePeriodSeconds: 600 };
    await root.call(api.putKeyRotationPolicy, toLocal('2', minutely));
    for (let minute = 0; minute < 12; minute += 1) {
      app.clock.advance(61_000);
      await app.drain();
    }
    expect((await root.call(api.listKeyRotations, { query: {} })).records).toHaveLength(1);
    expect((await root.call(api.getKeyRotationPolicy)).retirement).toMatchObject({ state: 'READY' });
  });
});
