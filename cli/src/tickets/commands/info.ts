import { getTicket, listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../platform/command.ts';
import { findTicketId, ticketArgument } from '../flags.ts';
import { repliesNote, replyPages, ticketText } from '../tables.ts';

export default command({
  summary: 'Read a ticket and its replies',
  description: 'Shows the latest page of replies, the oldest of them first.',
  examples: [
    { command: 'tickets info TK202601310001', description: 'The ticket and its latest twenty replies' },
    { command: 'tickets info TK202601310001 --page 2', description: 'The twenty before them' },
  ],
  args: ticketArgument,
  flags: replyPages.flags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listTickets);
    return client.call(getTicket, { params: { id }, query: replyPages.toQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});
