// How people and their requests look in lists.
import type { Person } from '@recordproof/shared/api/accounts.ts';
import type { Friend, FriendRequest } from '@recordproof/shared/api/friends.ts';
import { friendRequestStatus } from '@recordproof/shared/api/friends.ts';
import { nameOfCode } from '../names.ts';
import { toList, toMinute } from '../output.ts';

export const nameOf = ({ username, nickname }: Person): string =>
  nickname === null ? username : `${username} (${nickname})`;

export const friendsTable = (friends: readonly Friend[]): string =>
  toList(
    ['NAME', 'REMARK', 'FRIENDS SINCE', 'ID'],
    friends.map(friend => [nameOf(friend), friend.remark ?? '', toMinute(friend.friendsSince), friend.externalId]),
  );

export const requestsTable = (requests: readonly FriendRequest[]): string =>
  toList(
    ['ID', 'FROM', 'TO', 'STATE', 'SENT', 'MESSAGE'],
    requests.map(({ id, requester, addressee, status, createdAt, message }) => [
      id,
      nameOf(requester),
      nameOf(addressee),
      nameOfCode(friendRequestStatus, status),
      toMinute(createdAt),
      message,
    ]),
  );
