// Status changes of a ticket, by its creator or by an administrator.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type TicketStatus, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { notifyAudience } from './notices.ts';
import { isCreator, listNext, mayStep, type Side } from './policy.ts';
import { stepTicket, type TicketRow } from './queries.ts';
import { lockVisible } from './visible.ts';

export type StatusChange = { readonly ticketId: Key; readonly side: Side; readonly to: TicketStatus };

export function changeStatus(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { ticketId, side, to }: StatusChange,
): Promise<TicketRow> {
  const { actor } = call;
  return database.db.transaction().execute(async tx => {
    const current = await lockVisible(tx, database.kind, actor, ticketId);
    if (side === 'creator' && !isCreator(actor, current)) throw new ApiError('TICKET_NOT_OWNER');
    rejectImpossible(side, current.status, to);
    const now = clock.now();
    const ticket = await stepTicket(tx, current, to, now);
    if (ticket === null)
      throw new ApiError('INVALID_TICKET_STATUS', 'the ticket was changed in the meantime; load it again');
    await recordAudit(tx, call, now, 'tickets.change-status', `ticket ${ticket.ticket_no} is ${nameOf(to)}`, {
      ticketId: ticket.id,
      from: current.status,
      to,
      side,
    });
    const news = { oldStatus: current.status, newStatus: to };
    await notifyAudience(tx, { actor, ticket, reach: 'both-sides', news }, now);
    return ticket;
  });
}

const nameOf = (status: TicketStatus): string =>
  Object.entries(ticketStatus).find(([, code]) => code === status)?.[0] ?? String(status);

function rejectImpossible(side: Side, from: TicketStatus, to: TicketStatus): void {
  const rejection = mayStep(side, from, to);
  if (rejection === null) return;
  if (rejection === 'TICKET_ALREADY_CLOSED') throw new ApiError(rejection);
  const next = listNext(side, from).map(nameOf);
  const hint = next.length === 0 ? 'nothing else' : next.join(' or ');
  throw new ApiError(rejection, `from ${nameOf(from)} you can take this ticket to ${hint}`);
}
