// Leases of jobs: takeover with a greater fence, renewal, time limits, stop of a worker.
import { LeaseLost } from '@recordproof/server/platform/db/claim.ts';
import { Lease } from '@recordproof/server/platform/db/lease.ts';
import { JobReschedule, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
import { finish, putBack } from '@recordproof/server/platform/jobs/queries.ts';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/databases.ts';
import {
  handler,
  listDead,
  jobTestMigrations as migrations,
  minute,
  openServer,
  stubbornRun,
} from '../support/job-server.ts';

eachDatabase((engine, open) => {
  test('a job with an expired lease is taken over with a greater fence, and the old run cannot write', async () => {
    const { db, openAgain } = await open(migrations);
    const slow = stubbornRun();
    const first = openServer(db, engine, slow.run);
    await first.add();
    const draining = first.worker.drain();
    const old = await slow.started;
    const fences: number[] = [];
    const other = await openAgain();
    const second = openServer(other.db, engine, async job => {
      fences.push(job.fence);
      await db.transaction().execute(tx => job.assertFence(tx));
      throw new JobReschedule(3600);
    });
    await second.worker.drain();
    expect(fences).toEqual([]);
    second.clock.advance(30_000);
    await second.worker.drain();
    expect(fences).toEqual([old.fence + 1]);
    await expect(db.transaction().execute(tx => old.assertFence(tx))).rejects.toThrow(LeaseLost);
    await expect(old.keepLease()).rejects.toThrow(LeaseLost);
    expect(old.signal.aborted).toBe(true);
    slow.end();
    await draining;
    expect((await first.worker.counters()).ended).toMatchObject({ lost: 1, done: 0 });
    expect((await second.worker.counters()).waiting).toBe(1);
  });

  test('a job with a renewed lease is not taken over', async () => {
    const { db, openAgain } = await open(migrations);
    const slow = stubbornRun();
    const first = openServer(db, engine, slow.run);
    await first.add();
    const draining = first.worker.drain();
    const job = await slow.started;
    first.clock.advance(20_000);
    await job.keepLease();
    const second = openServer((await openAgain()).db, engine, async () => {});
    second.clock.advance(45_000);
    await second.worker.drain();
    expect((await second.worker.counters()).ended.done).toBe(0);
    slow.end();
    await draining;
    expect((await first.worker.counters()).ended.done).toBe(1);
  });

  test('a worker renews the lease of a job that runs longer than its lease', async () => {
    const { db, openAgain } = await open(migrations);
    const slow = stubbornRun();
    const clock = { now: () => Date.now() };
    const first = openServer(db, engine, slow.run, { clock, handlers: [handler(slow.run, { leaseSeconds: 0.3 })] });
    await first.add();
    const draining = first.worker.drain();
    await slow.started;
    const leaseEnd = async () => (await db.selectFrom('job').select('due_at').executeTakeFirst())?.due_at ?? 0;
    const before = await leaseEnd();
    while (clock.now() < before + 300) await new Promise(setImmediate);
    const second = openServer((await openAgain()).db, engine, async () => {}, { clock });
    await second.worker.drain();
    expect((await second.worker.counters()).ended.done).toBe(0);
    expect(await leaseEnd()).toBeGreaterThan(before);
    slow.end();
    await draining;
  });

  test('a lease ends with its job, and an ended lease is not renewed', async () => {
    const { db } = await open(migrations);
    const { clock, worker, add } = openServer(db, engine, async () => {});
    await add();
    const old = { id: 1, fence: 0 };
    const leasing = { db, engine, clock, leaseMs: 30_000 };
    const claimed = () => new Lease(leasing, { table: 'job', claim: old });
    const waiting = await db.selectFrom('job').selectAll().executeTakeFirstOrThrow();
    expect(waiting).toMatchObject(old);
    {
      using lease = claimed();
      await lease.renew();
      expect(await putBack(db, old, { dueAt: clock.now() + 5000, attempt: 1 })).toBe(true);
      await expect(lease.renew()).rejects.toThrow(LeaseLost);
    }
    const back = await db.selectFrom('job').selectAll().executeTakeFirstOrThrow();
    expect(back).toMatchObject({ state: 'WAITING', due_at: clock.now() + 5000 });
    expect(await finish(db, old)).toBe(false);
    clock.advance(5000);
    await worker.drain();
    expect((await worker.counters()).ended).toMatchObject({ done: 1, lost: 0 });
  });

  test('jobs that failed for lack of space are due once there is room; others keep their pause', async () => {
    const { db } = await open(migrations);
    let isFull = true;
    const run = async ({ payload }: JobRun) => {
      if (payload.why === 'later') throw new JobReschedule(90, { cause: full });
      if (isFull) throw payload.why === 'full' ? full : new Error('something else');
    };
    const full = new Error('the store failed', { cause: Object.assign(new Error('no room'), { code: 'ENOSPC' }) });
    const { clock, worker, add } = openServer(db, engine, run);
    for (const why of ['full', 'later', 'other']) await add({ payload: { why } });
    await worker.drain();
    const due = async () =>
      (await db.selectFrom('job').select('due_at').orderBy('id').execute()).map(row => row.due_at);
    expect((await due()).every(time => (time ?? 0) > clock.now())).toBe(true);
    isFull = false;
    await worker.retryLackingSpace();
    expect(await due()).toEqual([clock.now(), clock.now(), clock.now() + 10_000]);
    await worker.drain();
    expect((await worker.counters()).ended.done).toBe(1);
  });

  test('a job that exceeds its time limit loses its lease and is retried', async () => {
    const { db } = await open(migrations);
    const slow = stubbornRun();
    const { worker, add } = openServer(db, engine, slow.run, { handlers: [handler(slow.run, { maxSeconds: 0.05 })] });
    await add();
    await worker.drain();
    const job = await slow.started;
    await expect(db.transaction().execute(tx => job.assertFence(tx))).rejects.toThrow(LeaseLost);
    slow.end();
    expect(await worker.counters()).toMatchObject({ waiting: 1, ended: { retry: 1 } });
  });

  test.each([
    { deaths: 10, more: 0 },
    { deaths: 9, more: 1 },
  ])('a job whose server died $deaths times in a row is run $more more times', async ({ deaths, more }) => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add, clock } = openServer(db, engine, async () => void runs++);
    await add();
    await db.updateTable('job').set({ attempt: deaths, state: 'RUNNING' }).execute();
    clock.advance(minute);
    await worker.drain();
    expect(runs).toBe(more);
    const given = (await listDead(db)).map(({ last_error }) => last_error);
    expect(given).toEqual(more === 0 ? [expect.stringContaining('as after a crash of the server')] : []);
  });

  test('stopping a worker aborts and awaits its jobs, and returns them without counting the attempt', async () => {
    const { db, openAgain } = await open(migrations);
    const stubborn = stubbornRun();
    let polite = 0;
    const run = async (job: JobRun) => {
      if (job.payload.stubborn) return stubborn.run(job);
      polite += 1;
      await new Promise((_, reject) => job.signal.addEventListener('abort', () => reject(job.signal.reason)));
    };
    const { worker, add } = openServer(db, engine, run);
    await add({ payload: { stubborn: true } });
    await add({ payload: { polite: true } });
    worker.start();
    await stubborn.started;
    while (polite === 0) await new Promise(setImmediate);
    await worker.stop(10);
    const rows = await db.selectFrom('job').select(['state', 'attempt']).execute();
    expect(rows).toEqual([
      { state: 'WAITING', attempt: 0 },
      { state: 'WAITING', attempt: 0 },
    ]);
    expect(await worker.runNow(1)).toBe(false);
    stubborn.end();
    const next = openServer((await openAgain()).db, engine, async () => {});
    await next.worker.drain();
    expect((await next.worker.counters()).ended.done).toBe(2);
  });
});
