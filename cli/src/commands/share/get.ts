import { extname } from 'node:path';
import type { SharedFile } from '@recordproof/shared/api/shares.ts';
import { sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import { command } from '../../command.ts';
import { Fixable } from '../../fixable.ts';
import { chooseFiles, enterFlags, enterShare } from '../../shares/enter-share.ts';
import { openAt, parseShare, shareArgument } from '../../shares/share-argument.ts';
import {
  downloadedNote,
  downloadedTable,
  downloadFlags,
  fetchOne,
  fetchToStdout,
  toGoal,
} from '../../transfer/download-one.ts';
import { openTransferKit } from '../../transfer/kit.ts';
import { reportEach } from '../../transfer/report.ts';

type Named = { readonly file: SharedFile; readonly name: string };

/** Two files of one name are kept apart, the same way in every run. */
function nameEach(files: readonly SharedFile[]): Named[] {
  const taken = new Set<string>();
  return files.map(file => {
    const whole = file.fileName;
    const end = extname(whole);
    let name = whole;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1)
      name = `${whole.slice(0, whole.length - end.length)} (${number})${end}`;
    taken.add(name.toLowerCase());
    return { file, name };
  });
}

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
    const isPiped = flags.output === '-';
    if (isPiped && flags.json) throw new Fixable('usage', '--json and the file cannot both go to stdout');
    const program = await openAt(here, named);
    const { share, caller } = await enterShare(program, named.code, { passwordFromStdin: flags['password-stdin'] });
    const files = nameEach(chooseFiles(share.files, flags.file));
    if (isPiped && files.length > 1)
      throw new Fixable('usage', 'only one file fits into a pipe', { try: 'name it with --file' });
    const goal = isPiped ? undefined : await toGoal(flags.output, files.length, flags.force);
    await using kit = await openTransferKit(program, flags['limit-rate'], caller);
    return await reportEach(
      files,
      ({ name }) => name,
      'recordproof share get',
      ({ file, name }) => {
        const source = sharedFile(named.code, file, share.grant);
        const wanted = { fileHash: file.fileHash, source, name };
        return goal ? fetchOne(kit, wanted, goal) : fetchToStdout(kit, wanted);
      },
    );
  },
  text: ({ files }) => downloadedTable(files),
  note: downloadedNote,
  ending: ({ ending }) => ending,
});
