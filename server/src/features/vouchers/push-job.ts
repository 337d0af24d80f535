// The job that requests vouchers for the newest checkpoint from each target: soon after a publication, at most once a
// second, with backoff on failures. Across servers, one queries a target at a time. The state of a target is a row, so
// that a run can be interrupted at any point.
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler, JobReschedule, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { type HeldLock, withLease } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { type CheckpointRow, findCheckpoint, keepNewestCheckpoint } from '../chain/index.ts';
import type { CountFailure } from './lag.ts';
import { findNewestMeeting, findPublishedAfter, findTarget, insertVoucher, saveTarget } from './queries.ts';
import type { SourceFailure, VoucherTarget, Vouching } from './targets.ts';

type Pushing = Pick<Server, 'database' | 'clock' | 'log' | 'ledger' | 'config' | 'stopping'> & {
  readonly countFailure: CountFailure;
};

const pushKind = 'vouchers.push';
const askKind = 'vouchers.ask';
const minPauseMs = 1000;
const maxPauseSeconds = 300;
const pauseSeconds = exponentialBackoff(1, maxPauseSeconds);
/** Each may hang until its time limit, which must not delay other jobs of the server. */
const mostAtOnce = 3;
const leaseSeconds = 60;

const common = { leaseSeconds, maxAttempts: 100, backoffSeconds: exponentialBackoff(1, maxPauseSeconds) } as const;

export function voucherJobs(server: Pushing, targets: readonly VoucherTarget[]): JobHandler[] {
  const byName = new Map(targets.map(target => [target.name, target]));
  let running = 0;
  const push = async (job: JobRun): Promise<void> => {
    const target = byName.get(String(job.payload.target));
    if (target === undefined) return; // it was removed from the settings
    if (running >= mostAtOnce) throw new JobReschedule(0.2);
    running += 1;
    try {
      await pushAlone(server, target, job.signal);
    } finally {
      running -= 1;
    }
  };
  return [
    { kind: pushKind, ...common, run: push },
    { kind: askKind, ...common, run: () => enqueuePushes(server, targets) },
  ];
}

/** For checkpoints whose server crashed before asking, and for targets that recover. */
export const voucherSchedules: readonly Schedule[] = [{ name: askKind, everySeconds: 30, jobKind: askKind }];

/**
 * After each publication of this server, enqueues a job that sees it, at most once a second. A pending job keeps its
 * time, so each publication needs a write that begins after it.
 */
export function askAfterPublications(server: Pushing, targets: readonly VoucherTarget[]): void {
  let askedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const ask = (): void => {
    timer = undefined;
    if (server.stopping.aborted) return;
    askedAt = performance.now();
    enqueuePushes(server, targets).catch(error =>
      server.log.warn(
        { error: toErrorText(error) },
        'failed to schedule the submission of a checkpoint to witnesses; the next checkpoint retries',
      ),
    );
  };
  server.ledger.onPublished(() => {
    if (timer !== undefined) return;
    const waitMs = askedAt + minPauseMs - performance.now();
    if (waitMs <= 0) ask();
    else timer = setTimeout(ask, waitMs).unref();
  });
}

function enqueuePushes({ database, clock }: Pushing, targets: readonly VoucherTarget[]): Promise<void> {
  const names = targets.map(({ name }) => name).sort();
  return database.db.transaction().execute(async tx => {
    for (const target of names)
      await enqueue(tx, { kind: pushKind, payload: { target }, uniqueKey: target, trace: null }, clock.now());
  });
}

async function pushAlone(server: Pushing, target: VoucherTarget, signal: AbortSignal): Promise<void> {
  const { database, clock } = server;
  const context = { db: database.db, engine: database.kind, clock };
  const pushed = await withLease(context, `voucher ${target.name}`, { leaseSeconds }, async lock => {
    await pushNewest(server, target, lock, AbortSignal.any([signal, lock.signal]));
    return true;
  });
  if (pushed === null) throw new JobReschedule(1);
}

async function pushNewest(server: Pushing, target: VoucherTarget, lock: HeldLock, signal: AbortSignal): Promise<void> {
  const { db } = server.database;
  const state = await findTarget(db, target.name);
  const waitMs = state.next_at - server.clock.now();
  // A time further in the future was set by a fast clock.
  if (waitMs > 0 && waitMs <= Math.max(maxPauseSeconds * 1000, target.pauseMs)) throw new JobReschedule(waitMs / 1000);
  const checkpoint = await findNext(server, target, state.vouched_size);
  if (checkpoint === null) return;
  const { vouchers, failures } = await target.vouch({ checkpoint, vouchedSize: state.vouched_size, signal });
  for (const { source } of failures) server.countFailure(source);
  if (vouchers.length === 0) throw await reschedule(server, target, state.failures + 1, failures);
  await db.transaction().execute(async tx => {
    await lock.assertFence(tx);
    await keepVouchers(tx, { target, checkpoint, vouchers, failures, now: server.clock.now() });
  });
}

/** The next checkpoint for the target; null if it has a voucher for the newest one. */
async function findNext(
  { database: { db }, clock }: Pushing,
  { after, maxWaitMs }: VoucherTarget,
  vouchedSize: number,
): Promise<CheckpointRow | null> {
  if (after !== undefined) {
    const size = await findNewestMeeting(db, after, vouchedSize);
    if (size !== null) return findCheckpoint(db, size);
    const publishedAt = await findPublishedAfter(db, vouchedSize);
    if (publishedAt === null) return null;
    const waitedMs = clock.now() - publishedAt;
    if (waitedMs >= 0 && waitedMs < maxWaitMs) throw new JobReschedule(1);
  }
  return keepNewestCheckpoint(db, vouchedSize);
}

type Keeping = Vouching & {
  readonly target: VoucherTarget;
  readonly checkpoint: CheckpointRow;
  readonly now: Time;
};

async function keepVouchers(tx: Tx, { target, checkpoint: { size }, vouchers, failures, now }: Keeping): Promise<void> {
  for (const { source, content, statedAt, isPending = false } of vouchers) {
    const about = { checkpoint_size: size, kind: target.kind, target: source };
    await insertVoucher(tx, { ...about, content, stated_at: statedAt, created_at: now }, isPending);
  }
  const last_error = failures.length === 0 ? null : toText(target, failures);
  const success = { vouched_at: now, failures: 0, last_error, next_at: now + target.pauseMs };
  await saveTarget(tx, target.name, { vouched_size: size, ...success });
}

/** Names the source if the target has several. */
const toText = ({ kind }: VoucherTarget, failures: readonly SourceFailure[]): string =>
  failures
    .map(({ source, error }) => (kind === 'WITNESS' ? toErrorText(error) : `${source}: ${toErrorText(error)}`))
    .join('; ');

/** Not a failure of the job: the target is queried again, with backoff. */
async function reschedule(
  { database, clock, log }: Pushing,
  target: VoucherTarget,
  failures: number,
  problems: readonly SourceFailure[],
) {
  const seconds = pauseSeconds(failures);
  const last_error = toText(target, problems);
  await saveTarget(database.db, target.name, { failures, last_error, next_at: clock.now() + seconds * 1000 });
  if (failures === 1 || failures % 10 === 0)
    log.warn(
      { target: target.name, failures, error: last_error },
      'a witness or timestamp authority did not confirm the newest checkpoint',
    );
  return new JobReschedule(seconds, { cause: problems[0]?.error });
}
