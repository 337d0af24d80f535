import { boolean } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import { type FriendShare, listReceivedShares, listSentShares } from '@recordproof/shared/api/friend-shares.ts';
import { command } from '../../command.ts';
import { pageFlagsOf, pageNoteOf, toPageQuery } from '../../pages.ts';
import { sharesTable } from '../../people/share-tables.ts';

export default command({
  summary: 'List what friends have shared with you, or you with them',
  examples: [
    { command: 'friend-shares list', description: 'What you were given' },
    { command: 'friend-shares list --sent', description: 'What you gave, and what of it was read' },
  ],
  flags: { ...pageFlagsOf(['createdAt']), sent: boolean({ summary: 'What you have shared.' }) },
  run: async ({ flags, program }) =>
    (await program.session()).call(flags.sent ? listSentShares : listReceivedShares, { query: toPageQuery(flags) }),
  text: ({ records }: Page<FriendShare>) => sharesTable(records),
  note: pageNoteOf('share', 'shares'),
});
