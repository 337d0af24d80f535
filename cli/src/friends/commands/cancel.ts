import { cancelFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { printable } from '../../platform/output.ts';
import { findRequestId } from '../find-people.ts';
import { requestArgument } from '../people-arguments.ts';
import { nameOf } from '../people-tables.ts';

export default command({
  summary: 'Take back a friend request of yours',
  examples: [{ command: 'friends cancel bob', description: 'As long as Bob has not answered' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(cancelFriendRequest, { params: { id: await findRequestId(client, args.request, 'me') } });
  },
  note: ({ addressee }) => `the request to ${printable(nameOf(addressee))} was taken back`,
});
