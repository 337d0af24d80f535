// A server that runs jobs: records each run as an effect, with its own name. `dieAt` n: it is killed within the n-th
// run, after its effect is committed.
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { exponentialBackoff, type JobHandler } from '@recordproof/server/platform/jobs/jobs.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { childInput, dieHere, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { noteEffect } from '../effects.ts';

export type WorkerInput = {
  readonly address: TestDatabaseAddress;
  readonly name: string;
  readonly concurrency: number;
  readonly dieAt?: number;
  readonly everySeconds?: number;
};

const { address, name, concurrency, dieAt, everySeconds } = childInput<WorkerInput>();
const { db, kind: engine } = await openTestDatabase(address);
let runs = 0;

const note: JobHandler = {
  kind: 'note',
  leaseSeconds: 30,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(1, 10),
  run: async job => {
    runs += 1;
    const mine = runs;
    await db.transaction().execute(async tx => {
      await job.assertFence(tx);
      await noteEffect(tx, String(job.payload.number ?? job.payload.schedule), name);
    });
    if (mine === dieAt) dieHere();
  },
};

const worker = openWorker({
  db,
  engine,
  clock: systemClock,
  log: silentLog,
  handlers: [note],
  schedules: everySeconds === undefined ? [] : [{ name: 'tick', everySeconds, jobKind: 'note' }],
  concurrency,
  pollMs: 20,
});
tell('ready');
process.once('message', async () => {
  worker.start();
  process.once('message', async () => {
    await worker.stop(5000);
    process.exit(0);
  });
});
