// Conversation of an address: with a person one has written with, or with a friend before the first message.
import type { Person } from '@recordproof/shared/api/accounts.ts';
import { listAllFriends } from '@recordproof/shared/api/friends.ts';
import { type Conversation, listConversations, listMessages, type Message } from '@recordproof/shared/api/messages.ts';
import type { Bridge } from '../../../bridge/bridge.ts';

type Call = Bridge['call'];

type Partner = {
  readonly person: Person;
  readonly isFriend: boolean;
  /** Null before the first message. */
  readonly conversation: Conversation | null;
};

const pageSize = 100;

async function findConversation(call: Call, personId: string, signal: AbortSignal): Promise<Conversation | null> {
  for (let page = 1; ; page += 1) {
    const { records, pages } = await call(listConversations, { query: { page, size: pageSize }, signal });
    const found = records.find(({ person }) => person.externalId === personId);
    if (found) return found;
    if (page >= pages) return null;
  }
}

/** Null for a stranger. */
export async function findPartner(call: Call, personId: string, signal: AbortSignal): Promise<Partner | null> {
  const conversation = await findConversation(call, personId, signal);
  if (conversation) return { person: conversation.person, isFriend: conversation.isFriend, conversation };
  const friend = (await call(listAllFriends, { signal })).find(({ externalId }) => externalId === personId);
  return friend ? { person: friend, isFriend: true, conversation: null } : null;
}

const messagesAtOnce = 50;

type Written = { readonly messages: readonly Message[]; readonly hasMore: boolean };

/** The newest first. */
export async function loadMessages(call: Call, id: string, pages: number, signal: AbortSignal): Promise<Written> {
  const messages: Message[] = [];
  for (let page = 0; page < pages; page += 1) {
    const before = messages.at(-1)?.id;
    const query = { size: messagesAtOnce, ...(before !== undefined && { before }) };
    const { records } = await call(listMessages, { params: { id }, query, signal });
    messages.push(...records);
    if (records.length < messagesAtOnce) return { messages, hasMore: false };
  }
  return { messages, hasMore: true };
}
