// Ticket look-up with permission check: throws TICKET_NOT_FOUND without access.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { maySee } from './policy.ts';
import { findTicket, lockTicket, type TicketRow } from './queries.ts';

function visibleTo(actor: Actor, ticket: TicketRow | null): TicketRow {
  if (ticket === null || !maySee(actor, ticket)) throw new ApiError('TICKET_NOT_FOUND');
  return ticket;
}

export const getVisible = async (db: Db, actor: Actor, id: Key): Promise<TicketRow> =>
  visibleTo(actor, await findTicket(db, actor.tenantId, id));

/** The same, locked until this transaction ends. */
export const lockVisible = async (tx: Tx, engine: Engine, actor: Actor, id: Key): Promise<TicketRow> =>
  visibleTo(actor, await lockTicket(tx, engine, actor.tenantId, id));
