// Who may see a ticket, and who may do what to it in which state. Pure.
import { type TicketStatus, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { AccountRow } from '../accounts/index.ts';
import type { TicketRow } from './queries.ts';

type Viewer = Pick<Actor, 'userId' | 'tenantId' | 'permissions'>;

export const isAdministrator = (actor: Pick<Actor, 'permissions'>): boolean => actor.permissions.has('ticket:admin');

export const isCreator = (actor: Pick<Actor, 'userId'>, ticket: TicketRow): boolean =>
  ticket.creator_id === actor.userId;

export const maySee = (actor: Viewer, ticket: TicketRow): boolean =>
  ticket.tenant_id === actor.tenantId && (isCreator(actor, ticket) || isAdministrator(actor));

/** Answers for the administration of the tenant; with tickets of their own, administrators are creators like others. */
export const handles = (actor: Viewer, ticket: TicketRow): boolean =>
  isAdministrator(actor) && !isCreator(actor, ticket);

/** Can be given tickets, and is told of them. */
export const isAssignable = ({ role, status }: Pick<AccountRow, 'role' | 'status'>): boolean =>
  role === 'admin' && status === 'ACTIVE';

export type Side = 'creator' | 'administrator';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = ticketStatus;

const steps: Readonly<Record<Side, Readonly<Record<TicketStatus, readonly TicketStatus[]>>>> = {
  creator: {
    [PENDING]: [CLOSED],
    [PROCESSING]: [CLOSED],
    [CONFIRMING]: [COMPLETED, PROCESSING],
    [COMPLETED]: [CLOSED],
    [CLOSED]: [],
  },
  administrator: {
    [PENDING]: [PROCESSING, CLOSED],
    [PROCESSING]: [CONFIRMING, CLOSED],
    [CONFIRMING]: [COMPLETED, PROCESSING],
    [COMPLETED]: [CLOSED],
    [CLOSED]: [],
  },
};

/** What the ticket can become next, by the hand of this side. */
export const listNext = (side: Side, from: TicketStatus): readonly TicketStatus[] => steps[side][from];

/** Null when this side may take the ticket there. */
export function mayStep(
  side: Side,
  from: TicketStatus,
  to: TicketStatus,
): 'TICKET_ALREADY_CLOSED' | 'INVALID_TICKET_STATUS' | null {
  if (from === CLOSED) return 'TICKET_ALREADY_CLOSED';
  return steps[side][from].includes(to) ? null : 'INVALID_TICKET_STATUS';
}

/** Null when the actor, who may see the ticket, may write this reply. */
export function mayReply(
  actor: Viewer,
  ticket: TicketRow,
  isInternal: boolean,
): 'FORBIDDEN' | 'TICKET_ALREADY_CLOSED' | null {
  if (isInternal && !isAdministrator(actor)) return 'FORBIDDEN';
  return ticket.status === CLOSED ? 'TICKET_ALREADY_CLOSED' : null;
}
