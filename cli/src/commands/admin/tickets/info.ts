import { getTicket, listAllTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../command.ts';
import { pageFlagsOf, toPageQuery } from '../../../pages.ts';
import { findTicketId, ticketArgument } from '../../../tickets/flags.ts';
import { repliesNote, ticketText } from '../../../tickets/tables.ts';

export default command({
  summary: 'Read a ticket with all its replies, internal ones too',
  examples: [{ command: 'admin tickets info TK202601310001', description: 'The ticket and its latest twenty replies' }],
  args: ticketArgument,
  flags: pageFlagsOf(['createdAt']),
  async run({ flags, args, program }) {
    const client = await program.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    return client.call(getTicket, { params: { id }, query: toPageQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});
