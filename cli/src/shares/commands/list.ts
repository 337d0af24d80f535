import type { Page } from '@recordproof/shared/api/common.ts';
import { toFilePath } from '@recordproof/shared/api/files.ts';
import { listShares, type Share } from '@recordproof/shared/api/shares.ts';
import { command } from '../../platform/command.ts';
import { toMinute } from '../../platform/output.ts';
import { tableOf, words } from '../../platform/table.ts';
import { sharePages, statusName, toOpened, typeName } from '../share-table.ts';

const sharesTable = tableOf<Share>({
  CODE: share => share.shareCode,
  STATUS: share => statusName(share.status),
  TYPE: share => `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
  OPENED: toOpened,
  EXPIRES: share => toMinute(share.expireTime),
  FILES: words(share => share.files.map(toFilePath).join(', ')),
});

export default command({
  summary: 'List your shares',
  examples: [{ command: 'shares list', description: 'The newest twenty' }],
  flags: sharePages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listShares, { query: sharePages.toQuery(flags) }),
  text: ({ records }: Page<Share>) => sharesTable(records),
  note: sharePages.note,
});
