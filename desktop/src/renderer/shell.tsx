// The app of a signed-in person: navigation, the current screen, and the drop zone for files.
import { getMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ScreenContext, useAccount, useBridge, useFeed, useLanguage, useTexts } from './context.ts';
import { Shortcuts } from './features/palette/shortcuts.tsx';
import { DropZone } from './features/transfers/drop-zone.tsx';
import { countRunning, listDone } from './features/transfers/sum.ts';
import { go, namesScreen, toHref, useRoute } from './router.ts';
import { type Screen, screens } from './screens.ts';
import { Side } from './side.tsx';
import { BadgeProvider } from './ui/badges.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { useLoad, usePolling, useReturn } from './ui/hooks.ts';
import { lazyPart } from './ui/lazy.tsx';
import { Loading, MissingState } from './ui/states.tsx';

const TransferTray = lazyPart(async () => (await import('./features/transfers/tray.tsx')).TransferTray);

/** Those that the account has access to. */
function useAllowedScreens(): Screen[] {
  const { permissions } = useAccount();
  return screens.filter(({ permission }) => permission === undefined || permissions.includes(permission));
}

export function Shell() {
  const texts = useTexts();
  const language = useLanguage();
  const feed = useFeed();
  const { path } = useRoute();
  const allowed = useAllowedScreens();
  const shown = allowed.filter(({ navigation }) => navigation !== null);
  const screen = findScreen(allowed, path);
  const { name, under = name, Content } = screen;
  const title = screen.title[language];
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${screen.title[language]} – RecordProof`;
    content.current?.focus({ preventScroll: true });
  }, [screen, language]);
  useLeaveWarning();
  useLinks();
  return (
    <AllBadges>
      <DropZone>
        <button type="button" className="skip" onClick={() => content.current?.focus()}>
          {texts.skip}
        </button>
        <div className="shell">
          <Side screens={shown} current={under} />
          <main className="content" ref={content} tabIndex={-1}>
            <MaintenanceStrip />
            {feed === 'waiting' && (
              <p className="strip" role="status">
                {texts.offline}
              </p>
            )}
            <ErrorBoundary key={name}>
              <Suspense fallback={<Loading />}>
                <ScreenContext value={{ name, title }}>
                  <Content />
                </ScreenContext>
              </Suspense>
            </ErrorBoundary>
            <LaterTray isListed={name === 'transfers'} />
          </main>
        </div>
        <Shortcuts
          entries={shown.map(one => ({ title: one.title[language], icon: one.icon, href: toHref(one.name) }))}
        />
      </DropZone>
    </AllBadges>
  );
}

function MissingScreen() {
  const { missing } = useTexts();
  return <MissingState title={missing.screen} text={missing.screenText} />;
}

const missingScreen: Pick<Screen, 'name' | 'title' | 'under' | 'Content'> = {
  name: '',
  title: { en: 'Not found', zh: '未找到' },
  Content: MissingScreen,
};

/** An account without access to a screen gets the first one. */
function findScreen(allowed: readonly Screen[], path: string): typeof missingScreen {
  const isKnown = !namesScreen(path) || screens.some(({ name }) => name === path);
  return isKnown ? (allowed.find(({ name }) => name === path) ?? (allowed[0] as Screen)) : missingScreen;
}

/** An upload can be done before the tray is loaded, and is shown all the same. */
function LaterTray({ isListed }: { readonly isListed: boolean }) {
  const { uploads, downloads } = useBridge();
  const [before] = useState(() => listDone([...uploads.list.get(), ...downloads.list.get()]));
  return (
    <ErrorBoundary>
      <TransferTray before={before} isListed={isListed} />
    </ErrorBoundary>
  );
}

const AllBadges = ({ children }: { readonly children: ReactNode }) =>
  screens.reduce(
    (inner, { name, badge }) =>
      typeof badge === 'object' ? (
        <BadgeProvider key={name} screen={name} source={badge}>
          {inner}
        </BadgeProvider>
      ) : (
        inner
      ),
    children,
  );

/** The browser asks before it closes a tab in which uploads run. */
function useLeaveWarning(): void {
  const { uploads, capabilities } = useBridge();
  useEffect(() => {
    if (capabilities.keepsTransfersRunning) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (
        countRunning(
          uploads.list.get().filter(({ elsewhere }) => !elsewhere),
          [],
        ) > 0
      )
        event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [uploads, capabilities]);
}

/** A link that the system hands over opens its screen. */
function useLinks(): void {
  const { shell } = useBridge();
  useEffect(() => shell?.onLink(link => go(link.kind === 'share' ? `share/${link.code}` : 'verify')), [shell]);
}

const pollEveryMs = 60_000;

function MaintenanceStrip() {
  const { call } = useBridge();
  const texts = useTexts();
  const { state, reload } = useLoad('', signal => call(getMaintenance, { signal }), { keeps: true });
  usePolling(pollEveryMs, reload);
  useReturn(reload);
  const message = state.kind === 'ready' && state.value.isOn ? state.value.message : null;
  return <div role="status">{message !== null && <p className="strip">{texts.maintenance(message)}</p>}</div>;
}
