import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { filesArgument, findFileHashes } from '../../files/find-file.ts';
import { findFriend } from '../../friends/find-people.ts';
import { friendArgument } from '../../friends/people-arguments.ts';
import { nameOf } from '../../friends/people-tables.ts';
import { command } from '../../platform/command.ts';
import { printable } from '../../platform/output.ts';
import { textFlag } from '../../platform/written-text.ts';
import { sharesTable } from '../share-tables.ts';

export default command({
  summary: 'Share files of yours with a friend',
  examples: [
    { command: 'friend-shares send bob plan.pdf 42', description: 'At most a hundred files' },
    { command: 'friend-shares send bob plan.pdf --text "the plans"', description: 'With a word to them' },
  ],
  args: {
    ...friendArgument,
    ...filesArgument,
  },
  flags: { text: textFlag('A word with the files.') },
  async run({ flags, args, context }) {
    const client = await context.session();
    const fileHashes = await findFileHashes(client, args.files);
    const { externalId: friendId } = await findFriend(client, args.friend);
    const message = flags.text;
    return client.call(shareWithFriend, { body: { friendId, fileHashes, ...(message !== undefined && { message }) } });
  },
  text: share => sharesTable([share]),
  note: ({ friend }) => `shared with ${printable(nameOf(friend))}`,
});
