import { getShareStats, listShareLogs, type ShareAccess } from '@recordproof/shared/api/shares.ts';
import { command } from '../../platform/command.ts';
import { toMinute } from '../../platform/output.ts';
import { pagesOf } from '../../platform/pages.ts';
import { name, tableOf, words } from '../../platform/table.ts';
import { parseShare, shareArgument } from '../share-argument.ts';
import { actionName, statsNote } from '../share-table.ts';

const pages = pagesOf('use', 'uses', ['accessTime']);

const usesTable = tableOf<ShareAccess>({
  TIME: use => toMinute(use.accessTime),
  WHAT: use => actionName(use.actionType),
  WHO: name(use => use.actorName ?? '-'),
  FROM: use => use.ip,
  FILE: name(use => use.fileName ?? '-'),
  WITH: words(use => use.userAgent ?? '-'),
});

export default command({
  summary: 'Show who used one of your shares, and how often',
  examples: [{ command: 'shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: { share: shareArgument },
  flags: pages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listShareLogs, { params, query: pages.toQuery(flags) });
    return { stats: await client.call(getShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs.records),
  note: ({ stats }) => statsNote(stats),
});
