import { revokeShare } from '@recordproof/shared/api/shares.ts';
import { many } from '../../platform/arguments.ts';
import { command } from '../../platform/command.ts';
import { reportEach } from '../../platform/report.ts';
import { parseShare } from '../share-argument.ts';

export default command({
  summary: 'Cancel shares of yours, for good',
  description: 'Downloads that run already may end; no other begins. What was saved from the share stays saved.',
  examples: [{ command: 'shares revoke <code>', description: 'By its code or its link' }],
  args: { shares: many({ required: true, description: 'Codes or links of the shares.' }) },
  async run({ args, context }) {
    const codes = args.shares.map(share => parseShare(share).code);
    const client = await context.session();
    return reportEach(
      codes,
      code => code,
      'recordproof shares revoke',
      async code => {
        await client.call(revokeShare, { params: { code } });
        return { name: code, status: 'cancelled' as const };
      },
    );
  },
  note: ({ files, failed }) => `${files.length - failed} cancelled${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }) => ending,
});
