// Creating a ticket under the next number of its tenant's day. Numbers have four digits; when they run out there are
// none until the next day, so each person gets only a share of them.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type * as api from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { getAttachable } from './attachments.ts';
import { notifyAudience, toPreview } from './notices.ts';
import { countOpenedSince, insertAttachments, insertTicket, type TicketRow, takeNumber } from './queries.ts';

const dayMs = 24 * 3600 * 1000;
const maxPerPersonAndDay = 100;

export function createTicket(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  input: BodyOf<typeof api.createTicket>,
): Promise<TicketRow> {
  const { actor } = call;
  const { tenantId, userId } = actor;
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const files = await getAttachable(tx, actor, input.attachmentIds);
    const ticketNo = await takeTicketNumber(tx, actor, now);
    const { title, content, category, priority } = input;
    const ticket = await insertTicket(
      tx,
      { tenant_id: tenantId, ticket_no: ticketNo, creator_id: userId, title, content, category, priority },
      now,
    );
    await insertAttachments(tx, { tenant_id: tenantId, ticket_id: ticket.id, reply_id: null }, files);
    await recordAudit(tx, call, now, 'tickets.create', `ticket ${ticketNo} opened`, {
      ticketId: ticket.id,
      category,
      priority,
      attachments: files.map(file => file.file_id),
    });
    const news = { newStatus: ticket.status, preview: toPreview(title) };
    await notifyAudience(tx, { actor, ticket, reach: 'both-sides', news }, now);
    return ticket;
  });
}

async function takeTicketNumber(tx: Tx, { tenantId, userId }: Actor, now: number): Promise<string> {
  const midnight = now - (now % dayMs);
  const retryAfterSeconds = Math.ceil((midnight + dayMs - now) / 1000);
  const day = new Date(now).toISOString().slice(0, 10).replaceAll('-', '');
  const number = await takeNumber(tx, tenantId, day);
  if (number === null) {
    throw new ApiError('RATE_LIMITED', 'the daily limit of new tickets is reached', { retryAfterSeconds });
  }
  if ((await countOpenedSince(tx, tenantId, userId, midnight)) >= maxPerPersonAndDay) {
    const message = `one person can open ${maxPerPersonAndDay} tickets a day`;
    throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds });
  }
  return `TK${day}${String(number).padStart(4, '0')}`;
}
