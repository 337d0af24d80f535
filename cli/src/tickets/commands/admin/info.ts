import { getTicket, listAllTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../platform/command.ts';
import { findTicketId, ticketArgument } from '../../flags.ts';
import { repliesNote, replyPages, ticketText } from '../../tables.ts';

export default command({
  summary: 'Read a ticket with all its replies, internal ones too',
  examples: [{ command: 'admin tickets info TK202601310001', description: 'The ticket and its latest twenty replies' }],
  args: ticketArgument,
  flags: replyPages.flags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    return client.call(getTicket, { params: { id }, query: replyPages.toQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});
