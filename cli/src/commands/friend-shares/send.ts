import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { printable } from '../../output.ts';
import { friendArgument } from '../../people/arguments.ts';
import { sharesTable } from '../../people/share-tables.ts';
import { nameOf } from '../../people/tables.ts';
import { findFriend } from '../../people/who.ts';

export default command({
  summary: 'Share files of yours with a friend',
  examples: [
    { command: 'friend-shares send bob <fileHash> <fileHash>', description: 'At most a hundred files' },
    { command: 'friend-shares send bob <fileHash> --message "the plans"', description: 'With a word to them' },
  ],
  args: {
    ...friendArgument,
    files: argument({ required: true, multiple: true, description: 'Hashes of the files.' }),
  },
  flags: { message: string({ char: 'm', helpValue: '<text>', summary: 'A word with the files.' }) },
  async run({ flags, args, program }) {
    const fileHashes = (args.files as unknown as string[]).map(parseFileHash);
    const client = await program.session();
    const { externalId: friendId } = await findFriend(client, args.friend);
    const { message } = flags;
    return client.call(shareWithFriend, { body: { friendId, fileHashes, ...(message !== undefined && { message }) } });
  },
  text: share => sharesTable([share]),
  note: ({ friend }) => `shared with ${printable(nameOf(friend))}`,
});
