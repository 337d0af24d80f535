import { sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import { command } from '../../command.ts';
import { chooseFiles, enterFlags, enterShare, type NamedFile } from '../../shares/enter-share.ts';
import { openAt, parseShare, shareArgument } from '../../shares/share-argument.ts';
import {
  downloadedNote,
  downloadedTable,
  downloadFiles,
  downloadFlags,
  nameEach,
  refuseAllTaken,
  refuseJsonPipe,
  refuseManyInPipe,
} from '../../transfer/download-files.ts';
import { openTransferKit } from '../../transfer/kit.ts';

export default command({
  summary: 'Download shared files and prove them on the way',
  description: [
    'Needs no account for a public share. Every chunk is checked against the manifest and the whole against its SHA-256.',
    'A download that was interrupted goes on when the same command is run again, which opens the share once more.',
  ].join(' '),
  examples: [
    { command: 'share get https://proof.example.org/s/7gK2mQ9xTb4R', description: 'All files, into this folder' },
    { command: 'share get <code> --file report.pdf --output - | less', description: 'One file, into a pipe' },
    { command: 'share get <code> --password-stdin < secret.txt', description: 'From a script' },
  ],
  args: { share: shareArgument },
  flags: { ...enterFlags, ...downloadFlags },
  async run({ flags, args, program: here }) {
    const named = parseShare(args.share);
    refuseJsonPipe(flags);
    const program = await openAt(here, named);
    const choose = <F extends NamedFile>(all: readonly F[]) => {
      const chosen = nameEach(chooseFiles(all, flags.file));
      refuseManyInPipe(flags, chosen.length, 'name it with --file');
      return chosen;
    };
    const { share, caller } = await enterShare(program, named.code, {
      passwordFromStdin: flags['password-stdin'],
      check: files =>
        refuseAllTaken(
          flags,
          choose(files).map(({ name }) => name),
        ),
    });
    const files = choose(share.files);
    await using kit = await openTransferKit(program, flags['limit-rate'], caller);
    const wanted = files.map(({ file, name }) => ({
      fileHash: file.fileHash,
      source: sharedFile(named.code, file, share.grant),
      name,
    }));
    return await downloadFiles(kit, wanted, flags, 'recordproof share get');
  },
  text: downloadedTable,
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
