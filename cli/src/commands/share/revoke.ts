import { string as argument } from '@oclif/core/args';
import { revokeShare } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { parseShare } from '../../shares/share-argument.ts';
import { reportEach } from '../../transfer/report.ts';

export default command({
  summary: 'Cancel shares of yours, for good',
  description: 'Downloads that run already may end; no other begins. What was saved from the share stays saved.',
  examples: [{ command: 'share revoke <code>', description: 'By its code or its link' }],
  args: { shares: argument({ required: true, multiple: true, description: 'Codes or links of the shares.' }) },
  async run({ args, program }) {
    const codes = (args.shares as unknown as string[]).map(share => parseShare(share).code);
    const client = await program.session();
    return reportEach(
      codes,
      code => code,
      'recordproof share revoke',
      async code => {
        await client.call(revokeShare, { params: { code } });
        return { name: code, status: 'cancelled' as const };
      },
    );
  },
  note: ({ files, failed }) => `${files.length - failed} cancelled${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }) => ending,
});
