import { listTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../platform/command.ts';
import { replyArguments, replyFlags, sendReply } from '../send-reply.ts';

export default command({
  summary: 'Reply to a ticket of yours',
  examples: [
    { command: 'tickets reply TK202601310001 "It works now"', description: 'One line' },
    { command: 'tickets reply TK202601310001 - < log.txt', description: 'What comes through the pipe' },
  ],
  args: replyArguments,
  flags: replyFlags,
  run: ({ flags, args: { ticket, text }, context }) =>
    sendReply(context, listTickets, { ticket, text: text ?? flags.text, attach: flags.attach, isInternal: false }),
  note: () => 'your reply was sent',
});
