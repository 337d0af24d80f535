import { string as argument } from '@oclif/core/args';
import { type FriendShareDetails, getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { type DownloadOrigin, friendShareFile } from '@recordproof/shared/transfer/download-origin.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { Fixable } from '../../fixable.ts';
import { friendShareArgument, parseFriendShare } from '../../people/arguments.ts';
import {
  downloadFiles,
  downloadFlags,
  downloadsNote,
  downloadsTable,
  refusePipe,
} from '../../transfer/download-files.ts';
import { openTransferKit } from '../../transfer/kit.ts';

function toOrigins({ id, files }: FriendShareDetails, wanted: readonly string[]): DownloadOrigin[] {
  const missing = wanted.find(hash => !files.some(file => file.fileHash === hash));
  if (missing !== undefined)
    throw new Fixable('refused', `share ${id} has no file ${missing}`, { try: `recordproof friend-shares show ${id}` });
  if (files.length === 0) throw new Fixable('refused', `the files of share ${id} were all deleted`);
  return files
    .filter(file => wanted.length === 0 || wanted.includes(file.fileHash))
    .map(file => friendShareFile(id, file));
}

export default command({
  summary: 'Download what a friend has shared, and prove it on the way',
  description:
    'As `download` does it: checked chunk by chunk, shown when all of it is right, gone on with when broken off.',
  examples: [
    { command: 'friend-shares get 7', description: 'All files of the share, into this folder' },
    { command: 'friend-shares get 7 <fileHash> --output plan.pdf', description: 'One of them, under another name' },
  ],
  args: {
    ...friendShareArgument,
    files: argument({ multiple: true, description: 'Hashes of the files; all when left out.' }),
  },
  flags: downloadFlags,
  async run({ flags, args, program }) {
    const wanted = ((args.files as unknown as string[] | undefined) ?? []).map(parseFileHash);
    refusePipe(flags, wanted.length);
    const id = parseFriendShare(args.share);
    const share = await (await program.session()).call(getFriendShare, { params: { id } });
    const origins = toOrigins(share, wanted);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    return await downloadFiles(kit, origins, flags, 'recordproof friend-shares get');
  },
  text: downloadsTable,
  note: downloadsNote,
  ending: ({ ending }) => ending,
});
