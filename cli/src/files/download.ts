// The command `download`.
import { string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { openTransfers } from '../platform/transfers.ts';
import { downloadedNote, downloadFiles, downloadFlags, rejectJsonPipe, rejectManyInPipe } from './download-files.ts';
import { anyFilesArgument, findFileHashes } from './find-file.ts';
import { findTree } from './folder-tree.ts';

const findOwn = async (client: Client, files: readonly string[]) =>
  (await findFileHashes(client, files)).map(fileHash => ({ fileHash, source: ownFile(fileHash) }));

export const download = command({
  summary: 'Download files, and verify them while they arrive',
  description: [
    'Every chunk is checked against the manifest and the whole against its SHA-256. The file appears under its name',
    'only when all of it is right. Run the same command again to continue an interrupted download.',
  ].join(' '),
  examples: [
    { command: 'download report.pdf', description: 'Into this folder, under its own name' },
    { command: 'download 0123abcd --output backup/', description: 'Into another folder' },
    { command: 'download 42 --output - | tar x', description: 'Into a pipe, once it is proven' },
    { command: 'download --folder photos --output back/', description: 'A folder as it was uploaded' },
  ],
  args: anyFilesArgument,
  flags: {
    ...downloadFlags,
    folder: string({ helpValue: '<folder>', summary: 'All files of a folder and those below it, as a tree.' }),
  },
  async run({ flags, args, context }) {
    rejectJsonPipe(flags);
    rejectManyInPipe(flags, flags.folder === undefined ? args.files.length : 2, 'name one file instead of --folder');
    if ((flags.folder === undefined) === (args.files.length === 0))
      throw new CommandError('usage', 'name files, or one --folder', { try: 'recordproof download --help' });
    const client = await context.session();
    const requested =
      flags.folder === undefined ? await findOwn(client, args.files) : await findTree(client, flags.folder);
    await using transfers = await openTransfers(context, flags['limit-rate']);
    return await downloadFiles(transfers, requested, flags, 'recordproof download');
  },
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
