// The screens of the app, each registered once: icon, position in the navigation, access, loader and badge. Navigation,
// palette, window title and access follow; a screen's title is the word of its name in shared/src/words/app.ts.
import { countUnreadAnnouncements } from '@recordproof/shared/api/announcements.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { countUnreadShares } from '@recordproof/shared/api/friend-shares.ts';
import { countPendingRequests } from '@recordproof/shared/api/friends.ts';
import { countUnreadMessages } from '@recordproof/shared/api/messages.ts';
import { listAllTickets, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { ComponentType } from 'react';
import type { Bridge } from '../bridge/bridge.ts';
import { FilesScreen } from './features/files/files-screen.tsx';
import type { CountSource } from './ui/badges.tsx';
import type { IconName } from './ui/icon.tsx';
import { lazyScreen, type TitleName } from './ui/lazy-screen.tsx';

/** Tickets in status PENDING. */
async function countWaitingTickets(call: Bridge['call'], signal: AbortSignal) {
  const { total } = await call(listAllTickets, { query: { status: ticketStatus.PENDING, size: 1 }, signal });
  return { count: total };
}

type Loader = { readonly show: ComponentType } | { readonly load: () => Promise<ComponentType> };

type Registered = Loader & {
  readonly icon: IconName;
  /** A phone shows the daily ones, and the others behind "More". Null: reached by a link only. */
  readonly navigation: 'daily' | 'more' | null;
  /** The navigation entry that is current while this screen shows, where it has none itself. */
  readonly under?: TitleName;
  readonly permission?: Permission;
  readonly badge?: 'running-transfers' | CountSource;
};

const registered: Readonly<Partial<Record<TitleName, Registered>>> = {
  files: { icon: 'files', navigation: 'daily', show: FilesScreen },
  transfers: {
    icon: 'transfers',
    navigation: 'daily',
    load: async () => (await import('./features/transfers/transfers-screen.tsx')).TransfersScreen,
    badge: 'running-transfers',
  },
  shares: {
    icon: 'shares',
    navigation: 'daily',
    load: async () => (await import('./features/shares/shares-screen.tsx')).SharesScreen,
    badge: {
      permission: 'friend:read',
      leadsTo: 'shares/received',
      events: ['friend-share'],
      count: (call, signal) => call(countUnreadShares, { signal }),
    },
  },
  messages: {
    icon: 'messages',
    navigation: 'daily',
    load: async () => (await import('./features/messages/messages-screen.tsx')).MessagesScreen,
    badge: {
      permission: 'message:read',
      events: ['message-received'],
      count: (call, signal) => call(countUnreadMessages, { signal }),
    },
  },
  friends: {
    icon: 'friends',
    navigation: 'more',
    load: async () => (await import('./features/friends/friends-screen.tsx')).FriendsScreen,
    badge: {
      permission: 'friend:read',
      events: ['friend-request', 'friend-accepted'],
      count: (call, signal) => call(countPendingRequests, { signal }),
    },
  },
  announcements: {
    icon: 'announcements',
    navigation: 'more',
    load: async () => (await import('./features/announcements/announcements-screen.tsx')).AnnouncementsScreen,
    badge: {
      permission: 'announcement:read',
      events: ['announcement-published'],
      count: (call, signal) => call(countUnreadAnnouncements, { signal }),
    },
  },
  tickets: {
    icon: 'tickets',
    navigation: 'more',
    load: async () => (await import('./features/tickets/tickets-screen.tsx')).TicketsScreen,
    badge: {
      permission: 'ticket:admin',
      leadsTo: 'tickets/everyone',
      events: ['ticket-updated'],
      count: countWaitingTickets,
    },
  },
  verify: {
    icon: 'verify',
    navigation: 'more',
    load: async () => (await import('./features/proofs/verify-screen.tsx')).VerifyScreen,
  },
  admin: {
    icon: 'admin',
    navigation: 'more',
    permission: 'system:metrics',
    load: async () => (await import('./features/admin/admin-screen.tsx')).AdminScreen,
  },
  account: {
    icon: 'account',
    navigation: 'more',
    load: async () => (await import('./features/account/account-screen.tsx')).AccountScreen,
  },
  share: {
    icon: 'link',
    navigation: null,
    under: 'shares',
    load: async () => (await import('./features/shares/open-share-screen.tsx')).OpenShareScreen,
  },
};

export type Screen = Omit<Registered, 'show' | 'load'> & { readonly name: TitleName; readonly Content: ComponentType };

const entries = Object.entries(registered) as [TitleName, Registered][];

/** In the order of the navigation. */
export const screens: readonly Screen[] = entries.map(([name, screen]) => ({
  ...screen,
  name,
  Content: 'show' in screen ? screen.show : lazyScreen(name, screen.load),
}));
