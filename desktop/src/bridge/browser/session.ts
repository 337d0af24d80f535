// Owns who is signed in. The token stands in memory alone; what survives a reload is a cookie that no script can read
// (docs/decisions/0151-a-browser-session-is-a-cookie.md). Windows of one browser tell each other when a session ends.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import {
  appHeader,
  forgetSession,
  keepSession,
  login,
  logout,
  me,
  type Profile,
  resumeSession,
} from '@recordproof/shared/api/auth.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Account, SessionBridge, SessionState } from '../bridge.ts';
import { openWatched } from '../watched.ts';

type Token = { readonly text: string; readonly expiresAt: number };

export type BrowserSession = {
  readonly bridge: SessionBridge;
  readonly client: Client;
  /** One that is good for a while yet; asks for a new one where that is needed. */
  token(): Promise<string | undefined>;
};

/** Asked for before the old one ends, so that no call meets an ended one. */
const renewBeforeMs = 60_000;
const fromApp = { headers: { [appHeader]: 'browser' } };
const channelName = 'recordproof-session';

const toAccount = ({ externalId, username, nickname, email, role, permissions }: Profile): Account => ({
  externalId,
  username,
  nickname,
  email,
  role,
  permissions,
});

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export function openSession(baseUrl: string): BrowserSession {
  const state = openWatched<SessionState>({ kind: 'restoring' });
  const channel = new BroadcastChannel(channelName);
  let token: Token | undefined;
  let renewing: Promise<Token | undefined> | undefined;
  /** Whether the next window finds it: `undefined` until that is known. */
  let stay: boolean | undefined;

  const bare = openClient({ baseUrl, token: () => token?.text });
  const client = openClient({ baseUrl, token: () => findToken() });

  function end(ended: boolean): void {
    token = undefined;
    if (state.get().kind !== 'signed-out') state.set({ kind: 'signed-out', ended });
  }
  channel.onmessage = () => end(true);

  const take = (session: { readonly token: string; readonly expiresIn: number }): Token => {
    token = { text: session.token, expiresAt: performance.now() + session.expiresIn * 1000 };
    return token;
  };

  /** Another person may have signed in in another window: what this one shows and does stays with who signed in here. */
  async function isOfAnother(resumed: string): Promise<boolean> {
    const now = state.get();
    if (now.kind !== 'signed-in') return false;
    const { externalId } = await openClient({ baseUrl, token: () => resumed }).call(me);
    return externalId !== now.account.externalId;
  }

  async function resume(): Promise<Token | undefined> {
    try {
      const resumed = await bare.call(resumeSession, fromApp);
      return (await isOfAnother(resumed.token)) ? undefined : take(resumed);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  /** Two that ask at once get the answer to one question. Undefined where the session is over. */
  function renew(): Promise<Token | undefined> {
    renewing ??= resume().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function findToken(): Promise<string | undefined> {
    if (token && token.expiresAt - renewBeforeMs > performance.now()) return token.text;
    if (state.get().kind !== 'signed-in') return token?.text;
    const renewed = await renew();
    if (!renewed) end(true);
    return renewed?.text;
  }

  async function show(): Promise<void> {
    const account = toAccount(await bare.call(me));
    state.set({ kind: 'signed-in', account });
  }

  async function restore(): Promise<void> {
    state.set({ kind: 'restoring' });
    try {
      if (await renew()) await show();
      else end(false);
    } catch (error) {
      if (isRefusal(error)) end(false);
      else state.set({ kind: 'unreachable' });
    }
  }

  const keep = (): Promise<unknown> => bare.call(keepSession, { body: { stay: stay ?? true } });

  const bridge: SessionBridge = {
    state,
    serverUrl: () => baseUrl,
    restore,
    reload: show,
    async signIn(wish) {
      take(await bare.call(login, { body: { username: wish.username, password: wish.password } }));
      stay = wish.stay;
      await keep();
      await show();
    },
    async signOut({ everywhere }) {
      await bare.call(logout, { body: { everywhere } });
      await bare.call(forgetSession, fromApp);
      channel.postMessage('ended');
      end(false);
    },
    async changePassword(wish) {
      take(await client.call(changePassword, { body: wish }));
      await keep();
    },
  };
  return {
    bridge,
    client: {
      call: (endpoint, ...input) => withSession(endpoint, () => client.call(endpoint, ...input)),
      open: (endpoint, ...input) => withSession(endpoint, () => client.open(endpoint, ...input)),
    },
    token: findToken,
  };

  /** A session that the server has ended shows at the first call or stream that it refuses. */
  async function withSession<T>(
    { access, name }: { readonly access: string; readonly name: string },
    ask: () => Promise<T>,
  ): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const isOver = isRefusal(error) && access !== 'anonymous' && name !== changePassword.name;
      if (!isOver || state.get().kind !== 'signed-in') throw error;
      if (!(await renew())) {
        end(true);
        throw error;
      }
      return ask();
    }
  }
}
