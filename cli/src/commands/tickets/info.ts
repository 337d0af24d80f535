import { getTicket, listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../command.ts';
import { pageFlagsOf, toPageQuery } from '../../pages.ts';
import { findTicketId, ticketArgument } from '../../tickets/flags.ts';
import { repliesNote, ticketText } from '../../tickets/tables.ts';

export default command({
  summary: 'Read a ticket and its replies',
  description: 'Shows the latest page of replies, the oldest of them first.',
  examples: [
    { command: 'tickets info TK202601310001', description: 'The ticket and its latest twenty replies' },
    { command: 'tickets info TK202601310001 --page 2', description: 'The twenty before them' },
  ],
  args: ticketArgument,
  flags: pageFlagsOf(['createdAt']),
  async run({ flags, args, program }) {
    const client = await program.session();
    const id = await findTicketId(client, args.ticket, listTickets);
    return client.call(getTicket, { params: { id }, query: toPageQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});
