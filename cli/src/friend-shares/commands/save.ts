import { getFriendShare, saveFriendFiles } from '@recordproof/shared/api/friend-shares.ts';
import { toFileRows } from '../../files/file-table.ts';
import { friendShareArgument, parseFriendShare } from '../../friends/people-arguments.ts';
import { many } from '../../platform/arguments.ts';
import { command } from '../../platform/command.ts';
import { chooseFiles } from '../choose-files.ts';

export default command({
  summary: 'Save what a friend has shared as files of your own',
  description:
    'Each becomes a record of yours, which stays whatever becomes of the share. Saving twice is saving once.',
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
  text: toFileRows,
  note: files => `${files.length} ${files.length === 1 ? 'file' : 'files'} saved`,
});
