import { string as argument } from '@oclif/core/args';
import type { Person } from '@recordproof/shared/api/accounts.ts';
import { searchUsers } from '@recordproof/shared/api/friends.ts';
import { command } from '../../platform/command.ts';
import { name, tableOf } from '../../platform/table.ts';
import { nameOf } from '../people-tables.ts';

type Found = Person & { readonly isFriend: boolean; readonly hasPendingRequest: boolean };

const relationOf = (person: Found): string => {
  if (person.isFriend) return 'friend';
  return person.hasPendingRequest ? 'request open' : '';
};

export default command({
  summary: 'Find people to be friends with',
  examples: [{ command: 'friends search ann', description: 'Who has "ann" in their name?' }],
  args: { keyword: argument({ required: true, description: 'Part of a user name or nickname, or a whole id.' }) },
  run: async ({ args, context }) => (await context.session()).call(searchUsers, { query: { keyword: args.keyword } }),
  text: tableOf<Found>({
    NAME: name(nameOf),
    RELATION: relationOf,
    ID: person => person.externalId,
  }),
  note: people => (people.length === 0 ? 'nobody' : ''),
});
