import { listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../command.ts';
import { attachFlag } from '../../tickets/flags.ts';
import { replyArguments, sendReply } from '../../tickets/send-reply.ts';

export default command({
  summary: 'Reply to a ticket of yours',
  examples: [
    { command: 'tickets reply TK202601310001 "It works now"', description: 'One line' },
    { command: 'tickets reply TK202601310001 - < log.txt', description: 'What comes through the pipe' },
  ],
  args: replyArguments,
  flags: { attach: attachFlag },
  run: ({ flags, args: { ticket, text }, program }) =>
    sendReply(program, listTickets, { ticket, text, attach: flags.attach, isInternal: false }),
  note: () => 'your reply was sent',
});
