// The scrub: reads every byte that is stored again within a number of days, the least recently read first, at a bounded
// pace and in set hours. One job does it for all servers; how far it has come is in the rows of the objects, so that it
// goes on after any end. What cannot be asked is an outage and no damage.
import { localCall } from '../../platform/call.ts';
import type { Time } from '../../platform/db/tables.ts';
import { isWithinHours } from '../../platform/jobs/day-hours.ts';
import { exponentialBackoff, type JobHandler, JobLater, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import {
  type DueObject,
  listDueObjects,
  noteArrivals,
  noteVerified,
  type VerifiedObject,
} from '../stored-objects/index.ts';
import { type ChunkProblem, examineBytes, examineHead, type StoredBytes } from './examine-chunks.ts';
import type { Healing } from './heal-chunk.ts';
import { reportDamage } from './report-damage.ts';
import type { ScrubMetrics } from './scrub-metrics.ts';

type Scrubbing = Healing & Pick<Server, 'config'>;

const scrubKind = 'integrity.scrub';
const dayMs = 86_400_000;
const lookEverySeconds = 300;
/** Read in one go; the pause after it makes the pace. */
const sliceSeconds = 2;
const objectsAtOnce = 500;
const arrivalsAtOnce = 5000;
/** What an object costs beside its bytes: opening it, and its row. */
const costPerObject = 65_536;
const outagePauseSeconds = 60;
const mostErrorsInARow = 16;

/** Objects that were read before this time are due: with half of the days to spare. */
export const dueBefore = ({ withinDays }: Server['config']['integrity']['scrub'], now: Time): Time =>
  now - (withinDays * dayMs) / 2;

export const scrubSchedules = ({ config }: Pick<Server, 'config'>): Schedule[] =>
  config.integrity.scrub.enabled
    ? [{ name: scrubKind, everySeconds: lookEverySeconds, jobKind: scrubKind, firstAfterSeconds: 30 }]
    : [];

export const scrubJob = (server: Scrubbing, metrics: ScrubMetrics): JobHandler => ({
  kind: scrubKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async job => {
    const { database, clock, config } = server;
    const { enabled, hours, bytesPerSecond } = config.integrity.scrub;
    if (!enabled) return;
    while ((await noteArrivals(database.db, clock.now(), arrivalsAtOnce)) === arrivalsAtOnce)
      job.signal.throwIfAborted();
    const now = clock.now();
    if (!isWithinHours(hours, now)) return;
    const due = await listDueObjects(database.db, dueBefore(config.integrity.scrub, now), objectsAtOnce);
    const slice = takeSlice(due, bytesPerSecond * sliceSeconds);
    if (slice.length === 0) return;
    const isAway = await readSlice(server, metrics, slice, job);
    throw new JobLater(isAway ? outagePauseSeconds : costOf(slice) / bytesPerSecond);
  },
});

const costOf = (objects: readonly DueObject[]): number =>
  objects.reduce((sum, { size }) => sum + size + costPerObject, 0);

/** At least one, however large. */
function takeSlice(due: readonly DueObject[], mostCost: number): DueObject[] {
  let cost = 0;
  const end = due.findIndex(object => {
    cost += object.size + costPerObject;
    return cost > mostCost;
  });
  return due.slice(0, end < 0 ? due.length : Math.max(1, end));
}

/** Whether nothing of the store answers. */
async function readSlice(
  server: Scrubbing,
  metrics: ScrubMetrics,
  slice: readonly DueObject[],
  { signal, assertFence }: JobRun,
): Promise<boolean> {
  const verified: VerifiedObject[] = [];
  let errorsInARow = 0;
  for (const object of slice) {
    if (signal.aborted || errorsInARow >= mostErrorsInARow) break;
    try {
      verified.push(await readObject(server, metrics, object, signal));
      errorsInARow = 0;
    } catch (error) {
      if (signal.aborted) break;
      errorsInARow += 1;
      metrics.objectRead('failed', 0);
      server.log.warn({ objectId: object.id, error: toErrorText(error) }, 'the scrub could not read an object');
    }
  }
  await server.database.db.transaction().execute(async tx => {
    await assertFence(tx);
    await noteVerified(tx, verified, server.clock.now());
  });
  signal.throwIfAborted();
  return verified.length === 0;
}

async function readObject(
  server: Scrubbing,
  metrics: ScrubMetrics,
  object: DueObject,
  signal: AbortSignal,
): Promise<VerifiedObject> {
  const { objects, clock } = server;
  const { path, sha256, size } = object;
  const chunk: StoredBytes = { storagePath: path, size, cipherHash: `sha256:${sha256}` };
  const head = await objects.findHead(path).catch(() => null); // examined below
  const problem = await examine(server, chunk, { sha256, size, etag: null }, signal);
  if (problem === null) {
    metrics.objectRead('whole', size);
    return { id: object.id, etag: objects.backend === 'S3' ? (head?.etag ?? null) : null };
  }
  const call = localCall('integrity scrub', object.tenant_id, clock.now());
  const isOfFile = await reportDamage(server, call, { object, problem, signal });
  metrics.objectRead(isOfFile ? 'damaged' : 'whole', size);
  return { id: object.id, etag: null };
}

async function examine(
  { objects }: Pick<Server, 'objects'>,
  chunk: StoredBytes,
  noted: { readonly sha256: string; readonly size: number; readonly etag: null },
  signal: AbortSignal,
): Promise<ChunkProblem<StoredBytes> | null> {
  const kept = new Map([[chunk.storagePath, noted]]);
  const head = await examineHead(objects, { kept, chunk, isDeclared: false, signal });
  return head ?? examineBytes(objects, chunk, signal);
}
