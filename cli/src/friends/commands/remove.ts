import { boolean } from '@oclif/core/flags';
import { unfriend } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';
import { findFriend } from '../find-people.ts';
import { friendArgument } from '../people-arguments.ts';
import { nameOf } from '../people-tables.ts';

export default command({
  summary: 'End a friendship, for both of you',
  description: 'What the two of you have shared with each other can no longer be opened. Copies that were saved stay.',
  examples: [
    { command: 'friends remove bob', description: 'Asks before it does' },
    { command: 'friends remove bob --yes', description: 'For scripts: does not ask' },
  ],
  args: friendArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const friend = await findFriend(client, args.friend);
    const question = `End the friendship with ${printable(nameOf(friend))}? What you share with each other ends too.`;
    if (!flags.yes) await confirm(context, question, 'you are still friends');
    await client.call(unfriend, { params: { id: friend.externalId } });
    return friend;
  },
  note: friend => `you and ${printable(nameOf(friend))} are no longer friends`,
});
