// Assigning a ticket to an administrator; a pending one moves to PROCESSING.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccountByExternalId } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notifyAudience } from './notices.ts';
import { isAssignable } from './policy.ts';
import { assignTo, stepTicket, type TicketRow } from './queries.ts';
import { lockVisible } from './visible.ts';

type Assignment = {
  readonly ticketId: Key;
  /** External id. */
  readonly assigneeId: string;
};

/** A ticket already assigned to this administrator is returned unchanged. */
export function assignTicket(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { ticketId, assigneeId }: Assignment,
): Promise<TicketRow> {
  const { actor } = call;
  return database.db.transaction().execute(async tx => {
    const current = await lockVisible(tx, database.kind, actor, ticketId);
    if (current.status === ticketStatus.CLOSED) throw new ApiError('TICKET_ALREADY_CLOSED');
    const assignee = await getAssignable(tx, actor.tenantId, assigneeId);
    if (current.assignee_id === assignee.id) return current;
    const now = clock.now();
    const takesUp = current.status === ticketStatus.PENDING;
    if (takesUp) await stepTicket(tx, current, ticketStatus.PROCESSING, now);
    const ticket = await assignTo(tx, current, assignee.id, now);
    await recordAudit(tx, call, now, 'tickets.assign', `ticket ${ticket.ticket_no} given to ${assignee.username}`, {
      ticketId: ticket.id,
      from: current.assignee_id,
      to: assignee.id,
    });
    const news = takesUp ? { oldStatus: current.status, newStatus: ticket.status } : {};
    await notifyAudience(tx, { actor, ticket, reach: takesUp ? 'both-sides' : 'administrators', news }, now);
    return ticket;
  });
}

async function getAssignable(tx: Tx, tenantId: Key, externalId: string): Promise<AccountRow> {
  const account = await findAccountByExternalId(tx, tenantId, externalId);
  if (account === null) throw new ApiError('USER_NOT_EXIST');
  if (!isAssignable(account)) throw new ApiError('PARAM_IS_INVALID', 'assigneeId: must be an active administrator');
  return account;
}
