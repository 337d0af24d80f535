import { string } from '@oclif/core/flags';
import { listShares } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { pageFlags, toPageQuery } from '../../file-table.ts';
import { toTable } from '../../output.ts';
import { statusName, toMinute, toOpened, typeName } from '../../shares/share-table.ts';

export default command({
  summary: 'List your shares',
  examples: [{ command: 'share list', description: 'The newest twenty' }],
  flags: {
    ...pageFlags,
    sort: string({ helpValue: '<field>', summary: 'createdAt or expireTime; then ,asc or ,desc.' }),
  },
  run: async ({ flags, program }) => (await program.session()).call(listShares, { query: toPageQuery(flags) }),
  text: ({ records }) =>
    records.length === 0
      ? ''
      : toTable([
          ['CODE', 'STATUS', 'TYPE', 'OPENED', 'EXPIRES', 'FILES'],
          ...records.map(share => [
            share.shareCode,
            statusName(share.status),
            `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
            toOpened(share),
            toMinute(share.expireTime),
            share.files.map(({ fileName }) => fileName).join(', '),
          ]),
        ]),
  note: ({ total, current, pages }) =>
    total === 0 ? 'no shares' : `page ${current} of ${pages}, ${total} ${total === 1 ? 'share' : 'shares'}`,
});
