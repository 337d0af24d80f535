// A clock that was ahead and is corrected: nothing is delayed by the error.
import { JobReschedule, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
import type { Schedule } from '@recordproof/server/platform/jobs/schedules.ts';
import { lockMigrations, withLease } from '@recordproof/server/platform/lock.ts';
import { expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { jobTestMigrations, minute, openServer, stubbornRun } from '../support/job-server.ts';

const day = 24 * 60 * minute;
const migrations = [...jobTestMigrations, ...lockMigrations];

eachDatabase((engine, open) => {
  const schedule: Schedule = { name: 'sweep', everySeconds: 60, jobKind: 'note' };

  test('schedules keep their interval after the clock jumps back', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const run = async () => {
      runs += 1;
    };
    const { worker, clock } = openServer(db, engine, run, { schedules: [schedule] });
    await worker.drain();
    clock.advance(3 * day);
    await worker.drain();
    expect(runs).toBe(1);
    clock.advance(-3 * day);
    await worker.drain();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(minute);
      await worker.drain();
    }
    expect(runs).toBe(4);
  });

  test('a job of a server killed while its clock was ahead is taken over after one lease', async () => {
    const { db } = await open(migrations);
    const dead = stubbornRun();
    const killed = openServer(db, engine, dead.run);
    killed.clock.advance(3 * day);
    await killed.add();
    void killed.worker.drain();
    await dead.started;
    let runs = 0;
    const { worker, clock } = openServer(db, engine, async () => {
      runs += 1;
    });
    await worker.drain();
    expect(runs).toBe(0);
    clock.advance(31_000);
    await worker.drain();
    expect(runs).toBe(1);
    dead.end();
    await killed.worker.stop(1000);
  });

  test('jobs created or retried while the clock was ahead run on time after the clock jumps back', async () => {
    const { db } = await open(migrations);
    const runs: unknown[] = [];
    let isFirst = true;
    const run = async (job: JobRun) => {
      if (isFirst) {
        isFirst = false;
        throw new JobReschedule(10);
      }
      runs.push(job.payload.name);
    };
    const { worker, clock, add } = openServer(db, engine, run);
    clock.advance(3 * day);
    await add({ payload: { name: 'tried' } });
    await worker.drain();
    await add({ payload: { name: 'new' }, runAt: clock.now() + minute });
    clock.advance(-3 * day);
    await worker.drain();
    expect(runs).toEqual(['tried']);
    clock.advance(minute);
    await worker.drain();
    expect(runs).toEqual(['tried', 'new']);
  });

  test('a job scheduled for a distant date keeps its date after the clock jumps back', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const { worker, clock, add } = openServer(db, engine, async () => {
      runs += 1;
    });
    await add({ runAt: clock.now() + 30 * day });
    clock.advance(-30_000);
    await worker.drain();
    clock.advance(29 * day);
    await worker.drain();
    expect(runs).toBe(0);
  });

  test('a lock with a lease end days ahead is free; a lock that is held is not', async () => {
    const { db } = await open(migrations);
    const clock = movableClock();
    const context = { db, engine, clock };
    await db
      .insertInto('lease_lock')
      .values({ name: 'work', fence: 7, due_at: clock.now() + 3 * day })
      .execute();
    const fences: number[] = [];
    await withLease(context, 'work', { leaseSeconds: 30 }, async ({ fence }) => {
      fences.push(fence);
      expect(await withLease(context, 'work', { leaseSeconds: 30 }, async () => 'second')).toBeNull();
    });
    expect(fences).toEqual([8]);
  });
});
