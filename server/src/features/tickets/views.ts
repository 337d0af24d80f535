// Wire format of tickets, as visible to the caller.
import type { Ticket, TicketAttachment, TicketReply } from '@recordproof/shared/api/tickets.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import { isAdministrator } from './policy.ts';
import type { AttachmentRow, ReplyRow, TicketRow } from './queries.ts';

/** The number of replies visible to this person. */
export const countVisible = (actor: Pick<Actor, 'permissions'>, ticket: TicketRow): number =>
  isAdministrator(actor) ? ticket.replies + ticket.internal_replies : ticket.replies;

function toTicket(actor: Actor, row: TicketRow, names: ReadonlyMap<Key, string>): Ticket {
  return {
    id: toWireId(row.id),
    ticketNo: row.ticket_no,
    title: row.title,
    category: row.category,
    priority: row.priority,
    status: row.status,
    creatorName: names.get(row.creator_id) ?? '',
    assigneeName: row.assignee_id === null ? null : (names.get(row.assignee_id) ?? ''),
    replyCount: countVisible(actor, row),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}

/** Looks names up once for all rows. */
export async function toTickets(db: Db, actor: Actor, rows: readonly TicketRow[]): Promise<Ticket[]> {
  const people = rows.flatMap(row => [row.creator_id, row.assignee_id]).filter(id => id !== null);
  const names = await listUsernames(db, actor.tenantId, [...new Set(people)]);
  return rows.map(row => toTicket(actor, row, names));
}

export async function toOneTicket(db: Db, actor: Actor, row: TicketRow): Promise<Ticket> {
  const [view] = await toTickets(db, actor, [row]);
  return view as Ticket;
}

export const toAttachment = (row: AttachmentRow): TicketAttachment => ({
  fileId: toWireId(row.file_id),
  fileName: row.file_name,
  fileSize: row.file_size,
  contentType: row.content_type,
});

export const toReply = (row: ReplyRow, authorName: string, attachments: readonly AttachmentRow[]): TicketReply => ({
  id: toWireId(row.id),
  authorName,
  fromAdministrator: row.from_administrator === 1,
  isInternal: row.is_internal === 1,
  content: row.content,
  attachments: attachments.map(toAttachment),
  createdAt: toIso(row.created_at),
});
