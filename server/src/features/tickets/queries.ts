// All SQL on tickets, their replies and attachments.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import {
  type TicketCategory,
  type TicketPriority,
  type TicketStatus,
  ticketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findPage, onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { countRows, findFirst, findWhere, insertReturning, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';

export type TicketRow = Selectable<Tables['ticket']>;
export type ReplyRow = Selectable<Tables['ticket_reply']>;
export type AttachmentRow = Selectable<Tables['ticket_attachment']>;

export const findTicket = (db: Db, tenantId: Key, id: Key): Promise<TicketRow | null> =>
  findWhere(db, 'ticket', { tenant_id: tenantId, id });

/** Locks the ticket until this transaction ends. SQLite has a single writer and needs no lock. */
export function lockTicket(tx: Tx, engine: Engine, tenantId: Key, id: Key): Promise<TicketRow | null> {
  const query = tx.selectFrom('ticket').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);
  return findFirst(engine === 'postgres' ? query.forUpdate() : query);
}

/** The last number of a day: four digits. */
const lastOfDay = 9999;

/** The next number of the tenant's day, null if there is none left. Locks the tenant's counter until the commit. */
export async function takeNumber(tx: Tx, tenantId: Key, day: string): Promise<number | null> {
  const row = await tx
    .insertInto('ticket_day')
    .values({ tenant_id: tenantId, day, last_number: 1 })
    .onConflict(conflict =>
      conflict
        .columns(['tenant_id', 'day'])
        .doUpdateSet(eb => ({ last_number: eb('ticket_day.last_number', '+', 1) }))
        .where('ticket_day.last_number', '<', lastOfDay),
    )
    .returning('last_number')
    .executeTakeFirst();
  return row?.last_number ?? null;
}

export const countOpenedSince = (db: Db, tenantId: Key, creatorId: Key, since: Time): Promise<number> =>
  countRows(selectWhere(db, 'ticket', { tenant_id: tenantId, creator_id: creatorId }).where('created_at', '>=', since));

type NewTicket = Pick<
  TicketRow,
  'tenant_id' | 'ticket_no' | 'creator_id' | 'title' | 'content' | 'category' | 'priority'
>;

export const insertTicket = (tx: Tx, ticket: NewTicket, now: Time): Promise<TicketRow> =>
  insertReturning(tx, 'ticket', {
    ...ticket,
    assignee_id: null,
    search_text: foldText(`${ticket.ticket_no} ${ticket.title}`),
    status: ticketStatus.PENDING,
    replies: 0,
    internal_replies: 0,
    created_at: now,
    updated_at: now,
  });

const changing = (tx: Tx, { id, tenant_id }: TicketRow) =>
  tx.updateTable('ticket').where('id', '=', id).where('tenant_id', '=', tenant_id).returningAll();

/** From the status that was read to another; returns null if it has changed meanwhile. */
export const stepTicket = (tx: Tx, ticket: TicketRow, to: TicketStatus, now: Time): Promise<TicketRow | null> =>
  findFirst(changing(tx, ticket).set({ status: to, updated_at: now }).where('status', '=', ticket.status));

export const assignTo = (tx: Tx, ticket: TicketRow, assigneeId: Key, now: Time): Promise<TicketRow> =>
  changing(tx, ticket).set({ assignee_id: assigneeId, updated_at: now }).executeTakeFirstOrThrow();

/** An internal reply changes nothing that the creator sees. */
export const countReply = (tx: Tx, ticket: TicketRow, isInternal: boolean, now: Time): Promise<TicketRow> =>
  changing(tx, ticket)
    .set(eb =>
      isInternal
        ? { internal_replies: eb('internal_replies', '+', 1) }
        : { replies: eb('replies', '+', 1), updated_at: now },
    )
    .executeTakeFirstOrThrow();

export const insertReply = (tx: Tx, reply: Omit<Insertable<Tables['ticket_reply']>, 'id'>): Promise<ReplyRow> =>
  insertReturning(tx, 'ticket_reply', reply);

export async function insertAttachments(
  tx: Tx,
  owner: Pick<AttachmentRow, 'tenant_id' | 'ticket_id' | 'reply_id'>,
  files: readonly Pick<AttachmentRow, 'file_id' | 'file_name' | 'file_size' | 'content_type'>[],
): Promise<AttachmentRow[]> {
  if (files.length === 0) return [];
  return tx
    .insertInto('ticket_attachment')
    .values(files.map(file => ({ ...owner, ...file })))
    .returningAll()
    .execute();
}

/** Attachments of the ticket itself and of these replies. */
export const listAttachments = (db: Db, ticket: TicketRow, replyIds: readonly Key[]): Promise<AttachmentRow[]> =>
  selectWhere(db, 'ticket_attachment', { tenant_id: ticket.tenant_id, ticket_id: ticket.id })
    .selectAll()
    .where(eb =>
      replyIds.length === 0
        ? eb('reply_id', 'is', null)
        : eb.or([eb('reply_id', 'is', null), eb('reply_id', 'in', replyIds)]),
    )
    .orderBy('id')
    .execute();

/** Replies, oldest first or reversed. */
export function listReplies(
  db: Db,
  ticket: TicketRow,
  withInternal: boolean,
  request: PageRequest,
): Promise<ReplyRow[]> {
  const query = selectWhere(db, 'ticket_reply', { tenant_id: ticket.tenant_id, ticket_id: ticket.id }).selectAll();
  return (withInternal ? query : query.where('is_internal', '=', 0))
    .orderBy('id', parseSort(request.sort).direction)
    .$call(onPage(request))
    .execute();
}

export type TicketFilter = {
  readonly tenantId: Key;
  /** Only tickets of this person; default: all. */
  readonly creatorId?: Key;
  readonly status?: TicketStatus | undefined;
  readonly category?: TicketCategory | undefined;
  readonly priority?: TicketPriority | undefined;
  readonly keyword?: string | undefined;
};

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', priority: 'priority' } as const;

export async function listTickets(db: Db, filter: TicketFilter, request: PageRequest): Promise<RowPage<TicketRow>> {
  let query = db.selectFrom('ticket').where('tenant_id', '=', filter.tenantId);
  if (filter.creatorId !== undefined) query = query.where('creator_id', '=', filter.creatorId);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.category !== undefined) query = query.where('category', '=', filter.category);
  if (filter.priority !== undefined) query = query.where('priority', '=', filter.priority);
  if (filter.keyword !== undefined) {
    const pattern = `%${escapeLike(foldText(filter.keyword))}%`;
    query = query.where(sql<boolean>`search_text like ${pattern} escape '\\'`);
  }
  const { column, direction } = toOrder(request, columns);
  return findPage(query, request, matching => matching.selectAll().orderBy(column, direction).orderBy('id', direction));
}
