// Schedules on several servers: one tick each, initial delay, missed ticks, dead jobs.
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { JobAbort, JobReschedule, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
import { registerSchedules, type Schedule, tickSchedules } from '@recordproof/server/platform/jobs/schedules.ts';
import { expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { handler, jobTestMigrations as migrations, minute, openServer } from '../support/job-server.ts';

/** The database, with a first read that waits. */
function readingAfter(db: Db, opened: Promise<void>): Db {
  const execute = async () => {
    await opened;
    return db.selectFrom('schedule').selectAll().execute();
  };
  const selectFrom = () => ({ selectAll: () => ({ execute }) });
  return new Proxy(db, {
    get: (target, name) => (name === 'selectFrom' ? selectFrom : Reflect.get(target, name, target).bind(target)),
  });
}

eachDatabase((engine, open) => {
  const schedule: Schedule = { name: 'sweep', everySeconds: 60, jobKind: 'note' };

  test('a tick runs on one of many servers, and missed ticks are coalesced', async () => {
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

  test('a server that waited for the schedules while another one ticked leaves its tick as it is', async () => {
    const { db } = await open(migrations);
    const clock = movableClock();
    const startedAt = clock.now();
    await registerSchedules(db, [schedule], startedAt);
    const ticking = { schedules: [schedule], clock, startedAt };
    const gate = Promise.withResolvers<void>();
    const waiting = tickSchedules(readingAfter(db, gate.promise), ticking);
    clock.advance(60 * minute);
    expect(await tickSchedules(db, ticking)).toBe(1);
    gate.resolve();
    expect([await waiting, await tickSchedules(db, ticking)]).toEqual([0, 0]);
  });

  test('the first tick after a start waits for the initial delay, also when due; then for the interval', async () => {
    const { db } = await open(migrations);
    let runs = 0;
    const run = async () => {
      runs += 1;
    };
    const patient = { ...schedule, everySeconds: 10, firstAfterSeconds: 30 };
    const first = openServer(db, engine, run, { schedules: [patient] });
    const runsAfter = async ({ worker, clock }: typeof first, by: number) => {
      clock.advance(by);
      await worker.drain();
      return runs;
    };
    expect([await runsAfter(first, 0), await runsAfter(first, 29_999), await runsAfter(first, 1)]).toEqual([0, 0, 1]);
    expect([await runsAfter(first, 9999), await runsAfter(first, 1)]).toEqual([1, 2]);
    await first.worker.stop(0);
    const clock = movableClock(first.clock.now() + minute);
    const again = { ...openServer(db, engine, run, { schedules: [patient], clock }), clock };
    expect([await runsAfter(again, 0), await runsAfter(again, 29_999), await runsAfter(again, 1)]).toEqual([2, 2, 3]);
  });

  test('a tick adds no job while the last job of the schedule is not done', async () => {
    const { db } = await open(migrations);
    const attempts: number[] = [];
    const run = async (job: JobRun) => {
      attempts.push(job.attempt);
      throw new JobReschedule(150);
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

  test('a tick replaces the dead job of its schedule', async () => {
    const { db } = await open(migrations);
    let isBroken = true;
    const run = async () => {
      if (isBroken) throw new JobAbort('broken');
    };
    const { worker, clock } = openServer(db, engine, run, { schedules: [schedule] });
    await worker.drain();
    const countsAfter = async () => {
      clock.advance(minute);
      await worker.drain();
      const { waiting, dead } = await worker.counters();
      return { waiting, dead };
    };
    expect(await countsAfter()).toEqual({ waiting: 0, dead: 1 });
    expect(await countsAfter()).toEqual({ waiting: 0, dead: 1 });
    isBroken = false;
    expect(await countsAfter()).toEqual({ waiting: 0, dead: 0 });
  });

  test('a schedule without a handler and two handlers for one kind are rejected', async () => {
    const { db } = await open(migrations);
    const run = async () => {};
    const noHandler = () => openServer(db, engine, run, { schedules: [{ ...schedule, jobKind: 'other' }] });
    expect(noHandler).toThrow('no handler for its job kind');
    expect(() => openServer(db, engine, run, { handlers: [handler(run), handler(run)] })).toThrow('two handlers');
  });
});
