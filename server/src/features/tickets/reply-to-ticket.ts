// Adding a reply. The first one of an administrator moves a pending ticket to PROCESSING; an internal one changes
// nothing that the creator sees.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type replyToTicket as endpoint, type TicketReply, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { getAttachable } from './attachments.ts';
import { lockVisible } from './change-ticket.ts';
import { notifyAudience, toPreview } from './notices.ts';
import { handles, mayReply } from './policy.ts';
import { countReply, insertAttachments, insertReply, stepTicket } from './queries.ts';
import { toReply } from './views.ts';

type Reply = BodyOf<typeof endpoint> & { readonly ticketId: Key };

export function replyToTicket(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { ticketId, content, isInternal, attachmentIds }: Reply,
): Promise<TicketReply> {
  const { actor } = call;
  return database.db.transaction().execute(async tx => {
    const current = await lockVisible(tx, database.kind, actor, ticketId);
    const rejection = mayReply(actor, current, isInternal);
    if (rejection !== null) throw new ApiError(rejection);
    const files = await getAttachable(tx, actor, attachmentIds);
    const now = clock.now();
    const takesUp = current.status === ticketStatus.PENDING && handles(actor, current) && !isInternal;
    if (takesUp) await stepTicket(tx, current, ticketStatus.PROCESSING, now);
    const ticket = await countReply(tx, current, isInternal, now);
    const ticketKey = { tenant_id: ticket.tenant_id, ticket_id: ticket.id };
    const reply = await insertReply(tx, {
      ...ticketKey,
      author_id: actor.userId,
      from_administrator: isInternal || handles(actor, current) ? 1 : 0,
      is_internal: isInternal ? 1 : 0,
      content,
      created_at: now,
    });
    const attached = await insertAttachments(tx, { ...ticketKey, reply_id: reply.id }, files);
    const description = `${isInternal ? 'internal reply' : 'reply'} to ticket ${ticket.ticket_no}`;
    const param = { ticketId: ticket.id, replyId: reply.id, isInternal, attachments: files.map(file => file.file_id) };
    await recordAudit(tx, call, now, 'tickets.reply', description, param);
    const news = {
      ...(takesUp && { oldStatus: current.status, newStatus: ticket.status }),
      replierName: actor.username,
      preview: toPreview(content),
    };
    await notifyAudience(tx, { actor, ticket, reach: isInternal ? 'administrators' : 'both-sides', news }, now);
    return toReply(reply, actor.username, attached);
  });
}
