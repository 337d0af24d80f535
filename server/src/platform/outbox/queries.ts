// All SQL of the outbox and inbox tables. A published event's row is deleted; whoever dies before that publishes it
// again, and its consumers know it by its id.
import { claimedFrom } from '../db/claim.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key, Time, Tx } from '../db/tables.ts';

export type ClaimedEvent = {
  readonly id: Key;
  readonly event_id: string;
  readonly type: string;
  readonly tenant_id: Key | null;
  readonly payload: string;
  readonly attempt: number;
  readonly fence: number;
  readonly created_at: Time;
};

export type NewEventRow = Pick<ClaimedEvent, 'event_id' | 'type' | 'tenant_id' | 'payload' | 'created_at'>;

export async function insertEvent(tx: Tx, event: NewEventRow): Promise<void> {
  await tx
    .insertInto('outbox_event')
    .values({ ...event, state: 'PENDING', due_at: event.created_at, attempt: 0, fence: 0, last_error: null })
    .execute();
}

/** Takes what is due, by its state: a row that was committed late is not passed over. */
export async function claimEvents(
  db: Db,
  engine: Engine,
  { limit, now, until }: { limit: number; now: Time; until: Time },
): Promise<ClaimedEvent[]> {
  const due = db
    .selectFrom('outbox_event')
    .select('id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit);
  const claimed = await db
    .updateTable('outbox_event')
    .set(eb => ({ due_at: until, attempt: eb('attempt', '+', 1), fence: eb('fence', '+', 1) }))
    .where(claimedFrom(engine, due))
    .returning(['id', 'event_id', 'type', 'tenant_id', 'payload', 'attempt', 'fence', 'created_at'])
    .execute();
  return claimed.sort((a, b) => a.id - b.id);
}

export async function deletePublished(db: Db, ids: readonly Key[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('outbox_event').where('id', 'in', ids).execute();
}

const ours = (db: Db, { id, fence }: ClaimedEvent) =>
  db.updateTable('outbox_event').where('id', '=', id).where('fence', '=', fence);

export async function putBackEvent(
  db: Db,
  event: ClaimedEvent,
  { dueAt, attempt, lastError }: { dueAt: Time; attempt: number; lastError?: string },
): Promise<void> {
  await ours(db, event)
    .set({ due_at: dueAt, attempt, ...(lastError === undefined ? {} : { last_error: lastError }) })
    .execute();
}

export async function exhaustEvent(db: Db, event: ClaimedEvent, lastError: string): Promise<void> {
  await ours(db, event).set({ state: 'EXHAUSTED', due_at: null, last_error: lastError }).execute();
}

/** Gives every exhausted event all its attempts again, and says how many there were. */
export async function reviveExhausted(tx: Tx, now: Time): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('outbox_event')
    .set({ state: 'PENDING', due_at: now, attempt: 0 })
    .where('state', '=', 'EXHAUSTED')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export type EventCounts = {
  pending: number;
  /** Of the pending ones, those that failed at least once. */
  retrying: number;
  exhausted: number;
  oldestPendingAt: Time | null;
};

export async function countEvents(db: Db): Promise<EventCounts> {
  const rows = await db
    .selectFrom('outbox_event')
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('count'),
      fn.count<number>('last_error').as('failed'),
      fn.min('created_at').as('oldest'),
    ])
    .groupBy('state')
    .execute();
  const pending = rows.find(row => row.state === 'PENDING');
  return {
    pending: pending?.count ?? 0,
    retrying: pending?.failed ?? 0,
    exhausted: rows.find(row => row.state === 'EXHAUSTED')?.count ?? 0,
    oldestPendingAt: pending?.oldest ?? null,
  };
}

/** True for the first transaction that is committed with it; another one at the same time waits for that. */
export async function markHandled(tx: Tx, consumer: string, eventId: string, now: Time): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('inbox')
    .values({ consumer, event_id: eventId, handled_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Forgets what was handled long ago, but never what may still be published again. */
export async function sweepInbox(db: Db, before: Time, limit: number): Promise<number> {
  const old = db
    .selectFrom('inbox')
    .select(['consumer', 'event_id'])
    .where('handled_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('outbox_event').select('id').whereRef('outbox_event.event_id', '=', 'inbox.event_id'))),
    )
    .orderBy('handled_at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('inbox')
    .where(({ eb, refTuple }) => eb(refTuple('consumer', 'event_id'), 'in', old.$asTuple('consumer', 'event_id')))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
