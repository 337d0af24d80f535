import { JobLater, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
import type { Schedule } from '@recordproof/server/platform/jobs/schedules.ts';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/databases.ts';
import { handler, jobTestMigrations as migrations, minute, openServer } from '../support/job-server.ts';

eachDatabase((engine, open) => {
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
});
