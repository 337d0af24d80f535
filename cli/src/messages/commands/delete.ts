import { boolean } from '@oclif/core/flags';
import { deleteConversation } from '@recordproof/shared/api/messages.ts';
import { findConversation } from '../../friends/find-people.ts';
import { conversationArgument } from '../../friends/people-arguments.ts';
import { nameOf } from '../../friends/people-tables.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';

export default command({
  summary: 'Delete a conversation on your side',
  description: 'The other one keeps it. When one of you writes again it is back, with only what is new.',
  examples: [
    { command: 'messages delete bob', description: 'Asks before it does' },
    { command: 'messages delete bob --yes', description: 'For scripts: does not ask' },
  ],
  args: conversationArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const conversation = await findConversation(client, args.conversation);
    const question = `Delete the conversation with ${printable(nameOf(conversation.person))} on your side?`;
    if (!flags.yes) await confirm(context, question, 'nothing was deleted');
    await client.call(deleteConversation, { params: { id: conversation.id } });
    return { id: conversation.id, person: conversation.person };
  },
  note: ({ person }) => `the conversation with ${printable(nameOf(person))} was deleted on your side`,
});
