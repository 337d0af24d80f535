import { rejectFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { printable } from '../../platform/output.ts';
import { findRequestId } from '../find-people.ts';
import { requestArgument } from '../people-arguments.ts';
import { nameOf } from '../people-tables.ts';

export default command({
  summary: 'Reject a friend request; the other one is not told',
  examples: [{ command: 'friends reject alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(rejectFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `the request of ${printable(nameOf(requester))} was rejected`,
});
