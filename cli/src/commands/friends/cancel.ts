import { cancelFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { printable } from '../../output.ts';
import { requestArgument } from '../../people/arguments.ts';
import { nameOf } from '../../people/tables.ts';
import { findRequestId } from '../../people/who.ts';

export default command({
  summary: 'Take back a friend request of yours',
  examples: [{ command: 'friends cancel bob', description: 'As long as Bob has not answered' }],
  args: requestArgument,
  async run({ args, program }) {
    const client = await program.session();
    return client.call(cancelFriendRequest, { params: { id: await findRequestId(client, args.request, 'me') } });
  },
  note: ({ addressee }) => `the request to ${printable(nameOf(addressee))} was taken back`,
});
