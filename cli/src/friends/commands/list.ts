import type { Page } from '@recordproof/shared/api/common.ts';
import { type Friend, listFriends } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { friendPages, friendsTable } from '../people-tables.ts';

export default command({
  summary: 'List your friends',
  examples: [
    { command: 'friends list', description: 'The newest twenty' },
    { command: 'friends list --sort username,asc --size 100', description: 'A hundred by name' },
  ],
  flags: friendPages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listFriends, { query: friendPages.toQuery(flags) }),
  text: ({ records }: Page<Friend>) => friendsTable(records),
  note: friendPages.note,
});
