// Jobs that come again and again. Of all servers one wins each tick; ticks that nobody was there for become one; while
// the job of the last tick is not done, no other is added.
import type { Clock } from '../clock.ts';
import type { Db, Time, Tx } from '../db/tables.ts';
import { enqueue } from './jobs.ts';

export type Schedule = {
  readonly name: string;
  readonly everySeconds: number;
  /** How long after the start the first tick comes; one period when left out. */
  readonly firstAfterSeconds?: number;
  /** Gets the payload `{schedule: name}`. */
  readonly jobKind: string;
};

/** Makes the schedules known; the first tick comes one period (or what it says) from now, never later than before. */
export async function registerSchedules(db: Db, schedules: readonly Schedule[], now: Time): Promise<void> {
  for (const { name, everySeconds, firstAfterSeconds = everySeconds } of schedules) {
    const next = now + firstAfterSeconds * 1000;
    await db
      .insertInto('schedule')
      .values({ name, next_at: next })
      .onConflict(conflict =>
        conflict.column('name').doUpdateSet({ next_at: next }).where('schedule.next_at', '>', next),
      )
      .execute();
  }
}

/** Enqueues what is due, and says how many schedules this server won. */
export async function tickSchedules(db: Db, schedules: readonly Schedule[], clock: Clock): Promise<number> {
  if (schedules.length === 0) return 0;
  const now = clock.now();
  const due = await db.selectFrom('schedule').selectAll().where('next_at', '<=', now).execute();
  let won = 0;
  for (const { name, next_at } of due) {
    const schedule = schedules.find(known => known.name === name);
    if (schedule && (await tick(db, schedule, next_at, now))) won += 1;
  }
  return won;
}

async function tick(db: Db, schedule: Schedule, seenAt: Time, now: Time): Promise<boolean> {
  const every = schedule.everySeconds * 1000;
  const next = seenAt + (Math.floor((now - seenAt) / every) + 1) * every;
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('schedule')
      .set({ next_at: next })
      .where('name', '=', schedule.name)
      .where('next_at', '=', seenAt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await enqueueUnlessPending(tx, schedule, now);
    return true;
  });
}

async function enqueueUnlessPending(tx: Tx, { name, jobKind }: Schedule, now: Time): Promise<void> {
  const uniqueKey = `schedule:${name}`;
  const pending = await tx
    .selectFrom('job')
    .select('id')
    .where('kind', '=', jobKind)
    .where('unique_key', '=', uniqueKey)
    .where('state', '!=', 'DEAD')
    .executeTakeFirst();
  if (!pending) await enqueue(tx, { kind: jobKind, uniqueKey, payload: { schedule: name } }, now);
}
