import { listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../platform/command.ts';
import { listFlags, toListQuery } from '../flags.ts';
import { ticketPages, ticketsTable } from '../tables.ts';

export default command({
  summary: 'List your tickets, the newest first',
  examples: [
    { command: 'tickets list', description: 'The newest twenty' },
    { command: 'tickets list --status confirming', description: 'Those that wait for you' },
  ],
  flags: listFlags,
  run: async ({ flags, context }) => (await context.session()).call(listTickets, { query: toListQuery(flags) }),
  text: ticketsTable,
  note: ticketPages.note,
});
