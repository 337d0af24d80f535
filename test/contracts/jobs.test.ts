import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import {
  enqueue,
  exponentialBackoff,
  JobAbort,
  type JobHandler,
  JobLater,
  type JobRun,
  LeaseLost,
  type NewJob,
} from '@recordproof/server/platform/jobs/jobs.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import { listDeadJobs, reviveDeadJob } from '@recordproof/server/platform/jobs/queries.ts';
import type { Schedule } from '@recordproof/server/platform/jobs/schedules.ts';
import { openWorker, type WorkerOptions } from '@recordproof/server/platform/jobs/worker.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { expect, test } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations, listEffects, noteEffect } from '../support/effects.ts';
import { openPlace } from '../support/place.ts';
import { postgres } from '../support/postgres.ts';

const migrations = [...jobMigrations, ...effectMigrations];
const minute = 60_000;

const handler = (run: JobHandler['run'], more: Partial<JobHandler> = {}): JobHandler => ({
  kind: 'note',
  leaseSeconds: 30,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(10, 60),
  run,
  ...more,
});

/** A server with one kind of job, and a clock that stands still. */
function openServer(db: Db, engine: Engine, run: JobHandler['run'], more: Partial<WorkerOptions> = {}) {
  const clock = movableClock();
  const worker = openWorker({
    db,
    engine,
    clock,
    log: silentLog,
    handlers: [handler(run)],
    random: () => 0.5,
    ...more,
  });
  const add = (job: Partial<NewJob> = {}) =>
    db.transaction().execute(tx => enqueue(tx, { kind: 'note', ...job }, clock.now()));
  return { clock, worker, add };
}

/** Hears nothing of the signal; ends when told to. */
function stubbornRun() {
  const started = Promise.withResolvers<JobRun>();
  const end = Promise.withResolvers<void>();
  const run = async (job: JobRun) => {
    started.resolve(job);
    await end.promise;
  };
  return { run, started: started.promise, end: end.resolve };
}

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

  test('a job waits for its time', async () => {
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

  test('a key that waits already is not added again, but one that runs is', async () => {
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

  test('a job that was not added because one waits is seen by the one that waits', async () => {
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

  test('a payload holds ids, not contents', async () => {
    const { db } = await open(migrations);
    const { add } = openServer(db, engine, async () => {});
    await expect(add({ payload: { text: 'x'.repeat(65_536) } })).rejects.toThrow('64 KiB');
  });

  test('a failed job is tried again after its pause, then given up with its last error and no secret', async () => {
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
    const [dead] = await listDeadJobs(db, 10);
    expect(dead?.last_error).toMatch(/^no answer/);
    expect(dead?.last_error).not.toContain('hunter2');
    expect(dead?.last_error?.length).toBeLessThanOrEqual(500);
    expect(await worker.counters()).toMatchObject({ dead: 1, waiting: 0, ended: { retry: 2, dead: 1 } });
  });

  test('a dead job that is revived has all its attempts again', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const { worker, add, clock } = openServer(db, engine, async () => {
      if (broken) throw new JobAbort('no such thing');
    });
    await add();
    await worker.drain();
    const [dead] = await listDeadJobs(db, 10);
    expect(dead).toMatchObject({ attempt: 1, last_error: 'no such thing' });
    broken = false;
    const revive = () => db.transaction().execute(tx => reviveDeadJob(tx, dead?.id ?? 0, clock.now()));
    expect([await revive(), await revive()]).toEqual([true, false]);
    await worker.drain();
    expect(await worker.counters()).toMatchObject({ dead: 0, waiting: 0, ended: { done: 1 } });
  });

  test('a job that has to wait does not use up an attempt', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const { worker, add, clock } = openServer(db, engine, async job => {
      attempts.push(job.attempt);
      if (attempts.length < 6) throw new JobLater(60);
    });
    await add();
    for (let round = 0; round < 6; round++) {
      await worker.drain();
      clock.advance(minute);
    }
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await worker.counters()).ended).toMatchObject({ later: 5, done: 1 });
  });

  test('a retry gives way to a newer job with its key', async () => {
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

  test('whose lease ended is taken over with a greater fence, and can neither write nor finish', async () => {
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
      throw new JobLater(3600);
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

  test('a lease that is kept is not taken over', async () => {
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

  test('the heart beats by itself while a job runs longer than its lease', async () => {
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

  test('a job that takes too long is left behind and tried again', async () => {
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

  test('a job that kills its server each time is given up', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, add, clock } = openServer(db, engine, async () => void runs++);
    await add();
    for (let crash = 0; crash < 3; crash++) {
      const due = db.updateTable('job').set(eb => ({ attempt: eb('attempt', '+', 1), state: 'RUNNING' }));
      await due.execute();
    }
    clock.advance(minute);
    await worker.drain();
    expect(runs).toBe(0);
    expect((await listDeadJobs(db, 1))[0]?.last_error).toContain('its server died');
  });

  test('stopping aborts what runs, waits for it, and gives back the rest without counting the attempt', async () => {
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

  test('a started worker that is woken after the commit does the job at once, without its poll', async () => {
    const { db, bell } = await open(migrations);
    const done = Promise.withResolvers<void>();
    const { worker, add } = openServer(db, engine, async () => done.resolve(), { pollMs: 3_600_000 });
    worker.start();
    bell.listen(() => worker.wake());
    await add();
    await done.promise;
    await worker.stop(1000);
  });

  test('a job can be run here and now, once', async () => {
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

  test('the counters know what is due the longest', async () => {
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

  const schedule: Schedule = { name: 'sweep', everySeconds: 60, jobKind: 'note' };

  test('a tick has one winner among many servers, and missed ticks become one', async () => {
    const { db, openAgain } = await open(migrations);
    let runs = 0;
    const run = async (job: JobRun) => {
      expect(job.payload).toEqual({ schedule: 'sweep' });
      runs += 1;
    };
    const dbs = [db, (await openAgain()).db, (await openAgain()).db];
    const servers = dbs.map(each => openServer(each, engine, run, { schedules: [schedule] }));
    const drainAll = () => Promise.all(servers.map(server => server.worker.drain()));
    const advanceAll = (by: number) => servers.map(server => server.clock.advance(by));
    await drainAll();
    expect(runs).toBe(0);
    advanceAll(minute);
    await drainAll();
    expect(runs).toBe(1);
    advanceAll(10 * minute + 30_000);
    await drainAll();
    expect(runs).toBe(2);
    advanceAll(30_000);
    await drainAll();
    expect(runs).toBe(3);
  });

  test('a tick adds nothing while the last job of the schedule is not done', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const run = async (job: JobRun) => {
      attempts.push(job.attempt);
      throw new JobLater(150);
    };
    const { worker, clock } = openServer(db, engine, run, { schedules: [schedule] });
    await worker.drain();
    for (let round = 0; round < 3; round++) {
      clock.advance(minute);
      await worker.drain();
    }
    expect((await worker.counters()).waiting).toBe(1);
    expect(attempts).toEqual([1]);
  });

  test('a schedule that nobody can do, or two handlers for one kind, is a bug', async () => {
    const { db } = await open(migrations);
    const run = async () => {};
    const noHandler = () => openServer(db, engine, run, { schedules: [{ ...schedule, jobKind: 'other' }] });
    expect(noHandler).toThrow('nobody does');
    expect(() => openServer(db, engine, run, { handlers: [handler(run), handler(run)] })).toThrow('two handlers');
  });

  test('1,000 jobs claimed by two processes with 8 runs at once are each done exactly once', async () => {
    const { db, place } = await open(migrations);
    await addNumbers(db, 1000);
    const children = ['left', 'right'].map(name => startChild('worker.ts', { place, name, concurrency: 4 }));
    await goAll(children);
    await untilNoJobs(db);
    await stopAll(children);
    const effects = await listEffects(db);
    const numbers = effects.map(effect => Number(effect.split(' ')[0])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(new Set(effects.map(effect => effect.split(' ')[1]))).toEqual(new Set(['left', 'right']));
  });

  test('a worker killed with -9 in the middle loses nothing', async () => {
    const { db, place } = await open(migrations);
    await addNumbers(db, 60);
    const child = startChild('worker.ts', { place, name: 'killed', concurrency: 4, dieAt: 20 });
    await goAll([child]);
    expect(await child.ended).toBe('SIGKILL');
    const done: number[] = [];
    const run = async (job: JobRun) => {
      done.push(Number(job.payload.number));
      await db.transaction().execute(async tx => {
        await job.assertFence(tx);
        await noteEffect(tx, String(job.payload.number), 'rescued');
      });
    };
    const later = { now: () => Date.now() + 60_000 };
    const rescuer = openServer(db, engine, run, { clock: later });
    await rescuer.worker.drain();
    const numbers = new Set((await listEffects(db)).map(effect => Number(effect.split(' ')[0])));
    expect(numbers.size).toBe(60);
    expect(done.length).toBeLessThanOrEqual(60 - 19 + 4);
    expect(await rescuer.worker.counters()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test('a tick has one winner among processes', async () => {
    const { db, place } = await open(migrations);
    const input = { place, concurrency: 2, everySeconds: 3600 };
    const children = ['left', 'right'].map(name => startChild('worker.ts', { ...input, name }));
    await db.insertInto('schedule').values({ name: 'tick', next_at: 1 }).execute();
    await goAll(children);
    while ((await listEffects(db)).length === 0) await new Promise(setImmediate);
    await stopAll(children);
    expect((await listEffects(db)).length).toBe(1);
  });
});

test('PostgreSQL killed with -9 under a working server: it goes on by itself and nothing is lost', async () => {
  const server = await postgres();
  const { url } = await server.freshDatabase();
  const { db, close } = await openPlace({ kind: 'postgres', at: url });
  await migrate(db, 'postgres', migrations, 0);
  await addNumbers(db, 300);
  const half = Promise.withResolvers<void>();
  let runs = 0;
  const run = async (job: JobRun) => {
    runs += 1;
    if (runs === 150) half.resolve();
    await db.transaction().execute(async tx => {
      await job.assertFence(tx);
      const name = String(job.payload.number);
      const known = await tx.selectFrom('effect').select('id').where('name', '=', name).executeTakeFirst();
      if (!known) await noteEffect(tx, name);
    });
  };
  const { worker } = openServer(db, 'postgres', run, {
    clock: { now: () => Date.now() },
    handlers: [handler(run, { leaseSeconds: 1, backoffSeconds: () => 0.01, maxAttempts: 10 })],
    pollMs: 20,
  });
  worker.start();
  await half.promise;
  await server.crash();
  await server.restart();
  await untilNoJobs(db);
  await worker.stop(1000);
  const numbers = (await listEffects(db)).map(Number).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 300 }, (_, index) => index));
  await close();
});

const addNumbers = (db: Db, count: number) =>
  db.transaction().execute(async tx => {
    for (let number = 0; number < count; number++) await enqueue(tx, { kind: 'note', payload: { number } }, 0);
  });

async function goAll(children: readonly Child[]): Promise<void> {
  await Promise.all(children.map(child => child.next()));
  for (const child of children) child.send('go');
}

async function stopAll(children: readonly Child[]): Promise<void> {
  for (const child of children) child.send('stop');
  expect(await Promise.all(children.map(child => child.ended))).toEqual(children.map(() => 0));
}

async function untilNoJobs(db: Db): Promise<void> {
  for (;;) {
    const row = await db.selectFrom('job').select('id').limit(1).executeTakeFirst();
    if (!row) return;
    await new Promise(setImmediate);
  }
}
