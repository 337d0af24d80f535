import { getAnyShareStats, listAnyShareLogs } from '@recordproof/shared/api/shares.ts';
import { command } from '../../../platform/command.ts';
import { parseShare, shareCodeArgument } from '../../share-argument.ts';
import { statsNote, usePages, usesTable } from '../../share-table.ts';

export default command({
  summary: 'Show who used a share, whoever owns it, and how often',
  examples: [{ command: 'admin shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: shareCodeArgument,
  flags: usePages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listAnyShareLogs, { params, query: usePages.toQuery(flags) });
    return { stats: await client.call(getAnyShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs.records),
  note: ({ stats }) => statsNote(stats),
});
