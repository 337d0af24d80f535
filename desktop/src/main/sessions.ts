// Sessions of the saved accounts in the desktop program: one state machine per account, with its token in the vault.
import { logout, refreshToken } from '@recordproof/shared/api/auth.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { SignInRejected, signInByLoopback, stepUpByLoopback } from '@recordproof/shared/node/loopback-sign-in.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { openRetryingClient } from '@recordproof/shared/transfer/wait.ts';
import type { SessionState } from '../bridge/bridge.ts';
import { openSession, type Session } from '../engine/session.ts';
import type { TokenStorage } from '../engine/session-ports.ts';
import type { Requests } from '../ipc/table.ts';
import type { Servers } from './servers.ts';
import type { Vault } from './vault.ts';

/** Without an id: of the account that is current when it is called. */
export type Sessions = {
  state(): SessionState;
  readonly client: Client;
  readonly requests: Requests['session'];
  find(account: string): Promise<string | undefined>;
  hasToken(account: string): boolean;
  forget(account: string): Promise<void>;
};

type Parts = {
  readonly network: Network;
  readonly servers: Servers;
  readonly vault: Vault;
  readonly userAgent: string;
  readonly language: () => string;
  readonly openInBrowser: (url: string) => unknown;
  readonly onChange: (account: string, state: SessionState) => void;
};

const toStorage = (vault: Vault, account: string): TokenStorage => {
  const replace: TokenStorage['replace'] = async token => {
    if (vault.find(account)) await vault.keep(account, token);
  };
  return {
    find: () => vault.find(account),
    replace,
    async keep(token, stay) {
      if (stay === undefined) await replace(token);
      else if (stay && vault.canKeep) await vault.keep(account, token);
      else await vault.forget(account);
    },
    forget: () => vault.forget(account),
  };
};

const longestSignInMs = 10 * 60_000;

/** In the browser of the system; a page that was closed ends the wait after ten minutes. */
async function inBrowser<T>(
  open: Parts['openInBrowser'],
  signIn: (waiting: { readonly open: Parts['openInBrowser']; readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  try {
    return await signIn({ open, signal: AbortSignal.timeout(longestSignInMs) });
  } catch (error) {
    if (!(error instanceof SignInRejected)) throw error;
    throw new ApiError('FORBIDDEN', error.message, { detail: { problem: error.problem } });
  }
}

function openAccount(parts: Parts, account: string): Session {
  const { network, servers, vault, userAgent, language, openInBrowser, onChange } = parts;
  const baseUrl = servers.find(account)?.url ?? servers.current().url;
  const session = openSession({
    openClient: token =>
      openRetryingClient(openClient({ baseUrl, fetch: network.fetch, token, userAgent, language }), {
        clock: systemClock,
      }),
    renew: client => client.call(refreshToken),
    renewsBy: 'token',
    renewBeforeMs: ({ issuedAt, expiresAt }) => (expiresAt - issuedAt) / 4,
    async logOut(client, body) {
      // Without the server the session ends there by itself; here it ends now.
      await client.call(logout, { body }).catch(error => {
        if (body.everywhere) throw error;
      });
    },
    signInThrough: (client, { provider }) =>
      inBrowser(openInBrowser, waiting => signInByLoopback(client, { provider, ...waiting })),
    stepUpThroughProvider: async client => {
      await inBrowser(openInBrowser, waiting => stepUpByLoopback(client, waiting));
    },
    announceEnd: () => undefined,
    storage: toStorage(vault, account),
    clock: { now: Date.now },
    identify: ({ username }) => servers.name(account, username),
  });
  session.state.watch(() => onChange(account, session.state.get()));
  return session;
}

export function openSessions(parts: Parts): Sessions {
  const sessions = new Map<string, Session>();
  const of = (account: string): Session => {
    const session = sessions.get(account) ?? openAccount(parts, account);
    sessions.set(account, session);
    return session;
  };
  const current = () => of(parts.servers.current().id);
  return {
    state: () => current().state.get(),
    client: {
      call: (...input) => current().client.call(...input),
      open: (...input) => current().client.open(...input),
    },
    requests: {
      signIn: input => current().requests.signIn(input),
      giveFactor: input => current().requests.giveFactor(input),
      signInWithPasskey: input => current().requests.signInWithPasskey(input),
      enrol: input => current().requests.enrol(input),
      finishSignIn: input => current().requests.finishSignIn(input),
      signInThrough: input => current().requests.signInThrough(input),
      stepUpThroughProvider: () => current().requests.stepUpThroughProvider(),
      signInByLink: input => current().requests.signInByLink(input),
      signOut: input => current().requests.signOut(input),
      restore: () => current().requests.restore(),
      reload: () => current().requests.reload(),
      changePassword: input => current().requests.changePassword(input),
    },
    find: account => of(account).find(),
    hasToken: account => of(account).hasToken(),
    async forget(account) {
      await of(account).end(false);
      sessions.delete(account);
    },
  };
}
