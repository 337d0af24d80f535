import { option } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import { type AdministeredShare, listAllShares, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { codeOf, namesOf } from '../../../platform/code-names.ts';
import { command } from '../../../platform/command.ts';
import { toMinute } from '../../../platform/output.ts';
import { name, tableOf, words } from '../../../platform/table.ts';
import { sharePages, statusName, toOpened, typeName } from '../../share-table.ts';

const sharesTable = tableOf<AdministeredShare>({
  CODE: share => share.shareCode,
  OWNER: name(share => share.ownerName),
  STATUS: share => statusName(share.status),
  TYPE: share => `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
  OPENED: toOpened,
  EXPIRES: share => toMinute(share.expireTime),
  FILES: words(share => share.files.map(({ fileName }) => fileName).join(', ')),
});

export default command({
  summary: 'List the shares of everyone, the newest first',
  examples: [{ command: 'admin shares list --status active', description: 'What can be opened by link now' }],
  flags: {
    ...sharePages.flags,
    status: option({ options: namesOf(shareStatuses), summary: 'Only shares in this state.' })(),
  },
  async run({ flags, context }) {
    const status = flags.status && { status: codeOf(shareStatuses, flags.status) };
    return (await context.session()).call(listAllShares, { query: { ...sharePages.toQuery(flags), ...status } });
  },
  text: ({ records }: Page<AdministeredShare>) => sharesTable(records),
  note: sharePages.note,
});
