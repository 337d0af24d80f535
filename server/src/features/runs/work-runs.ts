// Poll and job of runs: the poll enqueues a job for every unfinished run. A run whose job fails at all attempts ends as
// FAILED.
import { LeaseLost } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { FeatureParts } from '../../platform/feature-parts.ts';
import { enqueue, exponentialBackoff, type JobHandler, JobReschedule } from '../../platform/jobs/jobs.ts';
import { type ChangesRuns, failRun, runJobKind, toRunJob } from './change-run.ts';
import { isActive, isDiscovered, type RunKey, type RunKind, type RunRow } from './run-kind.ts';
import { listRunnable, lockRun, updateRun } from './run-queries.ts';

const maxAttempts = 5;
const common = { leaseSeconds: 60, maxAttempts, backoffSeconds: exponentialBackoff(2, 60) } as const;
const longestSeconds = 24 * 3600;

type Work<Row extends RunRow> = {
  readonly pollSeconds: number;
  readonly firstPollAfterSeconds?: number;
  readonly runsAtOnce: number;
  /** The modes that this server processes, by configuration. */
  readonly listModes: () => readonly Row['mode'][];
  /** Before each poll. */
  readonly startScheduled?: () => Promise<void>;
  /** Returns the time of the next work; null if the run is over or the next poll continues it. */
  readonly work: (which: RunKey, signal: AbortSignal) => Promise<Time | null>;
};

/** The jobs and the schedule of a kind of runs. */
export function runParts<Row extends RunRow>(server: ChangesRuns, kind: RunKind<Row>, work: Work<Row>): FeatureParts {
  const { pollSeconds: everySeconds, firstPollAfterSeconds: firstAfterSeconds } = work;
  const jobKind = `${kind.name}.poll`;
  const poll = { kind: jobKind, ...common, run: () => pollRuns(server, kind, work) };
  const first = firstAfterSeconds === undefined ? {} : { firstAfterSeconds };
  return {
    jobs: [poll, runJob(server, kind, work)],
    schedules: [{ name: kind.name, everySeconds, jobKind, ...first }],
  };
}

async function pollRuns<Row extends RunRow>(
  { database, clock }: ChangesRuns,
  kind: RunKind<Row>,
  { listModes, startScheduled, runsAtOnce }: Work<Row>,
): Promise<void> {
  const modes = listModes();
  if (modes.length === 0) return;
  await startScheduled?.();
  for (const run of await listRunnable(database.db, kind, { modes, limit: runsAtOnce }))
    await database.db.transaction().execute(tx => enqueue(tx, toRunJob(kind, run), clock.now()));
}

const runJob = <Row extends RunRow>(
  server: ChangesRuns,
  kind: RunKind<Row>,
  { work, listModes }: Work<Row>,
): JobHandler => ({
  kind: runJobKind(kind),
  ...common,
  maxSeconds: longestSeconds,
  sharesAttempts: true, // polls enqueue another job while this one runs
  run: async ({ payload, attempt, signal }) => {
    if (listModes().length === 0) return;
    const which = { tenantId: payload.tenantId as Key, runId: payload.runId as Key };
    try {
      const until = await work(which, signal);
      // After a failure the next poll continues with a new job, so that failures far apart do not add up.
      if (until !== null && attempt === 1) throw new JobReschedule(Math.max(0, until - server.clock.now()) / 1000);
    } catch (error) {
      if (error instanceof LeaseLost && !signal.aborted) return; // another server is the leader now
      const isLast = !(error instanceof JobReschedule) && !signal.aborted && attempt >= maxAttempts;
      if (isLast) await failRun(server, kind, which, error); // throws while the database is unavailable; the run stays open
      throw error;
    }
  },
});

type Discovery<Row extends RunRow> = {
  /** The first statement of each transaction: throws if this server may not find items. */
  readonly assertLead?: (tx: Tx) => Promise<void>;
  /** Inserts items for the next rows of the list; returns the last id, null if there are no more. */
  readonly discover: (tx: Tx, run: Row, now: Time) => Promise<Key | null>;
};

/** Finds the items of an active run, one page per transaction, until all are found or the run is paused. */
export async function discoverItems<Row extends RunRow>(
  { database, clock }: ChangesRuns,
  kind: RunKind<Row>,
  which: RunKey,
  { assertLead, discover, signal }: Discovery<Row> & { readonly signal: AbortSignal },
): Promise<void> {
  for (let isMore = true; isMore; ) {
    signal.throwIfAborted();
    isMore = await database.db.transaction().execute(async tx => {
      await assertLead?.(tx);
      const run = await lockActiveRun(tx, database.kind, kind, which);
      if (run === null || isDiscovered(kind, run)) return false;
      const seen = (await discover(tx, run, clock.now())) ?? run[kind.lastColumn];
      await updateRun(tx, kind, run, { [kind.seenColumn]: seen } as Partial<Row>);
      return true;
    });
  }
}

/** Returns null if it is paused or over. */
export async function lockActiveRun<Row extends RunRow>(
  tx: Tx,
  engine: Engine,
  kind: RunKind<Row>,
  which: RunKey,
): Promise<Row | null> {
  const run = await lockRun(tx, engine, kind, which);
  return run !== null && isActive(kind, run) ? run : null;
}
