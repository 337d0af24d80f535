// Asks each target to vouch for the newest checkpoint: soon after a publication, at most once a second, later and later
// while it fails. Of several servers one asks a target at a time. What is known of a target is a row, so that a run may
// end anywhere and the next one goes on.
import { enqueue, exponentialBackoff, type JobHandler, JobLater, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { type HeldLock, withLease } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { keepNewestCheckpoint } from '../chain/index.ts';
import { findTarget, insertVoucher, saveTarget } from './queries.ts';
import type { Voucher, VoucherTarget } from './targets.ts';

type Pushing = Pick<Server, 'database' | 'clock' | 'log' | 'ledger' | 'config' | 'stopping'>;

const pushKind = 'vouchers.push';
const askKind = 'vouchers.ask';
const minPauseMs = 1000;
const maxPauseSeconds = 300;
const pauseSeconds = exponentialBackoff(1, maxPauseSeconds);
/** Each may hang until its time is up; the other jobs of a server must not wait for that. */
const mostAtOnce = 3;
const leaseSeconds = 60;

const common = { leaseSeconds, maxAttempts: 100, backoffSeconds: exponentialBackoff(1, maxPauseSeconds) } as const;

export function voucherJobs(server: Pushing, targets: readonly VoucherTarget[]): JobHandler[] {
  const byName = new Map(targets.map(target => [target.name, target]));
  let running = 0;
  const push = async (job: JobRun): Promise<void> => {
    const target = byName.get(String(job.payload.target));
    if (target === undefined) return; // it was taken out of the settings
    if (running >= mostAtOnce) throw new JobLater(0.2);
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

/** For checkpoints whose server died before it asked, and for targets that come back. */
export const voucherSchedules: readonly Schedule[] = [{ name: askKind, everySeconds: 30, jobKind: askKind }];

/**
 * After each publication of this server a job is written that sees it, at most once a second. A job that waits already
 * keeps its time, so each publication needs a write that begins after it.
 */
export function askAfterPublications(server: Pushing, targets: readonly VoucherTarget[]): void {
  let askedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const ask = (): void => {
    timer = undefined;
    if (server.stopping.aborted) return;
    askedAt = performance.now();
    enqueuePushes(server, targets).catch(error =>
      server.log.warn({ error: toErrorText(error) }, 'the witnesses are asked later: the job was not written'),
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
  if (pushed === null) throw new JobLater(1);
}

async function pushNewest(server: Pushing, target: VoucherTarget, lock: HeldLock, signal: AbortSignal): Promise<void> {
  const { db } = server.database;
  const state = await findTarget(db, target.name);
  const waitMs = state.next_at - server.clock.now();
  // A time that is further off was set by a clock that was ahead.
  if (waitMs > 0 && waitMs <= maxPauseSeconds * 1000) throw new JobLater(waitMs / 1000);
  const checkpoint = await keepNewestCheckpoint(db, state.vouched_size);
  if (checkpoint === null) return;
  let voucher: Voucher;
  try {
    voucher = await target.vouch({ checkpoint, vouchedSize: state.vouched_size, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw await putOff(server, target, state.failures + 1, error);
  }
  const now = server.clock.now();
  await db.transaction().execute(async tx => {
    await lock.assertFence(tx);
    const { content, statedAt } = voucher;
    const about = { checkpoint_size: checkpoint.size, kind: target.kind, target: target.name };
    await insertVoucher(tx, { ...about, content, stated_at: statedAt, created_at: now });
    const success = { vouched_at: now, failures: 0, last_error: null, next_at: now + minPauseMs };
    await saveTarget(tx, target.name, { vouched_size: checkpoint.size, ...success });
  });
}

/** Not a failure of the job: the target is asked again, later each time. */
async function putOff({ database, clock, log }: Pushing, target: VoucherTarget, failures: number, error: unknown) {
  const seconds = pauseSeconds(failures);
  const last_error = toErrorText(error);
  await saveTarget(database.db, target.name, { failures, last_error, next_at: clock.now() + seconds * 1000 });
  if (failures === 1 || failures % 10 === 0)
    log.warn({ target: target.name, failures, error: last_error }, 'a target did not vouch for the newest checkpoint');
  return new JobLater(seconds, { cause: error });
}
