// Clean-up of uploads: staged objects of ended ones, expired sessions, old rows.

import { spoolFolder, sweepSpool } from '../../platform/content/spool.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { deleteChunks, listChunks, stagingPrefix } from './chunk-queries.ts';
import { deleteEnded, expireIdle, findUploadById, type UploadRow } from './queries.ts';

const cleanJobKind = 'uploads.clean';
export const sweepJobKind = 'uploads.sweep';

const batch = 100;
const hourMs = 3600_000;
const keptMs = 30 * 24 * hourMs;

/**
 * Recorded staged objects are deleted at once. A server that was writing a chunk when the upload ended may have crashed
 * before recording or deleting it, and presigned URLs outlive their upload: when the last has expired, the upload's
 * prefix in the store is listed as well. For an `idle` upload without writers it is also listed at once.
 */
export async function enqueueCleaning(
  tx: Tx,
  upload: UploadRow,
  now: number,
  urlHours: number,
  { isIdle = false }: { readonly isIdle?: boolean } = {},
): Promise<void> {
  const kind = cleanJobKind;
  const uploadId = upload.id;
  const runAt = now + (urlHours + 1) * hourMs;
  await enqueue(tx, { kind, payload: { uploadId, unnoted: true }, uniqueKey: `late:${uploadId}`, runAt }, now);
  const payload = isIdle ? { uploadId, unnoted: true } : { uploadId };
  await enqueue(tx, { kind, payload, uniqueKey: `upload:${uploadId}` }, now);
}

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
