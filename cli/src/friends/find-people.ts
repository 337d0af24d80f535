// Lookup of users and friends by user name or external id.
// A name matches exactly but for case; a part of a name matches nothing.

import { string as argument } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { externalIdPattern, recordId } from '@recordproof/shared/api/common.ts';
import {
  type Friend,
  friendRequestStatus,
  listAllFriends,
  listReceivedRequests,
  listSentRequests,
  searchUsers,
} from '@recordproof/shared/api/friends.ts';
import { completedBy } from '../platform/arguments.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable } from '../platform/output.ts';
import { walkPages } from '../platform/pages.ts';

export const friendArgument = {
  friend: argument({ required: true, description: 'User name or id of a friend.', ...completedBy('friends') }),
};

export const requestArgument = {
  request: argument({ required: true, description: 'User name of the other one, or id of the request.' }),
};

const fold = (name: string): string => name.normalize('NFKC').toLowerCase();
export const isCalled =
  (name: string) =>
  ({ username }: { readonly username: string }): boolean =>
    fold(username) === fold(name);

const isExternalId = (text: string): boolean => externalIdPattern.test(text);
export const isRecordId = (text: string): boolean => recordId.safeParse(text).success;

export const unknownPerson = (what: string, name: string, tryThis: string): CommandError =>
  new CommandError('refused', `${what} "${printable(name)}"`, { try: tryThis });

/** The external id of a user of the tenant. */
export async function findUserId(client: Client, nameOrId: string): Promise<string> {
  if (isExternalId(nameOrId)) return nameOrId;
  const people = nameOrId.trim() === '' ? [] : await client.call(searchUsers, { query: { keyword: nameOrId } });
  const found = people.find(isCalled(nameOrId));
  if (!found) throw unknownPerson('no user is called', nameOrId, 'recordproof friends search <part of the name>');
  return found.externalId;
}

export async function findFriend(client: Client, nameOrId: string): Promise<Friend> {
  const friends = await client.call(listAllFriends);
  const found = friends.find(friend => friend.externalId === nameOrId) ?? friends.find(isCalled(nameOrId));
  if (!found) throw unknownPerson('you have no friend called', nameOrId, 'recordproof friends list');
  return found;
}

/** The open request from or to the named user, or any request by its id. */
export async function findRequestId(client: Client, nameOrId: string, from: 'others' | 'me'): Promise<string> {
  if (isRecordId(nameOrId)) return nameOrId;
  const endpoint = from === 'me' ? listSentRequests : listReceivedRequests;
  const readPage = (page: number) =>
    client.call(endpoint, { query: { page, size: 100, status: friendRequestStatus.PENDING } });
  for await (const { id, requester, addressee } of walkPages(readPage)) {
    const other = from === 'me' ? addressee : requester;
    if (other.externalId === nameOrId || isCalled(nameOrId)(other)) return id;
  }
  const [what, tryThis] =
    from === 'me' ? ['to', 'recordproof friends requests --sent'] : ['from', 'recordproof friends requests'];
  throw unknownPerson(`there is no open request ${what}`, nameOrId, tryThis);
}
