import { string as argument } from '@oclif/core/args';
import { friendRequestStatus, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { printable } from '../../platform/output.ts';
import { textFlag } from '../../platform/written-text.ts';
import { findUserId } from '../find-people.ts';
import { nameOf } from '../people-tables.ts';

export default command({
  summary: 'Ask somebody to be friends',
  description: 'If the other one has asked you already, this accepts.',
  examples: [{ command: 'friends add bob --text "from the office"', description: 'Ask Bob' }],
  args: { user: argument({ required: true, description: 'User name or id of the other one.' }) },
  flags: { text: textFlag('A word with the request.') },
  async run({ flags, args, context }) {
    const client = await context.session();
    const addresseeId = await findUserId(client, args.user);
    const message = flags.text;
    return client.call(sendFriendRequest, { body: { addresseeId, ...(message !== undefined && { message }) } });
  },
  note: ({ id, status, requester, addressee }) =>
    status === friendRequestStatus.PENDING
      ? `request ${id} is on its way to ${printable(nameOf(addressee))}`
      : `${printable(nameOf(requester))} had asked already: you are friends`,
});
