// Tables of friends and friend requests.
import type { Person } from '@recordproof/shared/api/accounts.ts';
import type { Friend, FriendRequest } from '@recordproof/shared/api/friends.ts';
import { friendRequestStatus } from '@recordproof/shared/api/friends.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { extra, name, tableOf, words } from '../platform/table.ts';

export const nameOf = ({ username, nickname }: Person): string =>
  nickname === null ? username : `${username} (${nickname})`;

export const friendsTable = tableOf<Friend>({
  NAME: name(nameOf),
  REMARK: words(friend => friend.remark ?? ''),
  'FRIENDS SINCE': friend => toMinute(friend.friendsSince),
  ID: extra(friend => friend.externalId),
});

export const requestsTable = tableOf<FriendRequest>({
  ID: request => request.id,
  FROM: name(request => nameOf(request.requester)),
  TO: name(request => nameOf(request.addressee)),
  STATE: request => nameOfCode(friendRequestStatus, request.status),
  SENT: request => toMinute(request.createdAt),
  MESSAGE: words(request => request.message),
});

export const friendPages = pagesOf('friend', 'friends', ['friendsSince', 'username']);
export const requestPages = pagesOf('request', 'requests', ['createdAt']);
