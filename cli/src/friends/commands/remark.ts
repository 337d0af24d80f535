import { string as argument } from '@oclif/core/args';
import { updateRemark } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { findFriend } from '../find-people.ts';
import { friendArgument } from '../people-arguments.ts';
import { friendsTable } from '../people-tables.ts';

export default command({
  summary: 'Give a friend a name that only you see, or take it away',
  examples: [
    { command: 'friends remark bob "Bob from the office"', description: 'At most 50 letters' },
    { command: 'friends remark bob', description: 'Takes it away' },
  ],
  args: { ...friendArgument, remark: argument({ description: 'The name; left out, there is none any more.' }) },
  async run({ args, context }) {
    const client = await context.session();
    const { externalId: id } = await findFriend(client, args.friend);
    return client.call(updateRemark, { params: { id }, body: { remark: args.remark ?? null } });
  },
  text: friend => friendsTable([friend]),
});
