import { listAllTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../platform/command.ts';
import { listFlags, toListQuery } from '../../flags.ts';
import { ticketPages, ticketsTable } from '../../tables.ts';

export default command({
  summary: 'List the tickets of everyone, the newest first',
  examples: [
    { command: 'admin tickets list --status pending', description: 'What nobody has taken up' },
    { command: 'admin tickets list --sort priority,desc', description: 'The most urgent first' },
  ],
  flags: listFlags,
  run: async ({ flags, context }) => (await context.session()).call(listAllTickets, { query: toListQuery(flags) }),
  text: ticketsTable,
  note: ticketPages.note,
});
