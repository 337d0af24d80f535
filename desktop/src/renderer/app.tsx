// Root of the app: the sign-in screen, or the shell of the signed-in person.
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import type { Bridge } from '../bridge/bridge.ts';
import { BridgeContext, useBridge, useTexts, useWatched } from './context.ts';
import { StepUp } from './features/factors/step-up.tsx';
import { OtherServers } from './features/program/other-servers.tsx';
import { preferences, showPreferences } from './preferences.ts';
import { useRoute } from './router.ts';
import { Shell } from './shell.tsx';
import { putStyles } from './styles.ts';
import { Button } from './ui/button.tsx';
import { forgetDrafts } from './ui/drafts.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { keepFocus } from './ui/keep-focus.ts';
import { lazyPart } from './ui/lazy.tsx';
import { EmptyState, Loading } from './ui/states.tsx';

/** Most visits continue a session, and need neither. */
const loadLinkScreens = () => import('./features/single-sign-on/link-screens.tsx');
const DeviceScreen = lazyPart(async () => (await loadLinkScreens()).DeviceScreen, <Loading />);
const SignedInAgain = lazyPart(async () => (await loadLinkScreens()).SignedInAgain, <Loading />);
const SignInScreen = lazyPart(
  async () => (await import('./features/auth/sign-in-screen.tsx')).SignInScreen,
  <Loading />,
);

function Whole() {
  const { session, shell } = useBridge();
  const texts = useTexts();
  const { path } = useRoute();
  const state = useWatched(session.state);
  useEffect(() => {
    if (state.kind === 'signed-in') return;
    document.title = 'RecordProof';
  }, [state.kind]);
  useEffect(() => {
    if (state.kind === 'signed-out' && !state.ended) forgetDrafts();
  }, [state]);
  // For a program elsewhere: it does not concern the signed-in user.
  if (path === 'device' && shell === null) return <DeviceScreen />;
  if (path === 'signed-in-again' && shell === null) return <SignedInAgain />;
  switch (state.kind) {
    case 'restoring':
      return <Loading />;
    case 'signed-out':
      return <SignInScreen ended={state.ended} />;
    case 'unreachable':
      return (
        <main className="sign-in">
          <EmptyState icon="alert" title={texts.unreachable} text={texts.unreachableText}>
            <Button label={texts.again} onClick={() => session.restore()} />
          </EmptyState>
          <OtherServers />
        </main>
      );
    case 'signed-in':
      return (
        <StepUp key={state.account.externalId}>
          <Shell />
        </StepUp>
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
  const root = document.getElementById('app');
  if (!root) throw new Error('the page has no element with the id app');
  keepFocus(root);
  createRoot(root).render(
    <BridgeContext value={bridge}>
      <ErrorBoundary>
        <Whole />
      </ErrorBoundary>
    </BridgeContext>,
  );
}
