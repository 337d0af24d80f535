// Wire format of messages and conversations.
import type { Conversation, Message, MessageType } from '@recordproof/shared/api/messages.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { getPerson, listPeople, type PersonRow } from '../accounts/index.ts';
import { listFriendsAmong } from '../friends/index.ts';
import { toPreview } from './content.ts';
import { listMessagesById, type MessageRow, type SideRow } from './queries.ts';

const toView = (row: MessageRow, people: ReadonlyMap<Key, PersonRow>): Message => ({
  id: toWireId(row.id),
  conversationId: toWireId(row.conversation_id),
  senderId: getPerson(people, row.sender_id).externalId,
  contentType: row.content_type as MessageType,
  content: row.content,
  fileName: row.file_name,
  createdAt: toIso(row.created_at),
});

/** Looks senders up once for all rows. */
export async function toMessageViews(db: Db, tenantId: Key, rows: readonly MessageRow[]): Promise<Message[]> {
  const senderIds = rows.map(row => row.sender_id);
  const people = await listPeople(db, tenantId, senderIds);
  return rows.map(row => toView(row, people));
}

export const toMessageView = async (db: Db, row: MessageRow): Promise<Message> =>
  toView(row, await listPeople(db, row.tenant_id, [row.sender_id]));

/** Without those deleted since they were read. */
export async function toConversationViews(
  db: Db,
  { tenantId, userId }: Actor,
  sides: readonly SideRow[],
): Promise<Conversation[]> {
  const others = sides.map(side => side.other_id);
  const people = await listPeople(db, tenantId, [userId, ...others]);
  const friends = await listFriendsAmong(db, tenantId, userId, others);
  const lastIds = sides.flatMap(side => side.last_message_id ?? []);
  const messages = await listMessagesById(db, lastIds);
  return sides.flatMap(side => {
    const last = messages.get(side.last_message_id ?? 0);
    if (last === undefined) return [];
    const { id, senderId, contentType, createdAt } = toView(last, people);
    return {
      id: toWireId(side.conversation_id),
      person: getPerson(people, side.other_id),
      isFriend: friends.has(side.other_id),
      unreadCount: side.unread,
      lastMessage: { id, senderId, contentType, createdAt, preview: toPreview(last) },
    };
  });
}
