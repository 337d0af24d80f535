// Commands under `messages`.
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type Page, textInLines } from '@recordproof/shared/api/common.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import {
  type Conversation,
  countUnreadMessages,
  deleteConversation,
  getConversation,
  listConversations,
  listMessages,
  type Message,
  maxMessage,
  readConversation,
  sendMessage,
} from '@recordproof/shared/api/messages.ts';
import { findFileHash } from '../files/find-file.ts';
import { findFriend, friendArgument, isCalled, isRecordId, unknownPerson } from '../friends/find-people.ts';
import { nameOf } from '../friends/people-tables.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { indented, printable, toMinute } from '../platform/output.ts';
import { pagesOf, walkPages } from '../platform/pages.ts';
import { name, tableOf, words } from '../platform/table.ts';
import { getText, textFlag } from '../platform/written-text.ts';

const conversationArgument = {
  conversation: argument({ required: true, description: 'User name of the other one, or id of the conversation.' }),
};

/** By its id or by the other person's user name. */
async function findConversation(client: Client, nameOrId: string): Promise<Conversation> {
  if (isRecordId(nameOrId)) return client.call(getConversation, { params: { id: nameOrId } });
  const readPage = (page: number) => client.call(listConversations, { query: { page, size: 100 } });
  for await (const conversation of walkPages(readPage)) {
    const { person } = conversation;
    if (person.externalId === nameOrId || isCalled(nameOrId)(person)) return conversation;
  }
  throw unknownPerson('there is no conversation with', nameOrId, 'recordproof messages list');
}

const conversationPages = pagesOf('conversation', 'conversations', ['lastMessageAt']);

const conversationsTable = tableOf<Conversation>({
  ID: conversation => conversation.id,
  WITH: name(conversation => nameOf(conversation.person)),
  UNREAD: conversation => String(conversation.unreadCount),
  LAST: conversation => toMinute(conversation.lastMessage.createdAt),
  MESSAGE: words(conversation => conversation.lastMessage.preview),
});

export const list = command({
  summary: 'List your conversations, the latest first',
  examples: [{ command: 'messages list', description: 'Sender, unread messages, latest message' }],
  flags: conversationPages.flags,
  run: async ({ flags, context }) =>
    (await context.session()).call(listConversations, { query: conversationPages.toQuery(flags) }),
  text: conversationsTable,
  note: conversationPages.note,
});

export const unread = command({
  summary: 'How many messages you have not read',
  examples: [{ command: 'messages unread', description: 'A number, over all conversations' }],
  run: async ({ context }) => (await context.session()).call(countUnreadMessages),
  text: ({ count }) => String(count),
});

const messagePages = pagesOf('message', 'messages', ['createdAt']);

type Shown = Page<Message> & { readonly conversation: Conversation };

const bodyOf = ({ contentType, content, fileName }: Message): string => {
  if (contentType === 'file') return `[file] ${fileName ?? ''} ${content}`;
  return contentType === 'image' ? `[image] ${content}` : content;
};

/** Sender and time above each message. */
function toText({ records, conversation: { person } }: Shown): string {
  const lines = records.toReversed().flatMap(message => {
    const sender = message.senderId === person.externalId ? person.username : 'you';
    const heading = `${toMinute(message.createdAt)}  ${printable(sender)}`;
    return [heading, indented(bodyOf(message))];
  });
  return lines.join('\n');
}

export const read = command({
  summary: 'Read a conversation, and mark it as read',
  description: 'Shows the latest page, oldest message first. Messages that arrive meanwhile stay unread.',
  examples: [
    { command: 'messages read bob', description: 'The latest twenty messages' },
    { command: 'messages read bob --page 2', description: 'The twenty before them' },
    { command: 'messages read bob --keep-unread', description: 'Without marking them' },
  ],
  args: conversationArgument,
  flags: {
    ...messagePages.flags,
    'keep-unread': boolean({ summary: 'Do not mark anything as read.' }),
  },
  async run({ flags, args, context }): Promise<Shown> {
    const client = await context.session();
    const conversation = await findConversation(client, args.conversation);
    const params = { id: conversation.id };
    const page = await client.call(listMessages, { params, query: messagePages.toQuery(flags) });
    const newest = page.records.map(({ id }) => id).toSorted((a, b) => Number(b) - Number(a))[0];
    if (!flags['keep-unread'] && newest !== undefined)
      await client.call(readConversation, { params, body: { messageId: newest } });
    return { ...page, conversation };
  },
  text: toText,
  note: messagePages.note,
});

type Content = Pick<BodyInput<typeof sendMessage>, 'content' | 'contentType'>;

const textField = {
  name: 'Message',
  flag: 'the text, or - for a pipe',
  schema: textInLines(maxMessage),
  maxLetters: maxMessage,
};

async function getContent(
  context: CommandContext,
  text: string | undefined,
  file: string | undefined,
): Promise<Content> {
  if (file === undefined) return { contentType: 'text', content: await getText(context, text, textField) };
  if (text === undefined) return { contentType: 'file', content: await findFileHash(await context.session(), file) };
  throw new CommandError('usage', 'say either a text or --file', { try: 'recordproof messages send bob "hello"' });
}

export const send = command({
  summary: 'Write to a friend',
  examples: [
    { command: 'messages send bob "see you at noon"', description: 'One line' },
    { command: 'messages send bob - < letter.txt', description: 'The text from standard input' },
    { command: 'messages send bob --file plan.pdf', description: 'Names a file of yours, without sharing it' },
  ],
  args: { ...friendArgument, text: argument({ description: 'At most 4,000 letters; - reads them from a pipe.' }) },
  flags: {
    text: textFlag('The same as the text behind the name.'),
    file: string({ helpValue: '<file>', summary: 'Name a file of yours instead.' }),
  },
  async run({ flags, args, context }) {
    const content = await getContent(context, args.text ?? flags.text, flags.file);
    const client = await context.session();
    const { externalId: receiverId } = await findFriend(client, args.friend);
    return client.call(sendMessage, { body: { receiverId, ...content } });
  },
  note: ({ id, conversationId }) => `message ${id} was sent, in conversation ${conversationId}`,
});

export const remove = command({
  summary: 'Delete a conversation on your side',
  description: 'The other one keeps it. A new message of either brings it back, without the old ones.',
  examples: [
    { command: 'messages delete bob', description: 'Asks before it does' },
    { command: 'messages delete bob --yes', description: 'For scripts: does not ask' },
  ],
  args: conversationArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const conversation = await findConversation(client, args.conversation);
    const question = `Delete the conversation with ${printable(nameOf(conversation.person))} on your side?`;
    if (!flags.yes) await confirm(context, question, 'nothing was deleted');
    await client.call(deleteConversation, { params: { id: conversation.id } });
    return { id: conversation.id, person: conversation.person };
  },
  note: ({ person }) => `the conversation with ${printable(nameOf(person))} was deleted on your side`,
});
