import { listTickets, type TicketStatus, updateTicketStatus } from '@recordproof/shared/api/tickets.ts';
import { command } from '../platform/command.ts';
import type { CommandClass } from '../platform/topic.ts';
import { findTicketId, ticketArgument } from './flags.ts';
import { stateNote } from './tables.ts';

type Wording = { readonly verb: string; readonly summary: string; readonly description: string };

/** A command that takes an own ticket to another state. */
export const changeOwn = (to: TicketStatus, { verb, summary, description }: Wording): CommandClass =>
  command({
    summary,
    description,
    examples: [{ command: `tickets ${verb} TK202601310001`, description: summary }],
    args: ticketArgument,
    async run({ args, context }) {
      const client = await context.session();
      const id = await findTicketId(client, args.ticket, listTickets);
      return client.call(updateTicketStatus, { params: { id }, body: { status: to } });
    },
    note: stateNote,
  });
