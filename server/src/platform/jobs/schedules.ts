// Recurring jobs. Each tick is won by one server; missed ticks are merged into one; no job is added while that of the
// last tick is unfinished.
import type { Clock } from '../clock.ts';
import { updateAndCount, updateWhere } from '../db/rows.ts';
import type { Db, Time } from '../db/tables.ts';
import { enqueueUnlessPending } from './jobs.ts';

type Rhythm =
  | { readonly everySeconds: number; readonly nextAfter?: undefined }
  /** By the calendar: returns the first tick after a time. */
  | { readonly nextAfter: (time: Time) => Time; readonly everySeconds?: undefined };

export type Schedule = Rhythm & {
  readonly name: string;
  /** Delay of a server's first tick, also for a tick that is overdue; default: none. */
  readonly firstAfterSeconds?: number;
  /** The job gets the payload `{schedule: name}`. */
  readonly jobKind: string;
};

/** Registers the schedules; the first tick is one period (or `firstAfterSeconds`) from now, never later than before. */
export async function registerSchedules(db: Db, schedules: readonly Schedule[], now: Time): Promise<void> {
  if (schedules.length === 0) return;
  const rows = schedules.map(schedule => {
    const { name, firstAfterSeconds } = schedule;
    const next = firstAfterSeconds === undefined ? nextTick(schedule, now, now) : now + firstAfterSeconds * 1000;
    return { name, next_at: next };
  });
  await db
    .insertInto('schedule')
    // In one order: servers that start together lock the rows one after another.
    .values(rows.sort((left, right) => (left.name < right.name ? -1 : 1)))
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({ next_at: ref('excluded.next_at') }))
        .whereRef('schedule.next_at', '>', 'excluded.next_at'),
    )
    .execute();
}

type Ticking = { readonly schedules: readonly Schedule[]; readonly clock: Clock; readonly startedAt: Time };

/** Enqueues the jobs of due schedules and returns how many this server won. */
export async function tickSchedules(db: Db, { schedules, clock, startedAt }: Ticking): Promise<number> {
  if (schedules.length === 0) return 0;
  const rows = await db.selectFrom('schedule').selectAll().execute();
  // Read after the rows: by an earlier time, a tick that another server has just set would be too late.
  const now = clock.now();
  let won = 0;
  for (const { name, next_at } of rows) {
    const schedule = schedules.find(known => known.name === name);
    if (!schedule || now < startedAt + (schedule.firstAfterSeconds ?? 0) * 1000) continue;
    if (next_at > latestTick(schedule, now)) await pullIn(db, schedule, next_at, now);
    else if (next_at <= now && (await tick(db, schedule, next_at, now))) won += 1;
  }
  return won;
}

/** The first tick after now in the series with this period and tick. */
function nextTick({ everySeconds, nextAfter }: Schedule, tickAt: Time, now: Time): Time {
  if (nextAfter !== undefined) return nextAfter(now);
  const every = everySeconds * 1000;
  return tickAt + (Math.floor((now - tickAt) / every) + 1) * every;
}

/** The latest plausible next tick. */
const latestTick = (schedule: Schedule, now: Time): Time =>
  Math.max(nextTick(schedule, now, now), now + (schedule.firstAfterSeconds ?? 0) * 1000);

/** Corrects a tick that a clock that was ahead has set too late. */
const pullIn = (db: Db, schedule: Schedule, seenAt: Time, now: Time): Promise<void> =>
  updateWhere(db, 'schedule', { name: schedule.name, next_at: seenAt }, { next_at: nextTick(schedule, now, now) });

async function tick(db: Db, schedule: Schedule, seenAt: Time, now: Time): Promise<boolean> {
  const next = nextTick(schedule, seenAt, now);
  return db.transaction().execute(async tx => {
    const { name, jobKind } = schedule;
    const changed = await updateAndCount(tx, 'schedule', { name, next_at: seenAt }, { next_at: next });
    if (changed === 0) return false;
    await enqueueUnlessPending(tx, { kind: jobKind, uniqueKey: `schedule:${name}`, payload: { schedule: name } }, now);
    return true;
  });
}
