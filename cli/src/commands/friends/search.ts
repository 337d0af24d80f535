import { string as argument } from '@oclif/core/args';
import { searchUsers } from '@recordproof/shared/api/friends.ts';
import { command } from '../../command.ts';
import { toList } from '../../output.ts';
import { nameOf } from '../../people/tables.ts';

const relationOf = (person: { isFriend: boolean; hasPendingRequest: boolean }): string => {
  if (person.isFriend) return 'friend';
  return person.hasPendingRequest ? 'request open' : '';
};

export default command({
  summary: 'Find people to be friends with',
  examples: [{ command: 'friends search ann', description: 'Who has "ann" in their name?' }],
  args: { keyword: argument({ required: true, description: 'Part of a user name or nickname, or a whole id.' }) },
  run: async ({ args, program }) => (await program.session()).call(searchUsers, { query: { keyword: args.keyword } }),
  text: people =>
    toList(
      ['NAME', 'RELATION', 'ID'],
      people.map(person => [nameOf(person), relationOf(person), person.externalId]),
    ),
  note: people => (people.length === 0 ? 'nobody' : ''),
});
