import { grantHeader, saveSharedFiles } from '@recordproof/shared/api/shares.ts';
import { toFileRows } from '../../files/file-table.ts';
import { command } from '../../platform/command.ts';
import { chooseFiles, enterFlags, enterShare } from '../enter-share.ts';
import { openAt, parseShare, shareArgument } from '../share-argument.ts';
import { countFiles } from '../share-table.ts';

export default command({
  summary: 'Save shared files as files of your own',
  description:
    'On the server, without downloading them: each becomes a record of yours, with its own proof, and stays when the share ends. Saving again changes nothing.',
  examples: [{ command: 'shares save <code>', description: 'All files of the share' }],
  args: { share: shareArgument },
  flags: enterFlags,
  async run({ flags, args, context: here }) {
    const named = parseShare(args.share);
    const context = await openAt(here, named);
    const passwordFromStdin = flags['password-stdin'];
    const { share, caller } = await enterShare(context, named.code, { passwordFromStdin, mustBeKnown: true });
    const fileHash = chooseFiles(share.files, flags.file).map(file => file.fileHash);
    const files = await caller.client.call(saveSharedFiles, {
      params: { code: named.code },
      headers: { [grantHeader]: share.grant },
      body: { fileHash },
    });
    return { files };
  },
  text: ({ files }) => toFileRows(files),
  note: ({ files }) => `${countFiles(files.length)} of yours now`,
});
