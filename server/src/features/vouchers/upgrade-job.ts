// The job that polls calendars for their pending answers until a Bitcoin block attests them, which takes hours: with
// backoff, and each calendar until its first failure in a run. A run can be interrupted; the next one continues.
import { parseHex } from '@recordproof/shared/evidence/digest.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { findCheckpoint } from '../chain/index.ts';
import type { CountFailure } from './lag.ts';
import { firstUpgradePauseMs, listDueUpgrades, postponeUpgrade, saveUpgrade } from './queries.ts';
import { upgradeAnswer } from './request-ots-stamp.ts';

type UpgradeContext = Pick<Server, 'database' | 'clock' | 'config' | 'stopping'> & {
  readonly countFailure: CountFailure;
};
type Due = Awaited<ReturnType<typeof listDueUpgrades>>[number];

const upgradeKind = 'vouchers.upgrade';
const everySeconds = 60;
const mostAtOnce = 60;
const pauseSeconds = exponentialBackoff(firstUpgradePauseMs / 1000, 6 * 3600);

export const upgradeSchedule: Schedule = { name: upgradeKind, everySeconds, jobKind: upgradeKind };

export const upgradeJob = (server: UpgradeContext): JobHandler => ({
  kind: upgradeKind,
  leaseSeconds: 60,
  maxAttempts: 100,
  backoffSeconds: exponentialBackoff(60, 3600),
  run: async ({ signal }) => {
    const { database, clock, config } = server;
    const names = config.ledger.calendars.map(({ name }) => name);
    const due = await listDueUpgrades(database.db, names, clock.now(), mostAtOnce);
    const ends = AbortSignal.any([signal, server.stopping]);
    await Promise.all(
      Map.groupBy(due, ({ target }) => target)
        .values()
        .map(own => upgradeSequentially(server, own, ends)),
    );
  },
});

async function upgradeSequentially(server: UpgradeContext, due: readonly Due[], signal: AbortSignal): Promise<void> {
  const { database, clock } = server;
  for (const one of due) {
    const tries = one.tries + 1;
    const nextAt = clock.now() + pauseSeconds(tries) * 1000;
    try {
      if (!(await upgrade(server, one, signal)))
        await postponeUpgrade(database.db, one.id, { tries, nextAt, error: null });
    } catch (error) {
      signal.throwIfAborted();
      server.countFailure(one.target);
      await postponeUpgrade(database.db, one.id, { tries, nextAt, error: `${one.target}: ${toErrorText(error)}` });
      return;
    }
  }
}

/** Returns whether the answer is complete. */
async function upgrade({ database: { db }, config }: UpgradeContext, due: Due, signal: AbortSignal): Promise<boolean> {
  const calendar = config.ledger.calendars.find(({ name }) => name === due.target);
  const checkpoint = await findCheckpoint(db, due.checkpoint_size);
  if (calendar === undefined)
    throw new Error(`the calendar ${due.target} is not configured: add it to ledger.calendars again`);
  if (checkpoint === null)
    throw new Error(`the database has no checkpoint of size ${due.checkpoint_size}: restore it from a backup`);
  const answer = await upgradeAnswer(calendar, parseHex(checkpoint.root), due.content, signal);
  if (answer === null) return false;
  await db.transaction().execute(tx => saveUpgrade(tx, due.id, answer.content));
  return true;
}
