// Work that outlives the request: a row written in the caller's transaction, done later by any server. A job may run
// twice and may die anywhere, so its handler starts by reading the state again; the payload holds ids, never contents.
import { sql } from 'kysely';
import type { Key, Time, Tx } from '../db/tables.ts';
import { announceWork } from '../db/work-bell.ts';
import { traceToKeep } from '../telemetry/trace-context.ts';
import type { Claimed } from './queries.ts';

const maxPayloadBytes = 64 * 1024;

export type NewJob = {
  readonly kind: string;
  /** Ids only; at most 64 KiB of JSON. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Not before this time; at once when left out. */
  readonly runAt?: Time;
  /** While one with this key waits, another is not added. One that already runs does not count: it may have read the
   *  state before this change. Transactions that enqueue one key take turns, so enqueue last, and several keys in order. */
  readonly uniqueKey?: string;
  /** Nobody waits for it: it may gather with others for a moment before a server looks for it. */
  readonly isPatient?: boolean;
  /** Instead of what the handler says. */
  readonly maxAttempts?: number;
  /** The trace that it carries on; that of whoever enqueues it when left out. */
  readonly trace?: string | null;
};

/** What a handler is given. */
export type JobRun = {
  readonly id: Key;
  readonly payload: Readonly<Record<string, unknown>>;
  /** 1 for the first time. */
  readonly attempt: number;
  /** Greater than that of every earlier run of this job. */
  readonly fence: number;
  /** Aborted when the server stops, the lease is lost or the time is up. Whoever ends because of it is run again. */
  readonly signal: AbortSignal;
  /** Asks for the full lease again, now; throws `LeaseLost` when somebody else has the job. Never within a
   *  transaction. The lease is renewed by itself too. */
  keepLease(): Promise<void>;
  /** The first statement of a transaction that must not be written by a run that has lost its lease. */
  assertFence(tx: Tx): Promise<void>;
};

export type JobHandler = {
  readonly kind: string;
  /** How long nobody else takes the job after this server was last heard of. Clocks of servers may differ by less. */
  readonly leaseSeconds: number;
  readonly maxAttempts: number;
  /** How long a run may take at all; an hour when left out. */
  readonly maxSeconds?: number;
  /** The pause after the given failed attempt; the worker adds jitter. */
  backoffSeconds(attempt: number): number;
  run(job: JobRun): Promise<void>;
};

/** Jobs of which many are done together, one set after the other on each server, so that they keep their order. */
export type SetHandler = {
  readonly kind: string;
  /** As for a single job, but nobody renews it: a set is done in less. */
  readonly leaseSeconds: number;
  /** In the order in which they were enqueued. Writes down how each of them ended. */
  runSet(jobs: readonly Claimed[], signal: AbortSignal): Promise<void>;
};

/** Trying again cannot help: the job is dead at once. */
export class JobAbort extends Error {}

/** So often a server may die under one and the same work, or step of a saga, before that is taken for the cause. */
export const maxDeaths = 10;

/** Not a failure, but nothing to do yet: the job waits again and this attempt does not count. */
export class JobLater extends Error {
  readonly seconds: number;
  constructor(seconds: number, options?: ErrorOptions) {
    super(`to be tried again in ${seconds} s`, options);
    this.seconds = seconds;
  }
}

const longestPauseSeconds = 15;

/** The pause before something that is out of order is asked again: a quarter of the time it was waited for already. */
export const growingPauseSeconds = (waitedMs: number): number =>
  Math.min(Math.max(1, waitedMs / 4000), longestPauseSeconds);

/** 1, 2, 4, … times the first pause, never more than the last. */
export const exponentialBackoff =
  (firstSeconds: number, lastSeconds: number) =>
  (attempt: number): number =>
    Math.min(lastSeconds, firstSeconds * 2 ** Math.min(attempt - 1, 30));

function toRow(job: NewJob, now: Time) {
  const payload = JSON.stringify(job.payload ?? {});
  if (Buffer.byteLength(payload) > maxPayloadBytes) {
    throw new RangeError(`the payload of a "${job.kind}" job is larger than 64 KiB; a payload holds ids.`);
  }
  return {
    kind: job.kind,
    payload,
    unique_key: job.uniqueKey ?? null,
    state: 'WAITING' as const,
    due_at: job.runAt ?? now,
    attempt: 0,
    max_attempts: job.maxAttempts ?? null,
    fence: 0,
    last_error: null,
    created_at: now,
    trace: job.trace === undefined ? traceToKeep() : job.trace,
  };
}

const rowsAtOnce = 500;

/** Writes many jobs without a key, in their order, as `enqueue` does one. */
export async function enqueueAll(
  tx: Tx,
  jobs: readonly (NewJob & { readonly uniqueKey?: never })[],
  now: Time,
): Promise<void> {
  for (let from = 0; from < jobs.length; from += rowsAtOnce) {
    const rows = jobs.slice(from, from + rowsAtOnce).map(job => toRow(job, now));
    await tx.insertInto('job').values(rows).execute();
  }
  const due = jobs.filter(({ runAt = now }) => runAt <= now);
  for (const [isPatient, some] of Map.groupBy(due, job => job.isPatient ?? false))
    for (const kind of new Set(some.map(({ kind }) => kind))) await announceWork(tx, kind, isPatient);
}

/** Writes the job with the caller's transaction: it exists when and only when that is committed. */
export async function enqueue(tx: Tx, job: NewJob, now: Time): Promise<void> {
  await tx
    .insertInto('job')
    .values(toRow(job, now))
    .onConflict(conflict =>
      conflict
        .columns(['kind', 'unique_key'])
        .where(sql<boolean>`state = 'WAITING' and unique_key is not null`)
        // Changes nothing, but holds the row: it cannot start before this transaction's changes can be seen.
        .doUpdateSet(eb => ({ unique_key: eb.ref('excluded.unique_key') })),
    )
    .execute();
  if (job.runAt === undefined || job.runAt <= now) await announceWork(tx, job.kind, job.isPatient);
}
