// Behind the door: navigation, the screen one is at, and what is dropped onto any of them.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { AccountScreen } from './features/account/account-screen.tsx';
import { FilesScreen } from './features/files/files-screen.tsx';
import { PaletteButton } from './features/palette/palette-button.tsx';
import { Shortcuts } from './features/palette/shortcuts.tsx';
import { VerifyScreen } from './features/proofs/verify-screen.tsx';
import { SharesScreen } from './features/shares/shares-screen.tsx';
import { DropZone } from './features/transfers/drop-zone.tsx';
import { countRunning } from './features/transfers/running.ts';
import { TransfersScreen } from './features/transfers/transfers-screen.tsx';
import { toHref, usePlace } from './router.ts';
import { useAccount, useBridge, useSay, useWatched } from './surroundings.ts';
import { Icon } from './ui/icon.tsx';
import { Loading } from './ui/states.tsx';

const AdminScreen = lazy(async () => ({ default: (await import('./features/admin/admin-screen.tsx')).AdminScreen }));

const screens = {
  files: FilesScreen,
  transfers: TransfersScreen,
  shares: SharesScreen,
  verify: VerifyScreen,
  admin: AdminScreen,
  account: AccountScreen,
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
  const at = names.find(name => name === path) ?? 'files';
  const Screen = screens[at];
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${say[at]} – RecordProof`;
    content.current?.focus({ preventScroll: true });
  }, [at, say]);
  useLeaveWarning();
  return (
    <DropZone>
      <button type="button" className="skip" onClick={() => content.current?.focus()}>
        {say.skip}
      </button>
      <div className="shell">
        <Side names={names} at={at} />
        <main className="content" ref={content} tabIndex={-1}>
          {feed === 'waiting' && (
            <p className="strip" role="status">
              {say.offline}
            </p>
          )}
          <Suspense fallback={<Loading />}>
            <Screen />
          </Suspense>
        </main>
      </div>
      <Shortcuts places={names.map(name => ({ title: say[name], icon: name, href: toHref(name) }))} />
    </DropZone>
  );
}

function Side({ names, at }: { readonly names: readonly ScreenName[]; readonly at: ScreenName }) {
  const say = useSay();
  const { events, uploads, downloads } = useBridge();
  const feed = useWatched(events.state);
  const account = useAccount();
  const running = countRunning(useWatched(uploads.list), useWatched(downloads.list));
  return (
    <nav className="side" aria-label={say.navigation}>
      <div className="brand">
        <img src="/assets/icon.svg" alt="" /> RecordProof
      </div>
      <PaletteButton />
      {names.map(name => (
        <a key={name} href={toHref(name)} {...(name === at && { 'aria-current': 'page' })}>
          <Icon name={name} />
          {say[name]}
          {name === 'transfers' && running > 0 && (
            <span className="count number">
              {running}
              <span className="unseen"> {say.transfer.running(running)}</span>
            </span>
          )}
        </a>
      ))}
      <div className="who">
        <span className="cut">{account.nickname ?? account.username}</span>
        <span className={`feed ${feed}`}>{say.feed[feed]}</span>
      </div>
    </nav>
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
