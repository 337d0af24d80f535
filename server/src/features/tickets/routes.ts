// Routes of tickets.
import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { listUsernames } from '../accounts/index.ts';
import { assignTicket, changeStatus, getVisible, type StatusChange } from './change-ticket.ts';
import { createTicket } from './create-ticket.ts';
import { isAdministrator } from './policy.ts';
import { listAttachments, listReplies, listTickets, type TicketFilter, type TicketRow } from './queries.ts';
import { replyToTicket } from './reply-to-ticket.ts';
import { countVisible, toAttachment, toOneTicket, toReply, toTickets } from './views.ts';

async function toPageOfTickets(db: Db, actor: Actor, filter: TicketFilter, query: PageRequest) {
  const { rows, total } = await listTickets(db, filter, query);
  return toPage(await toTickets(db, actor, rows), total, query);
}

async function toDetails(db: Db, actor: Actor, ticket: TicketRow, query: PageRequest): Promise<api.TicketDetails> {
  const replies = await listReplies(db, ticket, isAdministrator(actor), query);
  const replyIds = replies.map(reply => reply.id);
  const attached = Map.groupBy(await listAttachments(db, ticket, replyIds), row => row.reply_id);
  const names = await listUsernames(db, ticket.tenant_id, [...new Set(replies.map(reply => reply.author_id))]);
  const views = replies.map(row => toReply(row, names.get(row.author_id) ?? '', attached.get(row.id) ?? []));
  return {
    ...(await toOneTicket(db, actor, ticket)),
    content: ticket.content,
    attachments: (attached.get(null) ?? []).map(toAttachment),
    replies: toPage(views, countVisible(actor, ticket), query),
  };
}

export const ticketRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => {
  const { db } = server.database;
  const step = async (call: Call, id: string, change: Omit<StatusChange, 'ticketId'>) =>
    toOneTicket(db, call.actor, await changeStatus(server, call, { ticketId: toKey(id), ...change }));
  return [
    route(api.createTicket, async r => toOneTicket(db, r.actor, await createTicket(server, r, r.body))),
    route(api.listTickets, r => {
      const { tenantId, userId } = r.actor;
      return toPageOfTickets(db, r.actor, { ...r.query, tenantId, creatorId: userId }, r.query);
    }),
    route(api.getTicket, async r => toDetails(db, r.actor, await getVisible(db, r.actor, toKey(r.params.id)), r.query)),
    route(api.replyToTicket, r => replyToTicket(server, r, { ...r.body, ticketId: toKey(r.params.id) })),
    route(api.updateTicketStatus, r => step(r, r.params.id, { side: 'creator', to: r.body.status })),
    route(api.listAllTickets, r => toPageOfTickets(db, r.actor, { ...r.query, tenantId: r.actor.tenantId }, r.query)),
    route(api.assignTicket, async r => {
      const assignment = { ...r.body, ticketId: toKey(r.params.id) };
      return toOneTicket(db, r.actor, await assignTicket(server, r, assignment));
    }),
    route(api.updateAnyTicketStatus, r => step(r, r.params.id, { side: 'administrator', to: r.body.status })),
  ];
};
