// Root of the app: the sign-in screen, or the shell of the signed-in person.
import { lazy, Suspense, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import type { Bridge } from '../bridge/bridge.ts';
import { BridgeContext, useBridge, useSay, useWatched } from './context.ts';
import { SignInScreen } from './features/auth/sign-in-screen.tsx';
import { OtherServers } from './features/program/other-servers.tsx';
import { preferences, showPreferences } from './preferences.ts';
import { putStyles } from './styles.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { keepFocus } from './ui/keep-focus.ts';
import { EmptyState, Loading } from './ui/states.tsx';

/** Loaded after sign-in. */
const Shell = lazy(async () => ({ default: (await import('./shell.tsx')).Shell }));

function Whole() {
  const { session } = useBridge();
  const say = useSay();
  const state = useWatched(session.state);
  useEffect(() => {
    if (state.kind === 'signed-in') return;
    document.title = 'RecordProof';
  }, [state.kind]);
  switch (state.kind) {
    case 'restoring':
      return <Loading />;
    case 'signed-out':
      return <SignInScreen ended={state.ended} />;
    case 'unreachable':
      return (
        <main className="sign-in">
          <EmptyState icon="alert" title={say.unreachable} text={say.unreachableText}>
            <button type="button" onClick={() => session.restore()}>
              {say.again}
            </button>
          </EmptyState>
          <OtherServers />
        </main>
      );
    case 'signed-in':
      return (
        <Suspense fallback={<Loading />}>
          <Shell key={state.account.externalId} />
        </Suspense>
      );
  }
}

/** Notifications and the tray use the language of the window. */
function syncLanguage({ shell }: Bridge): void {
  const sync = () => {
    const { language } = preferences.get();
    if (shell && shell.settings.get().language !== language)
      void shell.changeSettings({ language }).catch(() => undefined);
  };
  sync();
  preferences.watch(sync);
}

export function mountApp(bridge: Bridge): void {
  putStyles();
  showPreferences();
  syncLanguage(bridge);
  const place = document.getElementById('app');
  if (!place) throw new Error('the page has no place for the app');
  keepFocus(place);
  createRoot(place).render(
    <BridgeContext value={bridge}>
      <ErrorBoundary>
        <Whole />
      </ErrorBoundary>
    </BridgeContext>,
  );
}
