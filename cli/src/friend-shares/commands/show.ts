import { boolean } from '@oclif/core/flags';
import { me } from '@recordproof/shared/api/auth.ts';
import { getFriendShare, readFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { friendShareArgument, parseFriendShare } from '../../friends/people-arguments.ts';
import { command } from '../../platform/command.ts';
import { shareText } from '../share-tables.ts';

export default command({
  summary: 'Show a share and its files; a received one is marked as read',
  examples: [
    { command: 'friend-shares show 7', description: 'Who, when, which files' },
    { command: 'friend-shares show 7 --keep-unread', description: 'Only looks' },
  ],
  args: friendShareArgument,
  flags: { 'keep-unread': boolean({ summary: 'Do not mark it as read.' }) },
  async run({ flags, args, context }) {
    const params = { id: parseFriendShare(args.share) };
    const client = await context.session();
    const share = await client.call(getFriendShare, { params });
    if (flags['keep-unread'] || share.readAt !== null) return share;
    const { externalId } = await client.call(me);
    if (share.friend.externalId !== externalId) return share;
    return { ...share, ...(await client.call(readFriendShare, { params })) };
  },
  text: shareText,
});
