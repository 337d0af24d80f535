// Commands under `admin shares`.
import { option } from '@oclif/core/flags';
import {
  type AdministeredShare,
  cancelAnyShare,
  getAnyShareStats,
  listAllShares,
  listAnyShareLogs,
} from '@recordproof/shared/api/admin-shares.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { toMinute } from '../platform/output.ts';
import { name, tableOf, words } from '../platform/table.ts';
import { parseShare, shareCodeArgument } from './share-argument.ts';
import { sharePages, statsNote, statusName, toOpened, typeName, usePages, usesTable } from './share-table.ts';

const sharesTable = tableOf<AdministeredShare>({
  CODE: share => share.shareCode,
  OWNER: name(share => share.ownerName),
  STATUS: share => statusName(share.status),
  TYPE: share => `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
  OPENED: toOpened,
  EXPIRES: share => toMinute(share.expireTime),
  FILES: words(share => share.files.map(({ fileName }) => fileName).join(', ')),
});

export const list = command({
  summary: 'List the shares of everyone, the newest first',
  examples: [{ command: 'admin shares list --status active', description: 'Shares that can be opened now' }],
  flags: {
    ...sharePages.flags,
    status: option({ options: namesOf(shareStatuses), summary: 'Only shares in this state.' })(),
  },
  async run({ flags, context }) {
    const status = flags.status && { status: codeOf(shareStatuses, flags.status) };
    return (await context.session()).call(listAllShares, { query: { ...sharePages.toQuery(flags), ...status } });
  },
  text: sharesTable,
  note: sharePages.note,
});

export const logs = command({
  summary: 'Show the uses of a share of any user',
  examples: [{ command: 'admin shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: shareCodeArgument,
  flags: usePages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listAnyShareLogs, { params, query: usePages.toQuery(flags) });
    return { stats: await client.call(getAnyShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs),
  note: ({ stats }) => statsNote(stats),
});

export const cancel = command({
  summary: 'Cancel a share of any user, for good',
  description: 'Running downloads may finish; no new one starts.',
  examples: [
    { command: 'admin shares cancel <code>', description: 'By its code or its link; asks' },
    { command: 'admin shares cancel <code> --yes', description: 'For scripts: does not ask' },
  ],
  args: shareCodeArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const { code } = parseShare(args.share);
    const client = await context.session();
    if (!flags.yes) await confirm(context, `Cancel the share ${code}?`, 'nothing was cancelled');
    await client.call(cancelAnyShare, { params: { code } });
    return { shareCode: code };
  },
  note: ({ shareCode }) => `the share ${shareCode} is cancelled`,
});
