import { string as argument } from '@oclif/core/args';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import { command } from '../command.ts';
import { parseFileHash } from '../file-table.ts';
import {
  downloadedNote,
  downloadedTable,
  downloadFiles,
  downloadFlags,
  refuseJsonPipe,
  refuseManyInPipe,
} from '../transfer/download-files.ts';
import { openTransferKit } from '../transfer/kit.ts';

export default command({
  summary: 'Download files and prove them on the way',
  description: [
    'Every chunk is checked against the manifest and the whole against its SHA-256. The file appears under its name',
    'only when all of it is right. A download that was interrupted goes on when the same command is run again.',
  ].join(' '),
  examples: [
    { command: 'download <fileHash>', description: 'Into this folder, under its own name' },
    { command: 'download <fileHash> --output backup/', description: 'Into another folder' },
    { command: 'download <fileHash> --output - | tar x', description: 'Into a pipe, once it is proven' },
  ],
  args: {
    files: argument({
      required: true,
      multiple: true,
      description: 'Hashes of the files, as `files list` shows them.',
    }),
  },
  flags: downloadFlags,
  async run({ flags, args, program }) {
    const hashes = (args.files as unknown as string[]).map(parseFileHash);
    refuseJsonPipe(flags);
    refuseManyInPipe(flags, hashes.length);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    const wanted = hashes.map(fileHash => ({ fileHash, source: ownFile(fileHash) }));
    return await downloadFiles(kit, wanted, flags, 'recordproof download');
  },
  text: downloadedTable,
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
