// Job queue: transactional enqueue, schedule, unique keys, retries, dead jobs and wake-up.
import { reviveDeadJob } from '@recordproof/server/platform/jobs/dead-jobs.ts';
import { enqueue, JobAbort, JobReschedule, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
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
  test('a job exists when and only when its transaction is committed', async () => {
    const { db } = await open(migrations);
    const seen: unknown[] = [];
    const { worker, add, clock } = openServer(db, engine, async job => void seen.push(job.payload));
    const broken = db.transaction().execute(async tx => {
      await enqueue(tx, { kind: 'note', payload: { id: 1 } }, clock.now());
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow();
    await add({ payload: { id: 2 } });
    await worker.drain();
    expect(seen).toEqual([{ id: 2 }]);
    expect(await db.selectFrom('job').selectAll().execute()).toEqual([]);
  });

  test('a job runs at its scheduled time, not before', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add, clock } = openServer(db, engine, async () => void runs++);
    await add({ runAt: clock.now() + minute });
    await worker.drain();
    expect(runs).toBe(0);
    clock.advance(minute);
    await worker.drain();
    expect(runs).toBe(1);
  });

  test('drain also waits for jobs that a running job adds', async () => {
    const { db, workNotifier } = await open(migrations);
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let runs = 0;
    const { worker, add } = openServer(db, engine, async () => {
      runs += 1;
      if (runs > 1) return;
      begun.resolve();
      await goOn.promise;
      await add();
    });
    const silence = workNotifier.listen(() => worker.wake());
    worker.start();
    await add();
    await begun.promise;
    const drained = worker.drain();
    goOn.resolve();
    await drained;
    expect(runs).toBe(2);
    expect(await db.selectFrom('job').selectAll().execute()).toEqual([]);
    silence();
    await worker.stop(1000);
  });

  test('a unique key is not added again while its job waits, but is while its job runs', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add } = openServer(db, engine, async () => {
      runs += 1;
      if (runs === 1) await Promise.all([add({ uniqueKey: 'a' }), add({ uniqueKey: 'a' })]);
    });
    await add({ uniqueKey: 'a' });
    await add({ uniqueKey: 'a' });
    expect((await worker.counters()).waiting).toBe(1);
    await worker.drain();
    expect(runs).toBe(2);
  });

  test('a waiting job sees the changes of a transaction whose own job was skipped as a duplicate', async () => {
    const { db } = await open(migrations);
    const seen: number[] = [];
    const { worker, add, clock } = openServer(db, engine, async () => {
      const { value } = await db
        .selectFrom('counter')
        .select('value')
        .where('name', '=', 'left')
        .executeTakeFirstOrThrow();
      seen.push(value);
    });
    await add({ uniqueKey: 'sum' });
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const change = db.transaction().execute(async tx => {
      await tx.updateTable('counter').set({ value: 1 }).where('name', '=', 'left').execute();
      await enqueue(tx, { kind: 'note', uniqueKey: 'sum' }, clock.now());
      entered.resolve();
      await leave.promise;
    });
    await entered.promise;
    const drained = engine === 'postgres' ? worker.drain() : undefined; // SQLite has one writer, who is busy
    await drained;
    leave.resolve();
    await change;
    await worker.drain();
    expect(seen.at(-1)).toBe(1);
  });

  test('a payload above 64 KiB is rejected', async () => {
    const { db } = await open(migrations);
    const { add } = openServer(db, engine, async () => {});
    await expect(add({ payload: { text: 'x'.repeat(65_536) } })).rejects.toThrow('64 KiB');
  });

  test('a failed job is retried after its pause, then marked dead with its last error without secrets', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const { worker, add, clock } = openServer(db, engine, async job => {
      attempts.push(job.attempt);
      throw new Error(`no ${'answer '.repeat(200)} from https://me:hunter2@mail`);
    });
    await add();
    await worker.drain();
    clock.advance(9_999);
    await worker.drain();
    expect(attempts).toEqual([1]);
    clock.advance(1);
    await worker.drain();
    clock.advance(20_000);
    await worker.drain();
    clock.advance(60 * minute);
    await worker.drain();
    expect(attempts).toEqual([1, 2, 3]);
    const [dead] = await listDead(db);
    expect(dead?.last_error).toMatch(/^no answer/);
    expect(dead?.last_error).not.toContain('hunter2');
    expect(dead?.last_error?.length).toBeLessThanOrEqual(500);
    expect(await worker.counters()).toMatchObject({ dead: 1, waiting: 0, ended: { retry: 2, dead: 1 } });
  });

  test('a revived dead job has all its attempts again', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const { worker, add, clock } = openServer(db, engine, async () => {
      if (broken) throw new JobAbort('no such thing');
    });
    await add();
    await worker.drain();
    const [dead] = await listDead(db);
    expect(dead).toMatchObject({ attempt: 1, last_error: 'no such thing' });
    broken = false;
    const revive = () => db.transaction().execute(tx => reviveDeadJob(tx, dead ?? { id: 0, kind: '' }, clock.now()));
    expect([await revive(), await revive()]).toEqual([true, false]);
    await worker.drain();
    expect(await worker.counters()).toMatchObject({ dead: 0, waiting: 0, ended: { done: 1 } });
  });

  test('a postponed job does not use up an attempt', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const { worker, add, clock } = openServer(db, engine, async job => {
      attempts.push(job.attempt);
      if (attempts.length < 6) throw new JobReschedule(60);
    });
    await add();
    for (let round = 0; round < 6; round++) {
      await worker.drain();
      clock.advance(minute);
    }
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await worker.counters()).ended).toMatchObject({ later: 5, done: 1 });
  });

  test('a retry is dropped in favour of a newer job with its key', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add, clock } = openServer(db, engine, async () => {
      runs += 1;
      if (runs > 1) return;
      await add({ uniqueKey: 'a' });
      throw new Error('first');
    });
    await add({ uniqueKey: 'a' });
    await worker.drain();
    clock.advance(minute);
    await worker.drain();
    expect(runs).toBe(2);
    expect(await worker.counters()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test('failures are handed over to the waiting job, with the pause, if the handler asks for it', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const run = async ({ attempt }: JobRun) => {
      attempts.push(attempt);
      await add({ uniqueKey: 'a' });
      throw new Error('broken');
    };
    const handlers = [handler(run, { sharesAttempts: true })];
    const { worker, add, clock } = openServer(db, engine, run, { handlers });
    await add({ uniqueKey: 'a' });
    await worker.drain();
    expect(attempts).toEqual([1]);
    clock.advance(10_000);
    await worker.drain();
    expect(attempts).toEqual([1, 2]);
    clock.advance(minute);
    await worker.drain();
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(await listDead(db)).toHaveLength(1);
  });

  test('a worker woken after the commit runs the job at once, without waiting for its poll', async () => {
    const { db, workNotifier } = await open(migrations);
    const done = Promise.withResolvers<void>();
    const { worker, add } = openServer(db, engine, async () => done.resolve(), { pollMs: 3_600_000 });
    worker.start();
    workNotifier.listen(() => worker.wake());
    await add();
    await done.promise;
    await worker.stop(1000);
  });

  test('a job of an idle kind is not blocked by many jobs of another kind', async () => {
    const { db } = await open(migrations);
    const flood = stubbornRun();
    const done = Promise.withResolvers<void>();
    const handlers = [handler(flood.run), handler(async () => done.resolve(), { kind: 'rare' })];
    const { worker, add } = openServer(db, engine, flood.run, { handlers, concurrency: 2, pollMs: 10 });
    for (let i = 0; i < 10; i++) await add();
    await add({ kind: 'rare' });
    worker.start();
    await done.promise;
    flood.end();
    await worker.stop(1000);
  });

  test('runNow runs a job immediately, and only once', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add } = openServer(db, engine, async () => void runs++);
    await add();
    const { id } = await db.selectFrom('job').select('id').executeTakeFirstOrThrow();
    const ran = await Promise.all([worker.runNow(id), worker.runNow(id)]);
    expect(ran).toContain(true);
    expect(runs).toBe(1);
    expect(await worker.runNow(id)).toBe(false);
  });

  test('the counters return the time of the job that has been due the longest', async () => {
    const { db } = await open(migrations);
    const { worker, add, clock } = openServer(db, engine, async () => {});
    expect(await worker.counters()).toMatchObject({ waiting: 0, oldestDueAt: null });
    const start = clock.now();
    await add();
    clock.advance(minute);
    await add();
    await add({ runAt: clock.now() + minute });
    expect(await worker.counters()).toMatchObject({ waiting: 3, running: 0, oldestDueAt: start });
  });
});
