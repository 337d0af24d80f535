// Session of a browser tab. The token is in memory only; a cookie that no script can read survives a reload
// (docs/decisions/0151-a-browser-session-is-a-cookie.md). Tabs tell each other when a person signs out.
import { appHeader, forgetSession, keepSession, logout, resumeSession } from '@recordproof/shared/api/auth.ts';
import { type Fetch, openClient } from '@recordproof/shared/api/client.ts';
import { returnPath, signOutAtProvider, startSignIn } from '@recordproof/shared/api/single-sign-on.ts';
import { openSession, type Session } from '../../engine/session.ts';
import { stepUpInPopUp } from './step-up.ts';

const fromApp = { headers: { [appHeader]: 'browser' } };

export function openBrowserSession(baseUrl: string, fetch: Fetch): Session {
  const channel = new BroadcastChannel('recordproof-session');
  const session = openSession({
    openClient: token => openClient({ baseUrl, token, fetch, language: () => document.documentElement.lang }),
    renew: client => client.call(resumeSession, fromApp),
    renewsBy: 'cookie',
    renewBeforeMs: () => 60_000,
    async logOut(client, body) {
      const { url } = await client.call(signOutAtProvider).catch(() => ({ url: null }));
      await client.call(logout, { body });
      await client.call(forgetSession, fromApp);
      if (url !== null) location.assign(url);
    },
    async signInThrough(client, { provider, stay, returnTo }) {
      const body = { stay, returnTo: returnPath.safeParse(returnTo).data ?? '' };
      const { url } = await client.call(startSignIn, { params: { provider }, body, ...fromApp });
      location.assign(url);
      return undefined;
    },
    stepUpThroughProvider: client => stepUpInPopUp(client),
    announceEnd: () => channel.postMessage('ended'),
    storage: {
      find: () => undefined,
      async keep({ token }, stay = true) {
        await openClient({ baseUrl, token: () => token }).call(keepSession, { body: { stay } });
      },
      replace: async () => undefined,
      forget: async () => undefined,
    },
    clock: performance,
    identify: async () => undefined,
  });
  channel.onmessage = () => void session.end(true);
  return session;
}
