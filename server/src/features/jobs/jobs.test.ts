// Administration of dead jobs: list, revival and dropping, audit, and tenant isolation.
import { listAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import * as api from '@recordproof/shared/api/jobs.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { accountOf } from '../../../../test/support/events.ts';
import { enqueue, type NewJob } from '../../platform/jobs/jobs.ts';
import { claimDue, markDead } from '../../platform/jobs/queries.ts';

/** No worker knows it, so that none takes it away again. */
const brokenKind = 'test.broken';
const query = {};

/** As if every attempt had failed. */
async function addDead({ app, clock }: TestApp, job: Partial<NewJob> = {}): Promise<void> {
  const { db, kind: engine } = app.database;
  await db.transaction().execute(tx => enqueue(tx, { kind: brokenKind, ...job }, clock.now()));
  const handlers = new Map([[brokenKind, { leaseSeconds: 60 }]]);
  for (const one of await claimDue({ db, engine, handlers }, 100, clock.now())) await markDead(db, one, 'nobody there');
}

/** Written as it ends, because the worker would deliver it. */
async function addExhausted({ app, clock }: TestApp, tenantId: number, type: string, payload: object): Promise<void> {
  const row = {
    kind: 'event',
    payload: JSON.stringify({ id: 'some', type, tenantId, payload }),
    state: 'DEAD' as const,
    attempt: 20,
    fence: 20,
    last_error: 'nobody there',
    created_at: clock.now(),
    tenant_id: tenantId,
  };
  await app.database.db.insertInto('job').values(row).execute();
}

eachApp(start => {
  test('dead jobs are listed without their payload except ids, to users with permission', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const watcher = await app.person('watcher', { role: 'monitor' });
    const alice = await app.person('alice');
    await addDead(app, { payload: { uploadId: 7, address: 'ada@example.org', fileName: 'secret.txt' } });
    const { records, total } = await watcher.call(api.listDeadJobs, { query });
    expect(total).toBe(1);
    const [job] = records;
    expect(job).toMatchObject({
      type: 'JOB',
      kind: brokenKind,
      eventType: null,
      attempts: 1,
      lastError: 'nobody there',
    });
    expect(job?.about).toEqual({ uploadId: '7' });
    const params = { id: job?.id ?? '' };
    expect(await root.call(api.getDeadJob, { params })).toEqual(job);
    expect((await root.call(api.listDeadJobs, { query: { kind: 'another' } })).total).toBe(0);
    expect(await alice.expectError(api.listDeadJobs, { query })).toMatchObject({ status: 403 });
    for (const endpoint of [api.reviveDeadJob, api.dropDeadJob])
      expect(await watcher.expectError(endpoint, { params })).toMatchObject({ status: 403 });
  });

  test('a dead event is listed as an event, and is delivered once it is revived', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const { tenantId } = await accountOf(app, 'root');
    await addExhausted(app, tenantId, 'nothing.happened', { userId: 5, preview: 'words' });
    expect((await root.call(api.listDeadJobs, { query: { type: 'JOB' } })).total).toBe(0);
    const { records } = await root.call(api.listDeadJobs, { query: { type: 'EVENT' } });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      type: 'EVENT',
      eventType: 'nothing.happened',
      about: { tenantId: String(tenantId), userId: '5' },
    });
    await root.call(api.reviveDeadJob, { params: { id: records[0]?.id ?? '' } });
    await app.drain();
    expect((await root.call(api.listDeadJobs, { query })).total).toBe(0);
  });

  test('of concurrent calls that revive and drop a dead job one succeeds and is audited', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    await addDead(app);
    const [job] = (await root.call(api.listDeadJobs, { query })).records;
    const params = { id: job?.id ?? '' };
    const tries = Array.from({ length: 8 }, (_none, at) =>
      root.call(at % 2 === 0 ? api.reviveDeadJob : api.dropDeadJob, { params }),
    );
    const ends = await Promise.allSettled(tries);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'RESULT_DATA_NONE' });
    const { records } = await root.call(listAuditLogs, { query: { module: 'jobs' } });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ username: 'root', description: expect.stringContaining(brokenKind) });
  });

  test('of two dead jobs with one key only one can be revived; the other can be dropped', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    for (let n = 0; n < 2; n += 1) await addDead(app, { uniqueKey: 'the same' });
    const { records } = await root.call(api.listDeadJobs, { query });
    const revive = (id: string) => root.call(api.reviveDeadJob, { params: { id } });
    const ends = await Promise.allSettled(records.map(({ id }) => revive(id)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'CONFLICT' });
    const [left] = (await root.call(api.listDeadJobs, { query })).records;
    await root.call(api.dropDeadJob, { params: { id: left?.id ?? '' } });
    expect(await root.expectError(api.dropDeadJob, { params: { id: left?.id ?? '' } })).toMatchObject({ status: 404 });
  });

  test('with several tenants each sees its own dead jobs, and none those of the installation', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const { tenantId } = await accountOf(app, 'root');
    await addDead(app, { payload: { tenantId } });
    await addDead(app, { payload: { uploadId: 3 } });
    expect((await root.call(api.listDeadJobs, { query })).total).toBe(2);
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const seen = await root.call(api.listDeadJobs, { query });
    expect(seen.records.map(({ about }) => about)).toEqual([{ tenantId: String(tenantId) }]);
    expect((await chief.call(api.listDeadJobs, { query })).total).toBe(0);
    const params = { id: seen.records[0]?.id ?? '' };
    for (const endpoint of [api.getDeadJob, api.reviveDeadJob, api.dropDeadJob])
      expect(await chief.expectError(endpoint, { params })).toMatchObject({ status: 404 });
  });
});
