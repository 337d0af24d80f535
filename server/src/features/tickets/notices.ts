// Recipients of ticket notices: the creator gets everything meant for both sides; the assigned administrator, or all
// administrators of an unassigned ticket, get the creator's changes. Actors are not notified of their own changes, and
// former administrators get no notices for administrators.
import type { EventPayload } from '@recordproof/shared/api/events.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { toOneLine } from '../../platform/text.ts';
import { findAccount } from '../accounts/index.ts';
import { type Audience, notify } from '../events/index.ts';
import { isAssignable, isCreator } from './policy.ts';
import type { TicketRow } from './queries.ts';

type News = Omit<EventPayload<'ticket-updated'>, 'ticketId' | 'ticketNo'>;

type TicketNotice = {
  readonly actor: Actor;
  /** After the change. */
  readonly ticket: TicketRow;
  readonly reach: 'both-sides' | 'administrators';
  readonly news: News;
};

export async function notifyAudience(tx: Tx, { actor, ticket, reach, news }: TicketNotice, now: Time): Promise<void> {
  const { tenant_id: tenantId, id, ticket_no: ticketNo } = ticket;
  const payload = { ticketId: toWireId(id), ticketNo, ...news };
  for (const to of await listAudiences(tx, actor, ticket, reach))
    await notify(tx, { tenantId, to, type: 'ticket-updated', payload }, now);
}

async function listAudiences(
  tx: Tx,
  actor: Actor,
  ticket: TicketRow,
  reach: TicketNotice['reach'],
): Promise<Audience[]> {
  const handler = await findHandler(tx, ticket);
  const toCreator = reach === 'both-sides' && !isCreator(actor, ticket);
  if (reach === 'both-sides' && !toCreator && handler === null) return [{ kind: 'roles', roles: ['admin'] }];
  const toHandler = handler !== null && handler !== actor.userId && !(toCreator && handler === ticket.creator_id);
  return [
    ...(toCreator ? [{ kind: 'users', userIds: [ticket.creator_id] } as const] : []),
    ...(toHandler ? [{ kind: 'users', userIds: [handler], as: 'admin' } as const] : []),
  ];
}

/** Returns null if the ticket is unassigned, or its assignee is no longer an administrator. */
async function findHandler(tx: Tx, { tenant_id, assignee_id }: TicketRow): Promise<Key | null> {
  const account = assignee_id === null ? null : await findAccount(tx, tenant_id, assignee_id);
  return account !== null && isAssignable(account) ? account.id : null;
}

const previewCharacters = 100;

/** The part of a text shown in notices. */
export const toPreview = (text: string): string => toOneLine(text, previewCharacters);
