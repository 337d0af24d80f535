// Friends within a tenant, and friend requests.
import { z } from 'zod';
import { person } from './accounts.ts';
import {
  byId,
  externalId,
  externalIdPattern,
  isoTime,
  numberFromText,
  optionalText,
  pageOf,
  pageQuery,
  plainText,
  recordId,
} from './common.ts';
import { endpoint } from './endpoint.ts';

export const friendRequestStatus = { PENDING: 0, ACCEPTED: 1, REJECTED: 2, CANCELLED: 3 } as const;

const maxRequestMessage = 255;
const maxRemark = 50;
/** The maximum, so that all of them fit into one response. */
export const maxFriends = 2000;
export const maxSearchHits = 20;

export const friend = person.extend({
  id: recordId,
  remark: z.string().nullable().meta({ description: 'what only the caller calls this friend' }),
  friendsSince: isoTime,
});
export type Friend = z.infer<typeof friend>;

const friendRequest = z.object({
  id: recordId,
  requester: person,
  addressee: person,
  message: z.string(),
  status: z.int().meta({ description: '0 pending, 1 accepted, 2 rejected, 3 cancelled by the sender' }),
  createdAt: isoTime,
  answeredAt: isoTime.nullable(),
});
export type FriendRequest = z.infer<typeof friendRequest>;

/** The id of a friendship, as in lists, or the external id of the friend. */
const friendReference = z
  .string()
  .regex(
    new RegExp(`${externalIdPattern.source}|^[1-9][0-9]{0,18}$`),
    'must be the external id of a friend or the id of a friendship',
  );
const byFriend = z.object({ id: friendReference });

const common = { feature: 'friends', rate: 'other' } as const;

export const sendFriendRequest = endpoint('sendFriendRequest', {
  ...common,
  route: 'POST /api/v1/friends/requests',
  summary: 'Send a friend request',
  description: 'When the other one has asked already, this accepts: the answer is then the accepted request.',
  access: 'friend:write',
  body: z.object({ addresseeId: externalId, message: optionalText(maxRequestMessage).optional() }),
  answer: friendRequest,
  errors: ['USER_NOT_EXIST', 'CANNOT_ADD_SELF', 'ALREADY_FRIENDS', 'FRIEND_REQUEST_EXISTS', 'CONFLICT'],
});

const requestQuery = pageQuery(['createdAt']).extend({
  status: numberFromText(z.int().min(0).max(3)).optional().meta({ description: 'only requests in this state' }),
});

export const listReceivedRequests = endpoint('listReceivedRequests', {
  ...common,
  route: 'GET /api/v1/friends/requests/received',
  summary: 'Friend requests from others',
  access: 'friend:read',
  query: requestQuery,
  answer: pageOf(friendRequest),
});

export const listSentRequests = endpoint('listSentRequests', {
  ...common,
  route: 'GET /api/v1/friends/requests/sent',
  summary: 'Friend requests to others',
  access: 'friend:read',
  query: requestQuery,
  answer: pageOf(friendRequest),
});

export const countPendingRequests = endpoint('countPendingRequests', {
  ...common,
  route: 'GET /api/v1/friends/requests/pending-count',
  summary: 'How many requests wait for an answer of the caller',
  access: 'friend:read',
  answer: z.object({ count: z.int().min(0) }),
});

export const acceptFriendRequest = endpoint('acceptFriendRequest', {
  ...common,
  route: 'POST /api/v1/friends/requests/{id}/accept',
  summary: 'Accept a friend request',
  access: 'friend:write',
  params: byId,
  answer: friendRequest,
  errors: ['FRIEND_REQUEST_NOT_FOUND', 'FRIEND_REQUEST_PROCESSED', 'FORBIDDEN', 'CONFLICT'],
});

export const rejectFriendRequest = endpoint('rejectFriendRequest', {
  ...common,
  route: 'POST /api/v1/friends/requests/{id}/reject',
  summary: 'Reject a friend request',
  description: 'The other one is not told.',
  access: 'friend:write',
  params: byId,
  answer: friendRequest,
  errors: ['FRIEND_REQUEST_NOT_FOUND', 'FRIEND_REQUEST_PROCESSED', 'FORBIDDEN'],
});

export const cancelFriendRequest = endpoint('cancelFriendRequest', {
  ...common,
  route: 'DELETE /api/v1/friends/requests/{id}',
  summary: 'Take back a friend request',
  access: 'friend:write',
  params: byId,
  answer: friendRequest,
  errors: ['FRIEND_REQUEST_NOT_FOUND', 'FRIEND_REQUEST_PROCESSED', 'FORBIDDEN'],
});

export const listFriends = endpoint('listFriends', {
  ...common,
  route: 'GET /api/v1/friends',
  summary: 'Friends, page by page',
  access: 'friend:read',
  query: pageQuery(['friendsSince', 'username']),
  answer: pageOf(friend),
});

export const listAllFriends = endpoint('listAllFriends', {
  ...common,
  route: 'GET /api/v1/friends/all',
  summary: 'All friends, by user name',
  description: `At most ${maxFriends} for each account.`,
  access: 'friend:read',
  answer: z.array(friend),
});

export const unfriend = endpoint('unfriend', {
  ...common,
  route: 'DELETE /api/v1/friends/{id}',
  summary: 'End a friendship',
  description: 'What the two have shared with each other can no longer be opened.',
  access: 'friend:write',
  params: byFriend,
  errors: ['NOT_FRIENDS'],
});

export const updateRemark = endpoint('updateRemark', {
  ...common,
  route: 'PUT /api/v1/friends/{id}/remark',
  summary: 'Give a friend a name of your own, or take it away',
  access: 'friend:write',
  params: byFriend,
  body: z.object({ remark: optionalText(maxRemark).nullable() }),
  answer: friend,
  errors: ['NOT_FRIENDS'],
});

export const searchUsers = endpoint('searchUsers', {
  ...common,
  route: 'GET /api/v1/friends/search',
  summary: 'Find people of the tenant',
  description: `By part of user name or nickname, or by the exact external id; at most ${maxSearchHits}. Wildcards are ordinary characters.`,
  access: 'friend:read',
  query: z.object({ keyword: plainText(64) }),
  answer: z.array(person.extend({ isFriend: z.boolean(), hasPendingRequest: z.boolean() })),
});
