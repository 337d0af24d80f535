// Durable background jobs: a row in the caller's transaction, run later by any server. A job may run twice and may be
// interrupted anywhere, so its handler starts by reading the state again; the payload holds ids, never contents.
import { sql } from 'kysely';
import type { Engine } from '../db/open-db.ts';
import { selectWhere } from '../db/rows.ts';
import type { Key, Time, Tx } from '../db/tables.ts';
import { announceWork } from '../db/work-notifications.ts';
import { type Write, writeTogether } from '../db/write-together.ts';
import { traceToKeep } from '../telemetry/trace-context.ts';
import type { Claimed } from './queries.ts';

const maxPayloadBytes = 64 * 1024;

export type NewJob = {
  readonly kind: string;
  /** Ids only; at most 64 KiB of JSON. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Not before this time; default: now. */
  readonly runAt?: Time;
  /**
   * A waiting job with this key prevents another. A running one does not: it may have read the state before this
   * change. Transactions that enqueue the same key block each other, so enqueue last, and several keys in order.
   */
  readonly uniqueKey?: string;
  /** Background work: it may be coalesced with other jobs before a worker claims it. */
  readonly isCoalesced?: boolean;
  /** Overrides the handler's value. */
  readonly maxAttempts?: number;
  /** The trace that the job continues; default: the current one. */
  readonly trace?: string | null;
};

/** The arguments of a handler. */
export type JobRun = {
  readonly id: Key;
  readonly payload: Readonly<Record<string, unknown>>;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** Higher than that of every earlier run of this job. */
  readonly fence: number;
  /** Aborted when the server stops, the lease is lost or the time is up. A run that ends because of it is repeated. */
  readonly signal: AbortSignal;
  /**
   * Renews the full lease now; throws `LeaseLost` if another server has the job. Not within a transaction. The lease is
   * also renewed automatically.
   */
  keepLease(): Promise<void>;
  /** First statement of a transaction that a run without its lease must not commit. */
  assertFence(tx: Tx): Promise<void>;
};

export type JobHandler = {
  readonly kind: string;
  /**
   * How long other servers wait after the last renewal before they take over. Must exceed the clock differences between
   * servers.
   */
  readonly leaseSeconds: number;
  readonly maxAttempts: number;
  /** Time limit of a run; default: one hour. */
  readonly maxSeconds?: number;
  /** The pause after a failed attempt; the worker adds jitter. */
  backoffSeconds(attempt: number): number;
  /**
   * A failed attempt also counts for the waiting job with its key, which takes over the work: for jobs that are enqueued
   * again and again until their work is done. Otherwise that job counts from one.
   */
  readonly sharesAttempts?: true;
  /** The job changes no user data, so it also runs during maintenance. */
  readonly runsInMaintenance?: true;
  run(job: JobRun): Promise<void>;
};

/** Jobs that are processed in sets, one set at a time per server, so that they keep their order. */
export type SetHandler = {
  readonly kind: string;
  /** As for a single job, but never renewed: a set takes less time. */
  readonly leaseSeconds: number;
  /** In the order of enqueueing. Records the result of each job. */
  runSet(jobs: readonly Claimed[], signal: AbortSignal): Promise<void>;
};

/** A retry cannot succeed: the job is dead at once. */
export class JobAbort extends Error {}

/** After so many server crashes during the same job or saga step, it is considered the cause. */
export const maxDeaths = 10;

/** Nothing to do yet: the job waits again, and this attempt does not count. */
export class JobReschedule extends Error {
  readonly seconds: number;
  constructor(seconds: number, options?: ErrorOptions) {
    super(`to be tried again in ${seconds} s`, options);
    this.seconds = seconds;
  }
}

const longestPauseSeconds = 15;

/** The pause before an unavailable service is tried again: a quarter of the time waited so far. */
export const growingPauseSeconds = (waitedMs: number): number =>
  Math.min(Math.max(1, waitedMs / 4000), longestPauseSeconds);

/** 1, 2, 4, … times the first pause, at most the last. */
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

/** Enqueues many jobs without a key, in order. */
export async function enqueueAll(tx: Tx, jobs: readonly KeylessJob[], now: Time): Promise<void> {
  for (const insert of toInserts(tx, jobs, now)) await insert.execute();
  await announceDue(tx, jobs, now);
}

type KeylessJob = NewJob & { readonly uniqueKey?: never };

/** As `enqueueAll`, together with another write; returns how many rows that has written. */
export async function enqueueWith(
  tx: Tx,
  engine: Engine,
  write: Write,
  jobs: readonly KeylessJob[],
  now: Time,
): Promise<number> {
  const [first, ...others] = toInserts(tx, jobs, now);
  const [written = 0] = await writeTogether(tx, engine, first === undefined ? [write] : [write, first]);
  for (const insert of others) await insert.execute();
  await announceDue(tx, jobs, now);
  return written;
}

function toInserts(tx: Tx, jobs: readonly KeylessJob[], now: Time): Write[] {
  const inserts: Write[] = [];
  for (let from = 0; from < jobs.length; from += rowsAtOnce) {
    const rows = jobs.slice(from, from + rowsAtOnce).map(job => toRow(job, now));
    inserts.push(tx.insertInto('job').values(rows).returning('id'));
  }
  return inserts;
}

async function announceDue(tx: Tx, jobs: readonly KeylessJob[], now: Time): Promise<void> {
  const due = jobs.filter(({ runAt = now }) => runAt <= now);
  for (const [isCoalesced, some] of Map.groupBy(due, job => job.isCoalesced ?? false))
    for (const kind of new Set(some.map(({ kind }) => kind))) await announceWork(tx, kind, isCoalesced);
}

/** Enqueues the job in the caller's transaction. */
export async function enqueue(tx: Tx, job: NewJob, now: Time): Promise<void> {
  await tx
    .insertInto('job')
    .values(toRow(job, now))
    .onConflict(conflict =>
      conflict
        .columns(['kind', 'unique_key'])
        .where(sql<boolean>`state = 'WAITING' and unique_key is not null`)
        // No change, but locks the row: the waiting job cannot start before this transaction is visible.
        .doUpdateSet(eb => ({ unique_key: eb.ref('excluded.unique_key') })),
    )
    .execute();
  if (job.runAt === undefined || job.runAt <= now) await announceWork(tx, job.kind, job.isCoalesced);
}

/**
 * Enqueues the job unless one with its key waits or runs: for work that is only to go on. Replaces a dead one: the new
 * one does its work, or becomes the dead one.
 */
export async function enqueueUnlessPending(
  tx: Tx,
  job: NewJob & { readonly uniqueKey: string },
  now: Time,
): Promise<void> {
  const earlier = await selectWhere(tx, 'job', { kind: job.kind, unique_key: job.uniqueKey })
    .select(['id', 'state'])
    .execute();
  if (earlier.some(({ state }) => state !== 'DEAD')) return;
  if (earlier.length > 0) {
    const ids = earlier.map(({ id }) => id);
    await tx.deleteFrom('job').where('id', 'in', ids).where('state', '=', 'DEAD').execute();
  }
  await enqueue(tx, job, now);
}
