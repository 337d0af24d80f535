import { boolean } from '@oclif/core/flags';
import { listAllTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../platform/command.ts';
import { replyArguments, replyFlags, sendReply } from '../../send-reply.ts';

export default command({
  summary: 'Reply to a ticket, to whoever opened it or among administrators',
  description: 'The first reply takes a pending ticket up; an internal one does not.',
  examples: [
    { command: 'admin tickets reply TK202601310001 "Please try again"', description: 'To whoever opened it' },
    { command: 'admin tickets reply TK202601310001 "Same as last week" --internal', description: 'For administrators' },
  ],
  args: replyArguments,
  flags: { ...replyFlags, internal: boolean({ summary: 'Only administrators ever see it.' }) },
  run: ({ flags, args: { ticket, text }, context }) =>
    sendReply(context, listAllTickets, {
      ticket,
      text: text ?? flags.text,
      attach: flags.attach,
      isInternal: flags.internal,
    }),
  note: ({ isInternal }) => (isInternal ? 'your internal reply was kept' : 'your reply was sent'),
});
