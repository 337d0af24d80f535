import { getShareStats, listShareLogs } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { toList, toMinute } from '../../output.ts';
import { pageFlagsOf, toPageQuery } from '../../pages.ts';
import { parseShare, shareArgument } from '../../shares/share-argument.ts';
import { actionName, statsNote } from '../../shares/share-table.ts';

export default command({
  summary: 'Show who used one of your shares, and how often',
  examples: [{ command: 'share logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: { share: shareArgument },
  flags: pageFlagsOf(['accessTime']),
  async run({ flags, args, program }) {
    const params = { code: parseShare(args.share).code };
    const client = await program.session();
    const logs = await client.call(listShareLogs, { params, query: toPageQuery(flags) });
    return { stats: await client.call(getShareStats, { params }), logs };
  },
  text: ({ logs: { records } }) =>
    toList(
      ['TIME', 'WHAT', 'WHO', 'FROM', 'FILE', 'WITH'],
      records.map(access => [
        toMinute(access.accessTime),
        actionName(access.actionType),
        access.actorName ?? '-',
        access.ip,
        access.fileName ?? '-',
        access.userAgent ?? '-',
      ]),
    ),
  note: ({ stats }) => statsNote(stats),
});
