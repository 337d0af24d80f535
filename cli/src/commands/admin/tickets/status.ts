import { string as argument } from '@oclif/core/args';
import { listAllTickets, ticketStatus, updateAnyTicketStatus } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../command.ts';
import { codeOf, namesOf } from '../../../names.ts';
import { findTicketId, ticketArgument } from '../../../tickets/flags.ts';
import { stateNote } from '../../../tickets/tables.ts';

export default command({
  summary: 'Change the state of a ticket',
  description:
    'pending → processing or closed; processing → confirming or closed; confirming → completed or processing; completed → closed.',
  examples: [
    {
      command: 'admin tickets status TK202601310001 confirming',
      description: 'Asks whoever opened it whether it is solved',
    },
  ],
  args: {
    ...ticketArgument,
    status: argument({ required: true, options: namesOf(ticketStatus), description: 'What it is from now on.' }),
  },
  async run({ args, program }) {
    const client = await program.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    const status = codeOf(ticketStatus, args.status);
    return client.call(updateAnyTicketStatus, { params: { id }, body: { status } });
  },
  note: stateNote,
});
