// Session of a browser tab. The token is in memory only; a cookie that no script can read survives a reload
// (docs/decisions/0151-a-browser-session-is-a-cookie.md). Tabs tell each other when a person signs out.
import { appHeader, forgetSession, keepSession, logout, resumeSession } from '@recordproof/shared/api/auth.ts';
import { type Client, type Fetch, openClient } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  returnPath,
  signOutAtProvider,
  startProviderStepUp,
  startSignIn,
} from '@recordproof/shared/api/single-sign-on.ts';
import { openSession, type Session } from '../../engine/session.ts';
import { listenForStepUp } from '../step-up-channel.ts';

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
    stepUpThroughProvider: stepUpInPopUp,
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

/**
 * Sign-in at the provider again, in a page of its own, so that the current screen stays. That page returns to this
 * server and sends the result to the waiting page.
 */
async function stepUpInPopUp(client: Client): Promise<void> {
  const page = window.open('about:blank'); // before any await: browsers open windows only during a user gesture
  if (page === null) {
    const blocked = 'the browser blocked the sign-in window: allow pop-ups, then try again';
    throw new ApiError('FORBIDDEN', blocked, { detail: { problem: 'pop-up-blocked' } });
  }
  const { finished, stop } = listenForStepUp();
  try {
    const { url } = await client.call(startProviderStepUp, { body: {}, ...fromApp });
    page.location.assign(url);
    const problem = await finished;
    if (problem !== null) throw new ApiError('FORBIDDEN', undefined, { detail: { problem } });
  } catch (error) {
    page.close();
    throw error;
  } finally {
    stop();
  }
}
