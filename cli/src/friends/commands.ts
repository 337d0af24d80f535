// Commands under `friends`.
import { string as argument } from '@oclif/core/args';
import { boolean, option } from '@oclif/core/flags';
import type { Person } from '@recordproof/shared/api/accounts.ts';
import {
  acceptFriendRequest,
  cancelFriendRequest,
  friendRequestStatus,
  listFriends,
  listReceivedRequests,
  listSentRequests,
  rejectFriendRequest,
  searchUsers,
  sendFriendRequest,
  unfriend,
  updateRemark,
} from '@recordproof/shared/api/friends.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { printable } from '../platform/output.ts';
import { name, tableOf } from '../platform/table.ts';
import { textFlag } from '../platform/written-text.ts';
import { findFriend, findRequestId, findUserId, friendArgument, requestArgument } from './find-people.ts';
import { friendPages, friendsTable, nameOf, requestPages, requestsTable } from './people-tables.ts';

export const list = command({
  summary: 'List your friends',
  examples: [
    { command: 'friends list', description: 'The newest twenty' },
    { command: 'friends list --sort username,asc --size 100', description: 'A hundred by name' },
  ],
  flags: friendPages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listFriends, { query: friendPages.toQuery(flags) }),
  text: friendsTable,
  note: friendPages.note,
});

type PersonMatch = Person & { readonly isFriend: boolean; readonly hasPendingRequest: boolean };

const relationOf = (person: PersonMatch): string => {
  if (person.isFriend) return 'friend';
  return person.hasPendingRequest ? 'request open' : '';
};

export const search = command({
  summary: 'Find people to be friends with',
  examples: [{ command: 'friends search ann', description: 'Users with "ann" in their name' }],
  args: { keyword: argument({ required: true, description: 'Part of a user name or nickname, or a whole id.' }) },
  run: async ({ args, context }) => (await context.session()).call(searchUsers, { query: { keyword: args.keyword } }),
  text: tableOf<PersonMatch>({
    NAME: name(nameOf),
    RELATION: relationOf,
    ID: person => person.externalId,
  }),
  note: people => (people.length === 0 ? 'no user found' : ''),
});

export const add = command({
  summary: 'Send a friend request',
  description: 'If the other one has asked you already, this accepts.',
  examples: [{ command: 'friends add bob --text "from the office"', description: 'Ask Bob' }],
  args: { user: argument({ required: true, description: 'User name or id of the other one.' }) },
  flags: { text: textFlag('A word with the request.') },
  async run({ flags, args, context }) {
    const client = await context.session();
    const addresseeId = await findUserId(client, args.user);
    const message = flags.text;
    return client.call(sendFriendRequest, { body: { addresseeId, ...(message !== undefined && { message }) } });
  },
  note: ({ id, status, requester, addressee }) =>
    status === friendRequestStatus.PENDING
      ? `request ${id} was sent to ${printable(nameOf(addressee))}`
      : `${printable(nameOf(requester))} had asked already: you are friends`,
});

export const requests = command({
  summary: 'List friend requests, those that wait for you unless you say otherwise',
  examples: [
    { command: 'friends requests', description: 'Requests that wait for your answer' },
    { command: 'friends requests --sent --state all', description: 'All requests that you have sent' },
  ],
  flags: {
    ...requestPages.flags,
    sent: boolean({ summary: 'Those that you have sent.' }),
    state: option({
      options: [...namesOf(friendRequestStatus), 'all'],
      default: 'pending',
      summary: 'Only requests in this state.',
    })(),
  },
  async run({ flags, context }) {
    const endpoint = flags.sent ? listSentRequests : listReceivedRequests;
    const state = flags.state === 'all' ? {} : { status: codeOf(friendRequestStatus, flags.state) };
    return (await context.session()).call(endpoint, { query: { ...requestPages.toQuery(flags), ...state } });
  },
  text: requestsTable,
  note: requestPages.note,
});

export const accept = command({
  summary: 'Accept a friend request',
  examples: [{ command: 'friends accept alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(acceptFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `you and ${printable(nameOf(requester))} are friends`,
});

export const reject = command({
  summary: 'Reject a friend request; the other one is not notified',
  examples: [{ command: 'friends reject alice', description: 'Alice had asked' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(rejectFriendRequest, { params: { id: await findRequestId(client, args.request, 'others') } });
  },
  note: ({ requester }) => `the request of ${printable(nameOf(requester))} was rejected`,
});

export const cancel = command({
  summary: 'Cancel a friend request of yours',
  examples: [{ command: 'friends cancel bob', description: 'As long as Bob has not answered' }],
  args: requestArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(cancelFriendRequest, { params: { id: await findRequestId(client, args.request, 'me') } });
  },
  note: ({ addressee }) => `the request to ${printable(nameOf(addressee))} was cancelled`,
});

export const remark = command({
  summary: 'Give a friend a name that only you see, or take it away',
  examples: [
    { command: 'friends remark bob "Bob from the office"', description: 'At most 50 letters' },
    { command: 'friends remark bob', description: 'Takes it away' },
  ],
  args: { ...friendArgument, remark: argument({ description: 'The name; left out, there is none any more.' }) },
  async run({ args, context }) {
    const client = await context.session();
    const { externalId: id } = await findFriend(client, args.friend);
    return client.call(updateRemark, { params: { id }, body: { remark: args.remark ?? null } });
  },
  text: friend => friendsTable([friend]),
});

export const remove = command({
  summary: 'End a friendship, for both of you',
  description: 'Files that you have shared with each other can no longer be opened. Saved copies stay.',
  examples: [
    { command: 'friends remove bob', description: 'Asks before it does' },
    { command: 'friends remove bob --yes', description: 'For scripts: does not ask' },
  ],
  args: friendArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const friend = await findFriend(client, args.friend);
    const question = `Remove ${printable(nameOf(friend))} from your friends? Files that you sent each other can no longer be opened.`;
    if (!flags.yes) await confirm(context, question, 'you are still friends');
    await client.call(unfriend, { params: { id: friend.externalId } });
    return friend;
  },
  note: friend => `you and ${printable(nameOf(friend))} are no longer friends`,
});
