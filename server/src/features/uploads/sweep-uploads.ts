// What is over is cleared away: the staged objects of ended uploads, sessions nobody came back to, old rows.
import type { Clock } from '../../platform/clock.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { cleanJobKind, enqueueCleaning } from './enqueue-cleaning.ts';
import type { UploadPorts } from './ports.ts';
import { deleteChunks, deleteEnded, expireIdle, getUploadById, listChunks } from './queries.ts';
import { stagingPrefix } from './receive-chunk.ts';

export const sweepJobKind = 'uploads.sweep';

const batch = 100;
const keptMs = 30 * 24 * 3600_000;

export const cleanJob = ({ database, objects }: UploadPorts): JobHandler => ({
  kind: cleanJobKind,
  leaseSeconds: 60,
  maxAttempts: 100,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async job => {
    const { db } = database;
    const take = (key: string): Promise<void> => {
      job.signal.throwIfAborted();
      return objects.delete(key);
    };
    const upload = await getUploadById(db, Number(job.payload.uploadId));
    const noted = await listChunks(db, upload.id);
    await inParallel(noted, chunk => take(chunk.storage_key), 8);
    await db.transaction().execute(tx => deleteChunks(tx, upload.id));
    if (job.payload.unnoted !== true) return;
    for await (const { key } of objects.list(stagingPrefix(upload))) await take(key);
  },
});

export const sweepJob = ({ database, clock, limits }: UploadPorts): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 5,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async ({ signal }) => {
    while (!signal.aborted && (await expireBatch(database.db, clock, limits.urlHours)) === batch);
    const before = clock.now() - keptMs;
    while (
      !signal.aborted &&
      (await database.db.transaction().execute(tx => deleteEnded(tx, before, batch))) === batch
    );
  },
});

const expireBatch = (db: UploadPorts['database']['db'], clock: Clock, urlHours: number): Promise<number> =>
  db.transaction().execute(async tx => {
    const expired = await expireIdle(tx, clock.now(), batch);
    for (const upload of expired) await enqueueCleaning(tx, upload, clock.now(), urlHours, { isIdle: true });
    return expired.length;
  });
