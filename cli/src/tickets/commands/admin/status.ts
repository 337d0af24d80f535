import { string as argument } from '@oclif/core/args';
import { listAllTickets, ticketStatus, updateAnyTicketStatus } from '@recordproof/shared/api/tickets.ts';
import { codeOf, namesOf } from '../../../platform/code-names.ts';
import { command } from '../../../platform/command.ts';
import { findTicketId, ticketArgument } from '../../flags.ts';
import { stateNote } from '../../tables.ts';

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
  async run({ args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    const status = codeOf(ticketStatus, args.status);
    return client.call(updateAnyTicketStatus, { params: { id }, body: { status } });
  },
  note: stateNote,
});
