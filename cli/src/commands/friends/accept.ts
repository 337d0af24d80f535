import { acceptFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { printable } from '../../output.ts';
import { requestArgument } from '../../people/arguments.ts';
import { nameOf } from '../../people/tables.ts';
import { findRequestId } from '../../people/who.ts';

export default command({
  summary: 'Accept a friend request',
  examples: [{ command: 'friends accept alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, program }) {
    const client = await program.session();
    return client.call(acceptFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `you and ${printable(nameOf(requester))} are friends`,
});
