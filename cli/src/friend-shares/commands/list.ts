import { boolean } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import { type FriendShare, listReceivedShares, listSentShares } from '@recordproof/shared/api/friend-shares.ts';
import { command } from '../../platform/command.ts';
import { friendSharePages, sharesTable } from '../share-tables.ts';

export default command({
  summary: 'List what friends have shared with you, or you with them',
  examples: [
    { command: 'friend-shares list', description: 'What you were given' },
    { command: 'friend-shares list --sent', description: 'What you gave, and what of it was read' },
  ],
  flags: { ...friendSharePages.flags, sent: boolean({ summary: 'What you have shared.' }) },
  run: async ({ flags, context }) =>
    (await context.session()).call(flags.sent ? listSentShares : listReceivedShares, {
      query: friendSharePages.toQuery(flags),
    }),
  text: ({ records }: Page<FriendShare>) => sharesTable(records),
  note: friendSharePages.note,
});
