// The command `shares get`.
import { sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import {
  downloadedNote,
  downloadFiles,
  downloadFlags,
  rejectExistingTargets,
  rejectJsonPipe,
  rejectManyInPipe,
} from '../files/download-files.ts';
import { nameEach } from '../files/local-names.ts';
import { command } from '../platform/command.ts';
import { openTransfers } from '../platform/transfers.ts';
import { chooseFiles, enterFlags, enterShare, type NamedFile } from './enter-share.ts';
import { openAt, parseShare, shareArgument } from './share-argument.ts';

export const get = command({
  summary: 'Download shared files, and verify them while they arrive',
  description: [
    'Needs no account for a public share. Every chunk is checked against the manifest and the whole against its SHA-256.',
    'Run the same command again to continue an interrupted download; it opens the share once more.',
  ].join(' '),
  examples: [
    { command: 'shares get https://proof.example.org/s/7gK2mQ9xTb4R', description: 'All files, into this folder' },
    { command: 'shares get <code> --file report.pdf --output - | less', description: 'One file, into a pipe' },
    { command: 'shares get <code> --password-stdin < secret.txt', description: 'From a script' },
  ],
  args: { share: shareArgument },
  flags: { ...enterFlags, ...downloadFlags },
  async run({ flags, args, context: here }) {
    const named = parseShare(args.share);
    rejectJsonPipe(flags);
    const context = await openAt(here, named);
    const choose = <F extends NamedFile>(all: readonly F[]) => {
      const chosen = nameEach(chooseFiles(all, flags.file));
      rejectManyInPipe(flags, chosen.length, 'name it with --file');
      return chosen;
    };
    const { share, caller } = await enterShare(context, named.code, {
      passwordFromStdin: flags['password-stdin'],
      check: files =>
        rejectExistingTargets(
          flags,
          choose(files).map(({ name }) => name),
        ),
    });
    const files = choose(share.files);
    await using transfers = await openTransfers(context, flags['limit-rate'], caller);
    const requested = files.map(({ file, name }) => ({
      fileHash: file.fileHash,
      source: sharedFile(named.code, file, share.grant),
      name,
      fileSize: file.fileSize,
    }));
    return await downloadFiles(transfers, requested, flags, 'recordproof shares get');
  },
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
