import { boolean } from '@oclif/core/flags';
import { cancelFriendShare, getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { friendShareArgument, parseFriendShare } from '../../friends/people-arguments.ts';
import { nameOf } from '../../friends/people-tables.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';

export default command({
  summary: 'Take back what you have shared with a friend',
  description: 'Nothing of it opens any more. What the friend has saved stays theirs.',
  examples: [
    { command: 'friend-shares cancel 7', description: 'Asks before it does' },
    { command: 'friend-shares cancel 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: friendShareArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const params = { id: parseFriendShare(args.share) };
    const client = await context.session();
    const share = await client.call(getFriendShare, { params });
    const question = `Take back ${share.fileCount} files from ${printable(nameOf(share.friend))}?`;
    if (!flags.yes) await confirm(context, question, 'nothing was cancelled');
    await client.call(cancelFriendShare, { params });
    return { id: share.id, friend: share.friend };
  },
  note: ({ id, friend }) => `share ${id} no longer opens for ${printable(nameOf(friend))}`,
});
