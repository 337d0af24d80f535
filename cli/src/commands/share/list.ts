import type { Page } from '@recordproof/shared/api/common.ts';
import { listShares, type Share } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { toList, toMinute } from '../../output.ts';
import { pageFlagsOf, pageNoteOf, toPageQuery } from '../../pages.ts';
import { statusName, toOpened, typeName } from '../../shares/share-table.ts';

export default command({
  summary: 'List your shares',
  examples: [{ command: 'share list', description: 'The newest twenty' }],
  flags: pageFlagsOf(['createdAt', 'expireTime']),
  run: async ({ flags, program }) => (await program.session()).call(listShares, { query: toPageQuery(flags) }),
  text: ({ records }: Page<Share>) =>
    toList(
      ['CODE', 'STATUS', 'TYPE', 'OPENED', 'EXPIRES', 'FILES'],
      records.map(share => [
        share.shareCode,
        statusName(share.status),
        `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
        toOpened(share),
        toMinute(share.expireTime),
        share.files.map(({ fileName }) => fileName).join(', '),
      ]),
    ),
  note: pageNoteOf('share', 'shares'),
});
