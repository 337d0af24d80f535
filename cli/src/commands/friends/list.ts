import type { Page } from '@recordproof/shared/api/common.ts';
import { type Friend, listFriends } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { pageFlagsOf, pageNoteOf, toPageQuery } from '../../pages.ts';
import { friendsTable } from '../../people/tables.ts';

export default command({
  summary: 'List your friends',
  examples: [
    { command: 'friends list', description: 'The newest twenty' },
    { command: 'friends list --sort username,asc --size 100', description: 'A hundred by name' },
  ],
  flags: pageFlagsOf(['friendsSince', 'username']),
  run: async ({ flags, program }) => (await program.session()).call(listFriends, { query: toPageQuery(flags) }),
  text: ({ records }: Page<Friend>) => friendsTable(records),
  note: pageNoteOf('friend', 'friends'),
});
