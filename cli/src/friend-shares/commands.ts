// Commands under `friend-shares`.
import { boolean } from '@oclif/core/flags';
import { me } from '@recordproof/shared/api/auth.ts';
import {
  cancelFriendShare,
  countUnreadShares,
  getFriendShare,
  listReceivedShares,
  listSentShares,
  readFriendShare,
  saveFriendFiles,
  shareWithFriend,
} from '@recordproof/shared/api/friend-shares.ts';
import { filesTable } from '../files/file-table.ts';
import { filesArgument, findFileHashes } from '../files/find-file.ts';
import { findFriend, friendArgument } from '../friends/find-people.ts';
import { nameOf } from '../friends/people-tables.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { printable } from '../platform/output.ts';
import { textFlag } from '../platform/written-text.ts';
import { chooseFiles, friendShareArgument, parseFriendShare } from './share-argument.ts';
import { friendSharePages, sharesTable, shareText } from './share-tables.ts';

export const list = command({
  summary: 'List shares from friends, or yours for them',
  examples: [
    { command: 'friend-shares list', description: 'Shares that you received' },
    { command: 'friend-shares list --sent', description: 'Shares that you sent, and which were read' },
  ],
  flags: { ...friendSharePages.flags, sent: boolean({ summary: 'Shares that you sent.' }) },
  run: async ({ flags, context }) =>
    (await context.session()).call(flags.sent ? listSentShares : listReceivedShares, {
      query: friendSharePages.toQuery(flags),
    }),
  text: sharesTable,
  note: friendSharePages.note,
});

export const unread = command({
  summary: 'How many shares of friends you have not read',
  examples: [{ command: 'friend-shares unread', description: 'A number' }],
  run: async ({ context }) => (await context.session()).call(countUnreadShares),
  text: ({ count }) => String(count),
});

export const show = command({
  summary: 'Show a share and its files; a received one is marked as read',
  examples: [
    { command: 'friend-shares show 7', description: 'Sender, time and files' },
    { command: 'friend-shares show 7 --keep-unread', description: 'Without marking it' },
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

export const send = command({
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

export const cancel = command({
  summary: 'Cancel a share with a friend',
  description: 'Its files can no longer be opened. Files that the friend has saved stay theirs.',
  examples: [
    { command: 'friend-shares cancel 7', description: 'Asks before it does' },
    { command: 'friend-shares cancel 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: friendShareArgument,
  flags: { yes: yesFlag },
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

export const save = command({
  summary: 'Save files that a friend has shared as your own',
  description:
    'Each becomes a record of yours, which stays when the share ends. Saving a file again makes no second record.',
  examples: [
    { command: 'friend-shares save 7', description: 'All files of the share' },
    { command: 'friend-shares save 7 plan.pdf', description: 'One of them' },
  ],
  args: {
    ...friendShareArgument,
    files: many({ description: 'Names or record ids of the files; all when left out.' }),
  },
  async run({ args, context }) {
    const params = { id: parseFriendShare(args.share) };
    const client = await context.session();
    if (args.files.length === 0) return client.call(saveFriendFiles, { params });
    const chosen = chooseFiles(await client.call(getFriendShare, { params }), args.files);
    return client.call(saveFriendFiles, { params, body: { fileHashes: chosen.map(file => file.fileHash) } });
  },
  text: filesTable,
  note: files => `${files.length} ${files.length === 1 ? 'file' : 'files'} saved`,
});
