import { listTickets, type TicketStatus, updateTicketStatus } from '@recordproof/shared/api/tickets.ts';
import { type CommandClass, command } from '../command.ts';
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
    async run({ args, program }) {
      const client = await program.session();
      const id = await findTicketId(client, args.ticket, listTickets);
      return client.call(updateTicketStatus, { params: { id }, body: { status: to } });
    },
    note: stateNote,
  });
