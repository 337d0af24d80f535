// Clean-up of uploads: staged objects of ended ones, expired sessions, old rows.
import { inParallel } from '../../platform/in-parallel.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { deleteChunks, listChunks } from './chunk-queries.ts';
import { cleanJobKind, enqueueCleaning } from './enqueue-cleaning.ts';
import { deleteEnded, expireIdle, findUploadById, forgetRepeatables } from './queries.ts';
import { stagingPrefix } from './receive-chunk.ts';
import { spoolFolder, sweepSpool } from './spool.ts';

export const sweepJobKind = 'uploads.sweep';

const batch = 100;
const keptMs = 30 * 24 * 3600_000;

export const cleanJob = ({ database, objects }: Pick<Server, 'database' | 'objects'>): JobHandler => ({
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
    const upload = await findUploadById(db, Number(job.payload.uploadId));
    if (upload === null) return; // its row is deleted only after its objects
    const noted = await listChunks(db, upload.id);
    await inParallel(noted, chunk => take(chunk.storage_key), 8);
    await db.transaction().execute(tx => deleteChunks(tx, upload.id));
    if (job.payload.unnoted !== true) return;
    for await (const { key } of objects.list(stagingPrefix(upload))) await take(key);
  },
});

type Sweeps = Pick<Server, 'database' | 'clock' | 'config' | 'underWay'>;

export const sweepJob = (server: Sweeps): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 5,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async ({ signal }) => {
    const { database, clock } = server;
    await sweepSpool(spoolFolder(server));
    await forgetRepeatables(database.db, clock.now());
    while (!signal.aborted && (await expireBatch(server)) === batch);
    const before = clock.now() - keptMs;
    while (
      !signal.aborted &&
      (await database.db.transaction().execute(tx => deleteEnded(tx, before, batch))) === batch
    );
  },
});

async function expireBatch({ database, clock, config, underWay }: Sweeps): Promise<number> {
  const expired = await database.db.transaction().execute(async tx => {
    const uploads = await expireIdle(tx, clock.now(), batch);
    for (const upload of uploads)
      await enqueueCleaning(tx, upload, clock.now(), config.uploads.urlHours, { isIdle: true });
    return uploads;
  });
  for (const upload of expired) underWay.forget(upload);
  return expired.length;
}
