// The scrub: re-reads every stored byte within a number of days, least recently read first, at a limited rate and in
// configured hours. One job serves all servers; progress is stored per object, so it resumes after any interruption. An
// object that cannot be read while the store answers fails alone: it leaves the queue and is retried later. An
// unreachable store is an outage and no damage.
import { localCall } from '../../platform/call.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import { isWithinHours } from '../../platform/jobs/day-hours.ts';
import { exponentialBackoff, type JobHandler, JobReschedule, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import {
  type DueObject,
  listDueObjects,
  listFailedObjects,
  noteArrivals,
  noteRead,
  type ReadObject,
  sampleReadable,
  toHourStart,
} from '../stored-objects/index.ts';
import { examineBytes, examineHead, type StoredBytes } from './examine-chunks.ts';
import type { Healing } from './heal-chunk.ts';
import { reportDamage } from './report-damage.ts';
import type { ScrubMetrics } from './scrub-metrics.ts';

type Scrubbing = Healing & Pick<Server, 'config'>;

const scrubKind = 'integrity.scrub';
const dayMs = 86_400_000;
const pollEverySeconds = 300;
/** Read without a pause; the pause afterwards sets the rate. */
const sliceSeconds = 2;
const objectsAtOnce = 500;
const arrivalsAtOnce = 5000;
/** The fixed cost of an object: opening it, and its row. */
const costPerObject = 65_536;
const outagePauseSeconds = 60;
const mostErrorsInARow = 16;
const retryFailedMs = 6 * 3_600_000;
const failedAtOnce = 16;
/** Objects sampled after failures to find out whether the store answers, and the bytes read of each. */
const sampleObjects = 8;
const sampleBytes = 4096;

/** Objects last read before this time are due. Half of the configured days remain as a reserve; in whole hours. */
export const dueBefore = ({ withinDays }: Server['config']['integrity']['scrub'], now: Time): Time =>
  toHourStart(now - (withinDays * dayMs) / 2);

export const scrubSchedules = ({ config }: Pick<Server, 'config'>): Schedule[] =>
  config.integrity.scrub.enabled
    ? [{ name: scrubKind, everySeconds: pollEverySeconds, jobKind: scrubKind, firstAfterSeconds: 30 }]
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
    await noteAllArrivals(server, job.signal);
    const now = clock.now();
    if (!isWithinHours(hours, now)) return;
    const failed = await listFailedObjects(database.db, now - retryFailedMs, failedAtOnce);
    const due = await listDueObjects(database.db, dueBefore(config.integrity.scrub, now), objectsAtOnce);
    const slice = takeSlice([...failed, ...due], bytesPerSecond * sliceSeconds);
    if (slice.length === 0) return;
    const { isAway, cost } = await readSlice(server, metrics, slice, job);
    throw new JobReschedule(isAway ? outagePauseSeconds : cost / bytesPerSecond);
  },
});

async function noteAllArrivals({ database, clock }: Pick<Server, 'database' | 'clock'>, signal: AbortSignal) {
  for (let noted = arrivalsAtOnce; noted === arrivalsAtOnce; ) {
    signal.throwIfAborted();
    noted = await database.db.transaction().execute(tx => noteArrivals(tx, clock.now(), arrivalsAtOnce));
  }
}

/** At least one, however large. */
function takeSlice(due: readonly DueObject[], mostCost: number): DueObject[] {
  let cost = 0;
  const end = due.findIndex(object => {
    cost += object.size + costPerObject;
    return cost > mostCost;
  });
  return due.slice(0, end < 0 ? due.length : Math.max(1, end));
}

type SliceEnd = {
  /** The whole store is unreachable. */
  readonly isAway: boolean;
  readonly cost: number;
};

async function readSlice(
  server: Scrubbing,
  metrics: ScrubMetrics,
  slice: readonly DueObject[],
  { signal, assertFence }: JobRun,
): Promise<SliceEnd> {
  const read: ReadObject[] = [];
  const failed: Key[] = [];
  /** Failed since the store last answered: either damaged, or the store is unreachable. */
  let unclear: DueObject[] = [];
  let isAway = false;
  let cost = 0;
  const endUnclear = async (answers: boolean): Promise<void> => {
    isAway = !(answers || (await isAnswering(server, unclear, signal)));
    if (!isAway) failed.push(...unclear.map(({ id }) => id));
    unclear = [];
  };
  for (const object of slice) {
    if (signal.aborted || isAway) break;
    const result = await tryObject(server, metrics, object, signal);
    if (signal.aborted) break;
    cost += costPerObject + (result === null ? 0 : object.size);
    if (result !== null) read.push(result);
    else unclear.push(object);
    if (result !== null || unclear.length >= mostErrorsInARow) await endUnclear(result !== null);
  }
  if (unclear.length > 0 && !signal.aborted) await endUnclear(false);
  await server.database.db.transaction().execute(async tx => {
    await assertFence(tx);
    await noteRead(tx, server.database.kind, { read, failed }, server.clock.now());
  });
  signal.throwIfAborted();
  return { isAway, cost };
}

/** Whether any other object can be read. */
async function isAnswering(
  { database, objects }: Scrubbing,
  failed: readonly DueObject[],
  signal: AbortSignal,
): Promise<boolean> {
  const failedIds = new Set(failed.map(({ id }) => id));
  for (const { id, path } of await sampleReadable(database.db, sampleObjects)) {
    if (failedIds.has(id)) continue;
    const start = await objects.readStart(path, sampleBytes, signal).catch(() => null);
    if (start !== null) return true;
  }
  return false;
}

/** Returns null on failure. */
async function tryObject(
  server: Scrubbing,
  metrics: ScrubMetrics,
  object: DueObject,
  signal: AbortSignal,
): Promise<ReadObject | null> {
  try {
    return await readObject(server, metrics, object, signal);
  } catch (error) {
    if (signal.aborted) return null;
    metrics.objectRead('failed', 0);
    const which = { objectId: object.id, path: object.path, error: toErrorText(error) };
    server.log.warn(which, 'the scrub failed to read an object');
    return null;
  }
}

async function readObject(
  server: Scrubbing,
  metrics: ScrubMetrics,
  object: DueObject,
  signal: AbortSignal,
): Promise<ReadObject> {
  const { objects } = server;
  const { path, sha256, size } = object;
  const chunk: StoredBytes = { storagePath: path, size, cipherHash: `sha256:${sha256}` };
  let etag: string | null = null;
  const read = {
    digest: objects.digest.bind(objects),
    findHead: async (key: string) => {
      const head = await objects.findHead(key);
      etag = head?.etag ?? null;
      return head;
    },
  };
  const kept = new Map([[path, { sha256, size, etag: null }]]);
  const head = await examineHead(read, { kept, chunk, isDeclared: false, signal });
  const problem = head ?? (await examineBytes(read, chunk, signal));
  if (problem === null) {
    metrics.objectRead('whole', size);
    return { id: object.id, etag: objects.backend === 'S3' ? etag : null };
  }
  const call = localCall('integrity scrub', object.tenant_id, server.clock.now());
  const isOfFile = await reportDamage(server, call, { object, problem, signal });
  metrics.objectRead(isOfFile ? 'damaged' : 'whole', size);
  return { id: object.id, etag: null };
}
