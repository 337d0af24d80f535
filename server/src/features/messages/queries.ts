// All SQL on conversations and messages. Changes to a side, and new messages, require the lock of the conversation, so
// that message ids increase in order of visibility and counts are consistent.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import { type Selectable, sql } from 'kysely';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findPage, type RowPage } from '../../platform/db/page.ts';
import { countRows, findFirst, insertInto, insertReturning, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type SideRow = Selectable<Tables['conversation_side']>;
export type MessageRow = Selectable<Tables['message']>;

const toPair = (one: Key, other: Key) => ({ low_id: Math.min(one, other), high_id: Math.max(one, other) });

export function lockConversation(tx: Tx, engine: Engine, one: Key, other: Key): Promise<void> {
  const { low_id, high_id } = toPair(one, other);
  return lockInTransaction(tx, engine, `conversation:${low_id}:${high_id}`);
}

/** Finds or creates the conversation of the two. */
export async function openConversation(
  tx: Tx,
  { tenantId, people }: { tenantId: Key; people: readonly [Key, Key] },
  now: Time,
): Promise<Key> {
  const pair = { tenant_id: tenantId, ...toPair(...people) };
  const found = await selectWhere(tx, 'conversation', pair).select('id').executeTakeFirst();
  if (found) return found.id;
  const { id } = await tx
    .insertInto('conversation')
    .values({ ...pair, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const side = { conversation_id: id, tenant_id: tenantId, last_message_id: null };
  const nothing = { unread: 0, read_through: 0, cleared_through: 0 };
  await insertInto(tx, 'conversation_side', [
    { ...side, ...nothing, user_id: pair.low_id, other_id: pair.high_id },
    { ...side, ...nothing, user_id: pair.high_id, other_id: pair.low_id },
  ]);
  return id;
}

type NewMessage = Pick<
  MessageRow,
  'tenant_id' | 'conversation_id' | 'sender_id' | 'content_type' | 'content' | 'file_name'
>;

/** Adds the message, as the newest on both sides and unread on the receiver's. */
export async function addMessage(tx: Tx, message: NewMessage, now: Time): Promise<MessageRow> {
  const row = await insertReturning(tx, 'message', { ...message, created_at: now });
  await updateWhere(
    tx,
    'conversation_side',
    { conversation_id: row.conversation_id },
    {
      last_message_id: row.id,
      unread: sql<number>`unread + case when user_id = ${row.sender_id} then 0 else 1 end`,
    },
  );
  return row;
}

/** Returns null for non-participants, and for a participant who has deleted it. */
export const findShownSide = (
  db: Db,
  { tenantId, userId, conversationId }: { tenantId: Key; userId: Key; conversationId: Key },
): Promise<SideRow | null> =>
  findFirst(
    selectWhere(db, 'conversation_side', { conversation_id: conversationId, user_id: userId, tenant_id: tenantId })
      .selectAll()
      .where('last_message_id', 'is not', null),
  );

export const listSides = (db: Db, conversationId: Key): Promise<SideRow[]> =>
  db.selectFrom('conversation_side').selectAll().where('conversation_id', '=', conversationId).execute();

type SideChange = Partial<Pick<SideRow, 'unread' | 'read_through' | 'cleared_through' | 'last_message_id'>>;

export const updateSide = (tx: Tx, side: SideRow, change: SideChange): Promise<void> =>
  updateWhere(tx, 'conversation_side', { conversation_id: side.conversation_id, user_id: side.user_id }, change);

/** How many messages the other person wrote after this one. */
export const countFromOther = (tx: Tx, side: SideRow, after: Key): Promise<number> =>
  countRows(
    tx
      .selectFrom('message')
      .where('conversation_id', '=', side.conversation_id)
      .where('sender_id', '=', side.other_id)
      .where('id', '>', after),
  );

export async function sumUnread(db: Db, tenantId: Key, userId: Key): Promise<number> {
  const { count } = await selectWhere(db, 'conversation_side', { tenant_id: tenantId, user_id: userId })
    .select(eb => eb.fn.coalesce(eb.fn.sum<number>('unread'), eb.lit(0)).as('count'))
    .where(sql<boolean>`unread > 0`)
    .executeTakeFirstOrThrow();
  return count;
}

const shownSides = (db: Db, tenantId: Key, userId: Key) =>
  db
    .selectFrom('conversation_side as s')
    .where('s.tenant_id', '=', tenantId)
    .where('s.user_id', '=', userId)
    .where(sql<boolean>`s.last_message_id is not null`);

/** The person's conversations, ordered by latest message. */
export async function listShownSides(
  db: Db,
  tenantId: Key,
  userId: Key,
  request: PageRequest,
): Promise<RowPage<SideRow>> {
  const { direction } = parseSort(request.sort);
  return findPage(shownSides(db, tenantId, userId), request, sides =>
    sides.selectAll('s').orderBy('s.last_message_id', direction),
  );
}

export async function listMessagesById(db: Db, ids: readonly Key[]): Promise<ReadonlyMap<Key, MessageRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('message').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map(row => [row.id, row]));
}

/** The messages visible to this side, optionally only those older than a message. */
export async function listShownMessages(
  db: Db,
  side: SideRow,
  { before, ...request }: PageRequest & { readonly before: Key | undefined },
): Promise<RowPage<MessageRow>> {
  let query = db
    .selectFrom('message')
    .where('conversation_id', '=', side.conversation_id)
    .where('id', '>', side.cleared_through);
  if (before !== undefined) query = query.where('id', '<', before);
  const { direction } = parseSort(request.sort);
  return findPage(query, request, messages => messages.selectAll().orderBy('id', direction));
}

/** A message visible to this person. */
export const findShownMessage = (db: Db, tenantId: Key, userId: Key, id: Key): Promise<MessageRow | null> =>
  findFirst(
    db
      .selectFrom('message as m')
      .innerJoin('conversation_side as s', 's.conversation_id', 'm.conversation_id')
      .selectAll('m')
      .where('m.id', '=', id)
      .where('m.tenant_id', '=', tenantId)
      .where('s.user_id', '=', userId)
      .whereRef('m.id', '>', 's.cleared_through'),
  );

/** Deletes the oldest messages up to the given one; returns how many. */
export async function removeMessages(tx: Tx, conversationId: Key, through: Key, limit: number): Promise<number> {
  const oldest = selectWhere(tx, 'message', { conversation_id: conversationId })
    .select('id')
    .where('id', '<=', through)
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await tx.deleteFrom('message').where('id', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}
