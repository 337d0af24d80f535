// Jobs of two worker processes: each is done once, through kill -9 of a worker and of PostgreSQL.
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { enqueue, type JobRun } from '@recordproof/server/platform/jobs/jobs.ts';
import { expect, test } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { eachDatabase } from '../support/databases.ts';
import { listEffects, noteEffect } from '../support/effects.ts';
import { handler, jobTestMigrations as migrations, openServer } from '../support/job-server.ts';
import { startPostgres } from '../support/postgres.ts';

eachDatabase((engine, open) => {
  test('1,000 jobs claimed by two processes with 8 concurrent runs are each done exactly once', async () => {
    const { db, address } = await open(migrations);
    await addNumbers(db, 1000);
    const children = ['left', 'right'].map(name => startChild('worker.ts', { address, name, concurrency: 4 }));
    await goAll(children);
    await untilNoJobs(db);
    await stopAll(children);
    const effects = await listEffects(db);
    const numbers = effects.map(effect => Number(effect.split(' ')[0])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(new Set(effects.map(effect => effect.split(' ')[1]))).toEqual(new Set(['left', 'right']));
  });

  test('a worker killed with -9 loses no job', async () => {
    const { db, address } = await open(migrations);
    await addNumbers(db, 60);
    const child = startChild('worker.ts', { address, name: 'killed', concurrency: 4, dieAt: 20 });
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

  test('a tick is claimed by exactly one process', async () => {
    const { db, address } = await open(migrations);
    const input = { address, concurrency: 2, everySeconds: 3600 };
    const children = ['left', 'right'].map(name => startChild('worker.ts', { ...input, name }));
    await db.insertInto('schedule').values({ name: 'tick', next_at: 1 }).execute();
    await goAll(children);
    while ((await listEffects(db)).length === 0) await new Promise(setImmediate);
    await stopAll(children);
    expect((await listEffects(db)).length).toBe(1);
  });
});

test('a worker recovers from PostgreSQL being killed with -9, and loses no job', async () => {
  await using server = await startPostgres();
  const { url } = await server.freshDatabase();
  const { db, close } = await openTestDatabase({ kind: 'postgres', at: url });
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
    // A slow machine may claim and fail many times while the database is coming back.
    handlers: [handler(run, { leaseSeconds: 1, backoffSeconds: () => 0.01, maxAttempts: 10_000 })],
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
    // After a crash the pool may still give out a connection whose end this process has not read yet.
    const left = await db
      .selectFrom('job')
      .select('id')
      .limit(1)
      .execute()
      .catch(() => ['unknown']);
    if (left.length === 0) return;
    await new Promise(setImmediate);
  }
}
