import { rejectFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { printable } from '../../output.ts';
import { requestArgument } from '../../people/arguments.ts';
import { nameOf } from '../../people/tables.ts';
import { findRequestId } from '../../people/who.ts';

export default command({
  summary: 'Reject a friend request; the other one is not told',
  examples: [{ command: 'friends reject alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, program }) {
    const client = await program.session();
    return client.call(rejectFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `the request of ${printable(nameOf(requester))} was rejected`,
});
