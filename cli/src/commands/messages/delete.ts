import { boolean } from '@oclif/core/flags';
import { deleteConversation } from '@recordproof/shared/api/messages.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { printable } from '../../output.ts';
import { conversationArgument } from '../../people/arguments.ts';
import { nameOf } from '../../people/tables.ts';
import { findConversation } from '../../people/who.ts';

export default command({
  summary: 'Delete a conversation on your side',
  description: 'The other one keeps it. When one of you writes again it is back, with only what is new.',
  examples: [
    { command: 'messages delete bob', description: 'Asks before it does' },
    { command: 'messages delete bob --yes', description: 'For scripts: does not ask' },
  ],
  args: conversationArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, program }) {
    const client = await program.session();
    const conversation = await findConversation(client, args.conversation);
    const question = `Delete the conversation with ${printable(nameOf(conversation.person))} on your side?`;
    if (!flags.yes) await confirm(program, question, 'nothing was deleted');
    await client.call(deleteConversation, { params: { id: conversation.id } });
    return { id: conversation.id, person: conversation.person };
  },
  note: ({ person }) => `the conversation with ${printable(nameOf(person))} was deleted on your side`,
});
