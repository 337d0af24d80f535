import { boolean } from '@oclif/core/flags';
import { cancelAnyShare } from '@recordproof/shared/api/shares.ts';
import { command } from '../../../platform/command.ts';
import { confirm } from '../../../platform/confirm.ts';
import { parseShare, shareCodeArgument } from '../../share-argument.ts';

export default command({
  summary: 'Cancel a share, whoever owns it, for good',
  description: 'Downloads that run already may end; no other begins.',
  examples: [
    { command: 'admin shares cancel <code>', description: 'By its code or its link; asks' },
    { command: 'admin shares cancel <code> --yes', description: 'For scripts: does not ask' },
  ],
  args: shareCodeArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const { code } = parseShare(args.share);
    const client = await context.session();
    if (!flags.yes) await confirm(context, `Cancel the share ${code}?`, 'nothing was cancelled');
    await client.call(cancelAnyShare, { params: { code } });
    return { shareCode: code };
  },
  note: ({ shareCode }) => `the share ${shareCode} is cancelled`,
});
