// The screens of the app, each registered once: title, icon, position in the navigation, access, loader and badge.
// Navigation, palette, window title and access follow.
import { countUnreadAnnouncements } from '@recordproof/shared/api/announcements.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { countUnreadShares } from '@recordproof/shared/api/friend-shares.ts';
import { countPendingRequests } from '@recordproof/shared/api/friends.ts';
import { countUnreadMessages } from '@recordproof/shared/api/messages.ts';
import { listAllTickets, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { ComponentType } from 'react';
import type { Bridge } from '../bridge/bridge.ts';
import { FilesScreen } from './features/files/files-screen.tsx';
import type { CountSource } from './ui/badges.tsx';
import type { IconName } from './ui/icon.tsx';
import { lazyScreen } from './ui/lazy.tsx';

/** Tickets in status PENDING. */
async function countWaitingTickets(call: Bridge['call'], signal: AbortSignal) {
  const { total } = await call(listAllTickets, { query: { status: ticketStatus.PENDING, size: 1 }, signal });
  return { count: total };
}

type Loader = { readonly show: ComponentType } | { readonly load: () => Promise<ComponentType> };

type Registered = Loader & {
  readonly title: Readonly<Record<Language, string>>;
  readonly icon: IconName;
  /** A phone shows the daily ones, and the others behind "More". Null: reached by a link only. */
  readonly navigation: 'daily' | 'more' | null;
  /** The navigation entry that is current while this screen shows, where it has none itself. */
  readonly under?: string;
  readonly permission?: Permission;
  readonly badge?: 'running-transfers' | CountSource;
};

const registered: Readonly<Record<string, Registered>> = {
  files: { title: { en: 'Files', zh: '文件' }, icon: 'files', navigation: 'daily', show: FilesScreen },
  transfers: {
    title: { en: 'Transfers', zh: '传输' },
    icon: 'transfers',
    navigation: 'daily',
    load: async () => (await import('./features/transfers/transfers-screen.tsx')).TransfersScreen,
    badge: 'running-transfers',
  },
  shares: {
    title: { en: 'Shares', zh: '分享' },
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
    title: { en: 'Messages', zh: '消息' },
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
    title: { en: 'Friends', zh: '好友' },
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
    title: { en: 'Announcements', zh: '公告' },
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
    title: { en: 'Help', zh: '帮助' },
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
    title: { en: 'Check a proof', zh: '核验证明' },
    icon: 'verify',
    navigation: 'more',
    load: async () => (await import('./features/proofs/verify-screen.tsx')).VerifyScreen,
  },
  admin: {
    title: { en: 'Administration', zh: '管理' },
    icon: 'admin',
    navigation: 'more',
    permission: 'system:metrics',
    load: async () => (await import('./features/admin/admin-screen.tsx')).AdminScreen,
  },
  account: {
    title: { en: 'Account', zh: '账户' },
    icon: 'account',
    navigation: 'more',
    load: async () => (await import('./features/account/account-screen.tsx')).AccountScreen,
  },
  share: {
    title: { en: 'A share', zh: '分享' },
    icon: 'link',
    navigation: null,
    under: 'shares',
    load: async () => (await import('./features/shares/open-share-screen.tsx')).OpenShareScreen,
  },
};

export type Screen = Omit<Registered, 'show' | 'load'> & { readonly name: string; readonly Content: ComponentType };

/** In the order of the navigation. */
export const screens: readonly Screen[] = Object.entries(registered).map(([name, screen]) => ({
  ...screen,
  name,
  Content: 'show' in screen ? screen.show : lazyScreen(screen.load),
}));
