// What of each part waits to be looked at, by its events.
import { countUnreadAnnouncements } from '@recordproof/shared/api/announcements.ts';
import { countUnreadShares } from '@recordproof/shared/api/friend-shares.ts';
import { countPendingRequests } from '@recordproof/shared/api/friends.ts';
import { countUnreadMessages } from '@recordproof/shared/api/messages.ts';
import { type Badges, type Counted, useBadge } from './ui/badges.tsx';

const shares: Counted = {
  may: 'friend:read',
  events: ['friend-share'],
  ask: (call, signal) => call(countUnreadShares, { signal }),
};
const friends: Counted = {
  may: 'friend:read',
  events: ['friend-request', 'friend-accepted'],
  ask: (call, signal) => call(countPendingRequests, { signal }),
};
const messages: Counted = {
  may: 'message:read',
  events: ['message-received'],
  ask: (call, signal) => call(countUnreadMessages, { signal }),
};
const announcements: Counted = {
  may: 'announcement:read',
  events: ['announcement-published'],
  ask: (call, signal) => call(countUnreadAnnouncements, { signal }),
};

export const useAllBadges = (): Badges => ({
  shares: useBadge(shares),
  friends: useBadge(friends),
  messages: useBadge(messages),
  announcements: useBadge(announcements),
});
