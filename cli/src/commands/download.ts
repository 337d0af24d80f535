import { string as argument } from '@oclif/core/args';
import { fileHash } from '@recordproof/shared/api/files.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import { parseField } from '../account.ts';
import { command } from '../command.ts';
import { Fixable } from '../fixable.ts';
import {
  downloadedNote,
  downloadedTable,
  downloadFlags,
  fetchOne,
  fetchToStdout,
  toGoal,
} from '../transfer/download-one.ts';
import { openTransferKit } from '../transfer/kit.ts';
import { reportEach } from '../transfer/report.ts';

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
    const hashes = (args.files as unknown as string[]).map(hash => parseField('File', fileHash, hash));
    const isPiped = flags.output === '-';
    if (isPiped && flags.json) throw new Fixable('usage', '--json and the file cannot both go to stdout');
    if (isPiped && hashes.length > 1) throw new Fixable('usage', 'only one file fits into a pipe');
    const goal = isPiped ? undefined : await toGoal(flags.output, hashes.length, flags.force);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    return await reportEach(
      hashes,
      hash => hash,
      'recordproof download',
      fileHash => {
        const wanted = { fileHash, source: ownFile(fileHash) };
        return goal ? fetchOne(kit, wanted, goal) : fetchToStdout(kit, wanted);
      },
    );
  },
  text: ({ files }) => downloadedTable(files),
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
