import type { Page } from '@recordproof/shared/api/common.ts';
import { type Conversation, listConversations } from '@recordproof/shared/api/messages.ts';
import { command } from '../../command.ts';
import { toList, toMinute } from '../../output.ts';
import { pageFlagsOf, pageNoteOf, toPageQuery } from '../../pages.ts';
import { nameOf } from '../../people/tables.ts';

export default command({
  summary: 'List your conversations, the latest first',
  examples: [{ command: 'messages list', description: 'Who wrote, how much of it is unread, how it ends' }],
  flags: pageFlagsOf(['lastMessageAt']),
  run: async ({ flags, program }) => (await program.session()).call(listConversations, { query: toPageQuery(flags) }),
  text: ({ records }: Page<Conversation>) =>
    toList(
      ['ID', 'WITH', 'UNREAD', 'LAST', 'MESSAGE'],
      records.map(({ id, person, unreadCount, lastMessage }) => [
        id,
        nameOf(person),
        String(unreadCount),
        toMinute(lastMessage.createdAt),
        lastMessage.preview,
      ]),
    ),
  note: pageNoteOf('conversation', 'conversations'),
});
