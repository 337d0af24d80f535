// Look-up of tickets with permission check, their assignment to an administrator, and changes of their status.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type TicketStatus, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccountByExternalId } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notifyAudience } from './notices.ts';
import { isAssignable, isCreator, listNext, maySee, mayStep, type Side } from './policy.ts';
import { assignTo, findTicket, lockTicket, stepTicket, type TicketRow } from './queries.ts';

function visibleTo(actor: Actor, ticket: TicketRow | null): TicketRow {
  if (ticket === null || !maySee(actor, ticket)) throw new ApiError('TICKET_NOT_FOUND');
  return ticket;
}

/** Throws TICKET_NOT_FOUND without access. */
export const getVisible = async (db: Db, actor: Actor, id: Key): Promise<TicketRow> =>
  visibleTo(actor, await findTicket(db, actor.tenantId, id));

/** The same, locked until this transaction ends. */
export const lockVisible = async (tx: Tx, engine: Engine, actor: Actor, id: Key): Promise<TicketRow> =>
  visibleTo(actor, await lockTicket(tx, engine, actor.tenantId, id));

type Assignment = {
  readonly ticketId: Key;
  /** External id. */
  readonly assigneeId: string;
};

/** A pending ticket moves to PROCESSING; one already assigned to this administrator is returned unchanged. */
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
