import type { Page } from '@recordproof/shared/api/common.ts';
import { type Conversation, listConversations } from '@recordproof/shared/api/messages.ts';
import { nameOf } from '../../friends/people-tables.ts';
import { command } from '../../platform/command.ts';
import { toMinute } from '../../platform/output.ts';
import { pagesOf } from '../../platform/pages.ts';
import { name, tableOf, words } from '../../platform/table.ts';

const pages = pagesOf('conversation', 'conversations', ['lastMessageAt']);

const conversationsTable = tableOf<Conversation>({
  ID: conversation => conversation.id,
  WITH: name(conversation => nameOf(conversation.person)),
  UNREAD: conversation => String(conversation.unreadCount),
  LAST: conversation => toMinute(conversation.lastMessage.createdAt),
  MESSAGE: words(conversation => conversation.lastMessage.preview),
});

export default command({
  summary: 'List your conversations, the latest first',
  examples: [{ command: 'messages list', description: 'Who wrote, how much of it is unread, how it ends' }],
  flags: pages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listConversations, { query: pages.toQuery(flags) }),
  text: ({ records }: Page<Conversation>) => conversationsTable(records),
  note: pages.note,
});
