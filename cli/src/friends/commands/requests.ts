import { boolean, option } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import {
  type FriendRequest,
  friendRequestStatus,
  listReceivedRequests,
  listSentRequests,
} from '@recordproof/shared/api/friends.ts';
import { codeOf, namesOf } from '../../platform/code-names.ts';
import { command } from '../../platform/command.ts';
import { requestPages, requestsTable } from '../people-tables.ts';

export default command({
  summary: 'List friend requests, those that wait for you unless you say otherwise',
  examples: [
    { command: 'friends requests', description: 'Who waits for your answer?' },
    { command: 'friends requests --sent --state all', description: 'Everything you have asked' },
  ],
  flags: {
    ...requestPages.flags,
    sent: boolean({ summary: 'Those that you have sent.' }),
    state: option({
      options: [...namesOf(friendRequestStatus), 'all'],
      default: 'pending',
      summary: 'What has become of them.',
    })(),
  },
  async run({ flags, context }) {
    const endpoint = flags.sent ? listSentRequests : listReceivedRequests;
    const state = flags.state === 'all' ? {} : { status: codeOf(friendRequestStatus, flags.state) };
    return (await context.session()).call(endpoint, { query: { ...requestPages.toQuery(flags), ...state } });
  },
  text: ({ records }: Page<FriendRequest>) => requestsTable(records),
  note: requestPages.note,
});
