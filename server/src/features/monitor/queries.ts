// SQL of the health watch. Objectives and conditions are installation-wide and name no tenant.
import { type Selectable, sql } from 'kysely';
import { updateAndCount } from '../../platform/db/rows.ts';
import type { Db, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Goal, GoalCounts } from '../../platform/telemetry/goals.ts';

/** Adds to the counts of other servers, or of this one before, for the minute. */
export async function addToMinute(tx: Tx, minute: number, counts: ReadonlyMap<Goal, GoalCounts>): Promise<void> {
  const rows = [...counts].map(([goal, { good, bad }]) => ({ goal, minute, good, bad }));
  if (rows.length === 0) return;
  await tx
    .insertInto('monitor_minute')
    .values(rows.toSorted((a, b) => (a.goal < b.goal ? -1 : 1)))
    .onConflict(conflict =>
      conflict.columns(['goal', 'minute']).doUpdateSet(eb => ({
        good: eb('monitor_minute.good', '+', eb.ref('excluded.good')),
        bad: eb('monitor_minute.bad', '+', eb.ref('excluded.bad')),
      })),
    )
    .execute();
}

export const deleteMinutesBefore = (tx: Tx, minute: number) =>
  tx.deleteFrom('monitor_minute').where('minute', '<', minute).execute();

/** Of all servers, from this minute on. */
export async function sumSince(db: Db, minute: number): Promise<ReadonlyMap<string, GoalCounts>> {
  const rows = await db
    .selectFrom('monitor_minute')
    .select(['goal', sql<number>`sum(good)`.as('good'), sql<number>`sum(bad)`.as('bad')])
    .where('minute', '>=', minute)
    .groupBy('goal')
    .execute();
  return new Map(rows.map(({ goal, good, bad }) => [goal, { good: Number(good), bad: Number(bad) }]));
}

export type ConditionRow = { readonly name: string; readonly seen: string; readonly told: string };

export const listConditions = (db: Db): Promise<ConditionRow[]> =>
  db.selectFrom('monitor_condition').select(['name', 'seen', 'told']).execute();

export const rememberSeen = (tx: Tx, name: string, state: string, reported: string) =>
  tx
    .insertInto('monitor_condition')
    .values({ name, seen: state, told: reported, told_at: 0 })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ seen: state }))
    .execute();

/** Returns false if another server has reported it meanwhile. */
export async function markReported(tx: Tx, { name, seen, told }: ConditionRow, now: Time): Promise<boolean> {
  return (await updateAndCount(tx, 'monitor_condition', { name, seen, told }, { told: seen, told_at: now })) > 0;
}

export type MailedRow = Selectable<Tables['monitor_mail']>;

export const listMailed = (db: Db): Promise<MailedRow[]> => db.selectFrom('monitor_mail').selectAll().execute();

/** Returns false if another server has mailed meanwhile. */
export async function markMailed(
  tx: Tx,
  { tenant_id, states: before }: MailedRow,
  { states, now }: { readonly states: string; readonly now: Time },
): Promise<boolean> {
  const row = { tenant_id, states: '{}', mailed_at: 0 };
  await tx
    .insertInto('monitor_mail')
    .values(row)
    .onConflict(conflict => conflict.doNothing())
    .execute();
  return (await updateAndCount(tx, 'monitor_mail', { tenant_id, states: before }, { states, mailed_at: now })) > 0;
}
