import { grantHeader, saveSharedFiles } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { toTable } from '../../output.ts';
import { chooseFiles, enterFlags, enterShare } from '../../shares/enter-share.ts';
import { openAt, parseShare, shareArgument } from '../../shares/share-argument.ts';
import { countFiles } from '../../shares/share-table.ts';
import { toSize } from '../../transfer/units.ts';

export default command({
  summary: 'Save shared files as files of your own',
  description:
    'On the server, without downloading them: each becomes a record of yours, with its own proof, and stays when the share ends. Saving again changes nothing.',
  examples: [{ command: 'share save <code>', description: 'All files of the share' }],
  args: { share: shareArgument },
  flags: enterFlags,
  async run({ flags, args, program: here }) {
    const named = parseShare(args.share);
    const program = await openAt(here, named);
    const passwordFromStdin = flags['password-stdin'];
    const { share, caller } = await enterShare(program, named.code, { passwordFromStdin, mustBeKnown: true });
    const fileHash = chooseFiles(share.files, flags.file).map(file => file.fileHash);
    const files = await caller.client.call(saveSharedFiles, {
      params: { code: named.code },
      headers: { [grantHeader]: share.grant },
      body: { fileHash },
    });
    return { files };
  },
  text: ({ files }) => toTable(files.map(file => [file.fileHash, toSize(file.fileSize), file.fileName])),
  note: ({ files }) => `${countFiles(files.length)} of yours now`,
});
