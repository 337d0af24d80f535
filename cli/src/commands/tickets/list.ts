import { listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../command.ts';
import { listFlags, toListQuery } from '../../tickets/flags.ts';
import { ticketsNote, ticketsTable } from '../../tickets/tables.ts';

export default command({
  summary: 'List your tickets, the newest first',
  examples: [
    { command: 'tickets list', description: 'The newest twenty' },
    { command: 'tickets list --status confirming', description: 'Those that wait for you' },
  ],
  flags: listFlags,
  run: async ({ flags, program }) => (await program.session()).call(listTickets, { query: toListQuery(flags) }),
  text: ticketsTable,
  note: ticketsNote,
});
