// Behind the door: navigation, the screen one is at, and what is dropped onto any of them.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { Suspense, useEffect, useRef } from 'react';
import { useAllBadges } from './badges.ts';
import { AccountScreen } from './features/account/account-screen.tsx';
import { FilesScreen } from './features/files/files-screen.tsx';
import { Shortcuts } from './features/palette/shortcuts.tsx';
import { VerifyScreen } from './features/proofs/verify-screen.tsx';
import { DropZone } from './features/transfers/drop-zone.tsx';
import { countRunning } from './features/transfers/running.ts';
import { TransfersScreen } from './features/transfers/transfers-screen.tsx';
import { go, toHref, usePlace } from './router.ts';
import { type PartName, Side } from './side.tsx';
import { useAccount, useBridge, useSay, useWatched } from './surroundings.ts';
import { BadgesGiven } from './ui/badges.tsx';
import { KeptApart } from './ui/kept-apart.tsx';
import { later } from './ui/later.tsx';
import { Loading } from './ui/states.tsx';

const AdminScreen = later('admin', async () => (await import('./features/admin/admin-screen.tsx')).AdminScreen);
const AnnouncementsScreen = later(
  'announcements',
  async () => (await import('./features/announcements/announcements-screen.tsx')).AnnouncementsScreen,
);
const FriendsScreen = later(
  'friends',
  async () => (await import('./features/friends/friends-screen.tsx')).FriendsScreen,
);
const MessagesScreen = later(
  'messages',
  async () => (await import('./features/messages/messages-screen.tsx')).MessagesScreen,
);
const OpenShareScreen = later(
  'share',
  async () => (await import('./features/shares/open-share-screen.tsx')).OpenShareScreen,
);
const SharesScreen = later('shares', async () => (await import('./features/shares/shares-screen.tsx')).SharesScreen);
const TicketsScreen = later(
  'tickets',
  async () => (await import('./features/tickets/tickets-screen.tsx')).TicketsScreen,
);

const screens = {
  files: FilesScreen,
  transfers: TransfersScreen,
  shares: SharesScreen,
  messages: MessagesScreen,
  friends: FriendsScreen,
  announcements: AnnouncementsScreen,
  tickets: TicketsScreen,
  verify: VerifyScreen,
  admin: AdminScreen,
  account: AccountScreen,
  share: OpenShareScreen,
} as const;
type ScreenName = keyof typeof screens;
const needed: Partial<Record<ScreenName, Permission>> = { admin: 'system:metrics' };

/** Those that the account may see. */
function useScreenNames(): ScreenName[] {
  const { permissions } = useAccount();
  const mayAll = (name: ScreenName) => needed[name] === undefined || permissions.includes(needed[name]);
  return (Object.keys(screens) as ScreenName[]).filter(mayAll);
}

export function Shell() {
  const say = useSay();
  const { events } = useBridge();
  const feed = useWatched(events.state);
  const { path } = usePlace();
  const names = useScreenNames();
  // A share is reached by its link only.
  const parts = names.filter((name): name is PartName => name !== 'share');
  const at = names.find(name => name === path) ?? 'files';
  const Screen = screens[at];
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${say[at]} – RecordProof`;
    content.current?.focus({ preventScroll: true });
  }, [at, say]);
  useLeaveWarning();
  useLinks();
  return (
    <BadgesGiven badges={useAllBadges()}>
      <DropZone>
        <button type="button" className="skip" onClick={() => content.current?.focus()}>
          {say.skip}
        </button>
        <div className="shell">
          <Side names={parts} at={at === 'share' ? 'shares' : at} />
          <main className="content" ref={content} tabIndex={-1}>
            {feed === 'waiting' && (
              <p className="strip" role="status">
                {say.offline}
              </p>
            )}
            <KeptApart key={at}>
              <Suspense fallback={<Loading />}>
                <Screen />
              </Suspense>
            </KeptApart>
          </main>
        </div>
        <Shortcuts places={parts.map(name => ({ title: say[name], icon: name, href: toHref(name) }))} />
      </DropZone>
    </BadgesGiven>
  );
}

/** Where a closed window ends uploads, the browser asks first. */
function useLeaveWarning(): void {
  const { uploads, capabilities } = useBridge();
  useEffect(() => {
    if (capabilities.keepsTransfersRunning) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (countRunning(uploads.list.get(), []) > 0) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [uploads, capabilities]);
}

/** What the system hands over opens the place that it names. */
function useLinks(): void {
  const { shell } = useBridge();
  useEffect(() => shell?.onLink(link => go(link.kind === 'share' ? `share/${link.code}` : 'verify')), [shell]);
}
