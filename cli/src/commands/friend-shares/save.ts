import { string as argument } from '@oclif/core/args';
import { saveFriendFiles } from '@recordproof/shared/api/friend-shares.ts';
import { command } from '../../command.ts';
import { parseFileHash, toFileRows } from '../../file-table.ts';
import { friendShareArgument, parseFriendShare } from '../../people/arguments.ts';

export default command({
  summary: 'Save what a friend has shared as files of your own',
  description:
    'Each becomes a record of yours, which stays whatever becomes of the share. Saving twice is saving once.',
  examples: [
    { command: 'friend-shares save 7', description: 'All files of the share' },
    { command: 'friend-shares save 7 <fileHash>', description: 'One of them' },
  ],
  args: {
    ...friendShareArgument,
    files: argument({ multiple: true, description: 'Hashes of the files; all when left out.' }),
  },
  async run({ args, program }) {
    const wanted = ((args.files as unknown as string[] | undefined) ?? []).map(parseFileHash);
    const params = { id: parseFriendShare(args.share) };
    const body = wanted.length === 0 ? undefined : { fileHashes: wanted };
    return (await program.session()).call(saveFriendFiles, { params, body });
  },
  text: toFileRows,
  note: files => `${files.length} ${files.length === 1 ? 'file' : 'files'} saved`,
});
