// The command `friend-shares get`.
import { getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { friendFile } from '@recordproof/shared/transfer/download-source.ts';
import {
  downloadedNote,
  downloadFiles,
  downloadFlags,
  rejectJsonPipe,
  rejectManyInPipe,
} from '../files/download-files.ts';
import { nameEach } from '../files/local-names.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { openTransfers } from '../platform/transfers.ts';
import { chooseFiles, friendShareArgument, parseFriendShare } from './share-argument.ts';

export const get = command({
  summary: 'Download files that a friend has shared, and verify them',
  description:
    'As `download` does it: checked chunk by chunk, shown when all of it is right, gone on with when broken off.',
  examples: [
    { command: 'friend-shares get 7', description: 'All files of the share, into this folder' },
    { command: 'friend-shares get 7 plan.pdf --output plan.pdf', description: 'One of them, under another name' },
  ],
  args: {
    ...friendShareArgument,
    files: many({ description: 'Names or record ids of the files; all when left out.' }),
  },
  flags: downloadFlags,
  async run({ flags, args, context }) {
    rejectJsonPipe(flags);
    const id = parseFriendShare(args.share);
    const share = await (await context.session()).call(getFriendShare, { params: { id } });
    const files = nameEach(chooseFiles(share, args.files));
    rejectManyInPipe(flags, files.length, 'name it');
    await using transfers = await openTransfers(context, flags['limit-rate']);
    const requested = files.map(({ file, name }) => ({
      fileHash: file.fileHash,
      source: friendFile(id, file),
      name,
      fileSize: file.fileSize,
    }));
    return await downloadFiles(transfers, requested, flags, 'recordproof friend-shares get');
  },
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
