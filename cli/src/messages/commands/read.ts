import { boolean } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import { type Conversation, listMessages, type Message, readConversation } from '@recordproof/shared/api/messages.ts';
import { findConversation } from '../../friends/find-people.ts';
import { conversationArgument } from '../../friends/people-arguments.ts';
import { command } from '../../platform/command.ts';
import { indented, printable, toMinute } from '../../platform/output.ts';
import { pagesOf } from '../../platform/pages.ts';

const pages = pagesOf('message', 'messages', ['createdAt']);

type Shown = Page<Message> & { readonly conversation: Conversation };

const bodyOf = ({ contentType, content, fileName }: Message): string => {
  if (contentType === 'file') return `[file] ${fileName ?? ''} ${content}`;
  return contentType === 'image' ? `[image] ${content}` : content;
};

/** Whoever wrote, and when, above each message. */
function toText({ records, conversation: { person } }: Shown): string {
  const lines = records.toReversed().flatMap(message => {
    const sender = message.senderId === person.externalId ? person.username : 'you';
    const heading = `${toMinute(message.createdAt)}  ${printable(sender)}`;
    return [heading, indented(bodyOf(message))];
  });
  return lines.join('\n');
}

export default command({
  summary: 'Read a conversation, and mark it as read',
  description: 'Shows the latest page, oldest message first. What arrives meanwhile stays unread.',
  examples: [
    { command: 'messages read bob', description: 'The latest twenty messages' },
    { command: 'messages read bob --page 2', description: 'The twenty before them' },
    { command: 'messages read bob --keep-unread', description: 'Only looks' },
  ],
  args: conversationArgument,
  flags: {
    ...pages.flags,
    'keep-unread': boolean({ summary: 'Do not mark anything as read.' }),
  },
  async run({ flags, args, context }): Promise<Shown> {
    const client = await context.session();
    const conversation = await findConversation(client, args.conversation);
    const params = { id: conversation.id };
    const page = await client.call(listMessages, { params, query: pages.toQuery(flags) });
    const newest = page.records.map(({ id }) => id).toSorted((a, b) => Number(b) - Number(a))[0];
    if (!flags['keep-unread'] && newest !== undefined)
      await client.call(readConversation, { params, body: { messageId: newest } });
    return { ...page, conversation };
  },
  text: toText,
  note: pages.note,
});
