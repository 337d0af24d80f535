import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import { originOf } from '../audit/index.ts';
import { assignTicket } from './assign-ticket.ts';
import { changeStatus } from './change-status.ts';
import { createTicket } from './create-ticket.ts';
import { isAdministrator } from './policy.ts';
import type { TicketPorts } from './ports.ts';
import { listAttachments, listReplies, listTickets, type TicketFilter, type TicketRow } from './queries.ts';
import { replyToTicket } from './reply-to-ticket.ts';
import { countVisible, toAttachment, toOneTicket, toReply, toTickets } from './views.ts';
import { getVisible } from './visible.ts';

type PageQuery = { readonly page: number; readonly size: number; readonly sort: string };

async function toPageOfTickets(db: Db, actor: Actor, filter: TicketFilter, query: PageQuery) {
  const { rows, total } = await listTickets(db, filter, { ...query, sort: parseSort(query.sort) });
  return toPage(await toTickets(db, actor, rows), total, query);
}

async function toDetails(db: Db, actor: Actor, ticket: TicketRow, query: PageQuery): Promise<api.TicketDetails> {
  const slice = { ...query, sort: parseSort(query.sort) };
  const replies = await listReplies(db, ticket, isAdministrator(actor), slice);
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

export const ticketRoutes = (ports: TicketPorts): Route[] => {
  const { db } = ports.database;
  return [
    route(api.createTicket, async r =>
      toOneTicket(db, r.actor, await createTicket(ports, r.actor, r.body, originOf(r))),
    ),
    route(api.listTickets, r => {
      const { tenantId, userId } = r.actor;
      return toPageOfTickets(db, r.actor, { ...r.query, tenantId, creatorId: userId }, r.query);
    }),
    route(api.getTicket, async r => toDetails(db, r.actor, await getVisible(db, r.actor, toKey(r.params.id)), r.query)),
    route(api.replyToTicket, r =>
      replyToTicket(ports, { actor: r.actor, ticketId: toKey(r.params.id), wish: r.body, origin: originOf(r) }),
    ),
    route(api.updateTicketStatus, async r => {
      const { actor, params, body } = r;
      const request = {
        actor,
        side: 'creator',
        ticketId: toKey(params.id),
        to: body.status,
        origin: originOf(r),
      } as const;
      return toOneTicket(db, actor, await changeStatus(ports, request));
    }),
    route(api.listAllTickets, r => toPageOfTickets(db, r.actor, { ...r.query, tenantId: r.actor.tenantId }, r.query)),
    route(api.assignTicket, async r => {
      const { actor, params, body } = r;
      const request = { actor, ticketId: toKey(params.id), assigneeId: body.assigneeId, origin: originOf(r) };
      return toOneTicket(db, actor, await assignTicket(ports, request));
    }),
    route(api.updateAnyTicketStatus, async r => {
      const { actor, params, body } = r;
      const request = {
        actor,
        side: 'administrator',
        ticketId: toKey(params.id),
        to: body.status,
        origin: originOf(r),
      } as const;
      return toOneTicket(db, actor, await changeStatus(ports, request));
    }),
  ];
};
