import { acceptFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { printable } from '../../platform/output.ts';
import { findRequestId } from '../find-people.ts';
import { requestArgument } from '../people-arguments.ts';
import { nameOf } from '../people-tables.ts';

export default command({
  summary: 'Accept a friend request',
  examples: [{ command: 'friends accept alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(acceptFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `you and ${printable(nameOf(requester))} are friends`,
});
