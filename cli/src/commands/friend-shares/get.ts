import { string as argument } from '@oclif/core/args';
import { type FriendShareDetails, getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import type { SharedFile } from '@recordproof/shared/api/shares.ts';
import { friendFile } from '@recordproof/shared/transfer/download-source.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { Fixable } from '../../fixable.ts';
import { friendShareArgument, parseFriendShare } from '../../people/arguments.ts';
import {
  downloadedNote,
  downloadedTable,
  downloadFiles,
  downloadFlags,
  nameEach,
  refuseJsonPipe,
  refuseManyInPipe,
} from '../../transfer/download-files.ts';
import { openTransferKit } from '../../transfer/kit.ts';

function chooseFiles({ id, files }: FriendShareDetails, hashes: readonly string[]): SharedFile[] {
  const missing = hashes.find(hash => !files.some(file => file.fileHash === hash));
  if (missing !== undefined)
    throw new Fixable('refused', `share ${id} has no file ${missing}`, { try: `recordproof friend-shares show ${id}` });
  if (files.length === 0) throw new Fixable('refused', `the files of share ${id} were all deleted`);
  return files.filter(file => hashes.length === 0 || hashes.includes(file.fileHash));
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
    const hashes = ((args.files as unknown as string[] | undefined) ?? []).map(parseFileHash);
    refuseJsonPipe(flags);
    const id = parseFriendShare(args.share);
    const share = await (await program.session()).call(getFriendShare, { params: { id } });
    const files = nameEach(chooseFiles(share, hashes));
    refuseManyInPipe(flags, files.length, 'name it by its hash');
    await using kit = await openTransferKit(program, flags['limit-rate']);
    const wanted = files.map(({ file, name }) => ({ fileHash: file.fileHash, source: friendFile(id, file), name }));
    return await downloadFiles(kit, wanted, flags, 'recordproof friend-shares get');
  },
  text: downloadedTable,
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
