import { getShareStats, listShareLogs } from '@recordproof/shared/api/shares.ts';
import { command } from '../../platform/command.ts';
import { parseShare, shareArgument } from '../share-argument.ts';
import { statsNote, usePages, usesTable } from '../share-table.ts';

export default command({
  summary: 'Show who used one of your shares, and how often',
  examples: [{ command: 'shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: { share: shareArgument },
  flags: usePages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listShareLogs, { params, query: usePages.toQuery(flags) });
    return { stats: await client.call(getShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs.records),
  note: ({ stats }) => statsNote(stats),
});
