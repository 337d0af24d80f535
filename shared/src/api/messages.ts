// Private messages between friends, in one conversation per pair.
import { z } from 'zod';
import { person } from './accounts.ts';
import { byId, externalId, externalIdPattern, isoTime, pageOf, pageQuery, recordId, textInLines } from './common.ts';
import { endpoint } from './endpoint.ts';
import { fileHash } from './files.ts';
import { imageDownloadPrefix } from './images.ts';

const messageTypes = ['text', 'image', 'file'] as const;
export type MessageType = (typeof messageTypes)[number];

export const maxMessage = 4000;
/** The length of previews in lists and events. */
export const maxPreview = 100;

export const message = z.object({
  id: recordId,
  conversationId: recordId,
  senderId: z.string().regex(externalIdPattern),
  contentType: z.enum(messageTypes),
  content: z.string().meta({ description: 'the text, the path of a picture, or the fileHash of a file' }),
  fileName: z.string().nullable().meta({ description: 'what a named file was called when the message was sent' }),
  createdAt: isoTime,
});
export type Message = z.infer<typeof message>;

export const conversation = z.object({
  id: recordId,
  person: person.meta({ description: 'the other one' }),
  isFriend: z.boolean(),
  unreadCount: z.int().min(0),
  lastMessage: message.pick({ id: true, senderId: true, contentType: true, createdAt: true }).extend({
    preview: z.string(),
  }),
});
export type Conversation = z.infer<typeof conversation>;

const newMessage = z
  .object({
    receiverId: externalId,
    contentType: z.enum(messageTypes).default('text'),
    content: textInLines(maxMessage),
  })
  .refine(({ contentType, content }) => contentType !== 'file' || fileHash.safeParse(content).success, {
    path: ['content'],
    message: 'must be the fileHash of a file',
  })
  .refine(({ contentType, content }) => contentType !== 'image' || content.startsWith(imageDownloadPrefix), {
    path: ['content'],
    message: `must be the path of a picture, ${imageDownloadPrefix}…`,
  });

const count = z.object({ count: z.int().min(0) });

const common = { feature: 'messages', rate: 'other' } as const;

export const sendMessage = endpoint('sendMessage', {
  ...common,
  route: 'POST /api/v1/messages',
  summary: 'Write to a friend',
  description:
    'A message of type image holds the path of a picture that the sender has uploaded, one of type file the fileHash of a file of the sender. Naming a file does not share it.',
  access: 'message:write',
  body: newMessage,
  answer: message,
  errors: ['CANNOT_MESSAGE_SELF', 'NOT_FRIENDS', 'FILE_NOT_EXIST', 'NOT_FOUND'],
});

export const getMessage = endpoint('getMessage', {
  ...common,
  route: 'GET /api/v1/messages/{id}',
  summary: 'One message',
  access: 'message:read',
  params: byId,
  answer: message,
  errors: ['MESSAGE_NOT_FOUND'],
});

export const countUnreadMessages = endpoint('countUnreadMessages', {
  ...common,
  route: 'GET /api/v1/messages/unread-count',
  summary: 'How many messages the caller has not read, over all conversations',
  access: 'message:read',
  answer: count,
});

export const listConversations = endpoint('listConversations', {
  ...common,
  route: 'GET /api/v1/messages/conversations',
  summary: 'Conversations, page by page, the latest first',
  access: 'message:read',
  query: pageQuery(['lastMessageAt']),
  answer: pageOf(conversation),
});

export const getConversation = endpoint('getConversation', {
  ...common,
  route: 'GET /api/v1/messages/conversations/{id}',
  summary: 'One conversation',
  access: 'message:read',
  params: byId,
  answer: conversation,
  errors: ['CONVERSATION_NOT_FOUND'],
});

export const listMessages = endpoint('listMessages', {
  ...common,
  route: 'GET /api/v1/messages/conversations/{id}/messages',
  summary: 'The messages of a conversation, the latest first',
  description:
    'With `before` only those older than that message, so that nothing shifts while new ones arrive. Looking does not mark as read.',
  access: 'message:read',
  params: byId,
  query: pageQuery(['createdAt']).extend({ before: recordId.optional().meta({ description: 'id of a message' }) }),
  answer: pageOf(message),
  errors: ['CONVERSATION_NOT_FOUND'],
});

export const readConversation = endpoint('readConversation', {
  ...common,
  route: 'POST /api/v1/messages/conversations/{id}/read',
  summary: 'Mark messages as read',
  description: 'Up to the given message, or all that are there. Answers how many are left unread in this conversation.',
  access: 'message:write',
  params: byId,
  body: z.object({ messageId: recordId.optional() }),
  answer: count,
  errors: ['CONVERSATION_NOT_FOUND'],
});

export const deleteConversation = endpoint('deleteConversation', {
  ...common,
  route: 'DELETE /api/v1/messages/conversations/{id}',
  summary: 'Delete a conversation on the own side',
  description:
    'The other one keeps it. A new message brings it back, with only what was written since. What both have deleted is removed for good.',
  access: 'message:write',
  params: byId,
  errors: ['CONVERSATION_NOT_FOUND'],
});
