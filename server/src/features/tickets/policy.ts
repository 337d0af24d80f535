// Permissions on tickets by role and status. Pure.
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

/** Whether the actor acts for the administration; on their own tickets, administrators are creators. */
export const handles = (actor: Viewer, ticket: TicketRow): boolean =>
  isAdministrator(actor) && !isCreator(actor, ticket);

/** Whether tickets can be assigned to the account. */
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

/** The possible next statuses for this side. */
export const listNext = (side: Side, from: TicketStatus): readonly TicketStatus[] => steps[side][from];

/** Returns null if this side may make the change. */
export function mayStep(
  side: Side,
  from: TicketStatus,
  to: TicketStatus,
): 'TICKET_ALREADY_CLOSED' | 'INVALID_TICKET_STATUS' | null {
  if (from === CLOSED) return 'TICKET_ALREADY_CLOSED';
  return steps[side][from].includes(to) ? null : 'INVALID_TICKET_STATUS';
}

/** Returns null if the actor, who may see the ticket, may write this reply. */
export function mayReply(
  actor: Viewer,
  ticket: TicketRow,
  isInternal: boolean,
): 'FORBIDDEN' | 'TICKET_ALREADY_CLOSED' | null {
  if (isInternal && !isAdministrator(actor)) return 'FORBIDDEN';
  return ticket.status === CLOSED ? 'TICKET_ALREADY_CLOSED' : null;
}
