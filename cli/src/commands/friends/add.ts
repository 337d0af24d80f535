import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { friendRequestStatus, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { printable } from '../../output.ts';
import { nameOf } from '../../people/tables.ts';
import { findUserId } from '../../people/who.ts';

export default command({
  summary: 'Ask somebody to be friends',
  description: 'If the other one has asked you already, this accepts.',
  examples: [{ command: 'friends add bob --message "from the office"', description: 'Ask Bob' }],
  args: { user: argument({ required: true, description: 'User name or id of the other one.' }) },
  flags: { message: string({ char: 'm', helpValue: '<text>', summary: 'A word with the request.' }) },
  async run({ flags, args, program }) {
    const client = await program.session();
    const addresseeId = await findUserId(client, args.user);
    const { message } = flags;
    return client.call(sendFriendRequest, { body: { addresseeId, ...(message !== undefined && { message }) } });
  },
  note: ({ id, status, requester, addressee }) =>
    status === friendRequestStatus.PENDING
      ? `request ${id} is on its way to ${printable(nameOf(addressee))}`
      : `${printable(nameOf(requester))} had asked already: you are friends`,
});
