// The client with a session. It finds the token of profile and server, renews it when less than a quarter of its life is
// left, and asks to sign in again once it has expired. A token from the environment is used as it is.
import { apiTokenPrefix, isApiTokenText } from '@recordproof/shared/api/api-token-text.ts';
import { refreshToken } from '@recordproof/shared/api/auth.ts';
import { type Client, TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import type { OnWait } from '@recordproof/shared/transfer/wait.ts';
import { CommandError } from './command-error.ts';
import { defaultProfile } from './config-file.ts';
import { findSession, replaceSession, type SavedSession, type SessionKey } from './credentials-file.ts';
import type { Paths } from './folders.ts';
import { openServerClient } from './server-client.ts';
import { defaultServer } from './server-url.ts';
import { variables } from './settings.ts';

type SessionOptions = {
  readonly paths: Paths;
  readonly key: SessionKey;
  readonly network: Network;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly environmentToken: string | undefined;
  readonly onWait: OnWait;
  /** Gives a factor for an act that needs a fresh one; prompts for it. */
  readonly giveFactor: (client: Pick<Client, 'call'>, factors: readonly string[]) => Promise<unknown>;
};

const logIn = ({ profile, server }: SessionKey): string =>
  [
    'recordproof login',
    ...(profile === defaultProfile ? [] : [`--profile ${profile}`]),
    ...(server === defaultServer ? [] : [`--server ${server}`]),
  ].join(' ');

const notLoggedIn = (key: SessionKey): CommandError =>
  new CommandError('denied', `you are not signed in to ${key.server} with profile "${key.profile}"`, {
    try: logIn(key),
  });

const sessionOver = (key: SessionKey, cause?: unknown): CommandError =>
  new CommandError('denied', `your session at ${key.server} has expired or ended`, {
    try: `sign in again: ${logIn(key)}`,
    cause,
  });

const lifeLeft = (session: SavedSession): number => Date.parse(session.expiresAt) - Date.now();
const isOver = (session: SavedSession): boolean => lifeLeft(session) <= 0;
const isYoung = (session: SavedSession): boolean =>
  lifeLeft(session) * 4 > Date.parse(session.expiresAt) - Date.parse(session.issuedAt);

export function toSavedSession(
  key: SessionKey,
  username: string,
  answer: { token: string; expiresIn: number },
): SavedSession {
  const now = Date.now();
  return {
    ...key,
    username,
    token: answer.token,
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + answer.expiresIn * 1000).toISOString(),
  };
}

const isRejected = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 401;

export type Session = Client & {
  /** For the bulk requests that do not pass the typed client. Renewed like that of any call. */
  token(): Promise<string>;
};

/** The session that was saved at the login, and its renewals. */
function openSavedToken({ paths, key, ...sending }: Omit<SessionOptions, 'environmentToken' | 'giveFactor'>) {
  const sender = { baseUrl: key.server, ...sending };

  /** An address with a path may have been copied from the browser: signing in would not help. */
  async function rejectForeign(): Promise<void> {
    if (new URL(key.server).pathname === '/') return;
    await openServerClient(sender)
      .call(getLiveness)
      .catch(error => {
        if (error instanceof TransportError && error.failure === 'not-recordproof') throw error;
      });
  }

  /**
   * Runs under the lock of all runs; any failure other than a rejected token keeps the old token, which is still valid.
   */
  async function swap(current: SavedSession | undefined): Promise<SavedSession> {
    if (!current) throw notLoggedIn(key);
    if (isOver(current)) throw sessionOver(key);
    if (isYoung(current)) return current;
    try {
      const answer = await openServerClient({ ...sender, token: async () => current.token }).call(refreshToken);
      return toSavedSession(key, current.username, answer);
    } catch (error) {
      if (isRejected(error)) throw sessionOver(key, error);
      return current;
    }
  }

  return async function find(): Promise<string> {
    const saved = await findSession(paths, key);
    if (!saved) {
      await rejectForeign();
      throw notLoggedIn(key);
    }
    if (isOver(saved)) throw sessionOver(key);
    if (isYoung(saved)) return saved.token;
    return (await replaceSession(paths, key, swap))?.token ?? saved.token;
  };
}

const toReason = (cause: unknown): string => (isRejected(cause) && cause.message !== '' ? `: ${cause.message}` : '');

/** A typing error is reported without a request to the server. */
function rejectMistyped(token: string | undefined): void {
  if (token?.startsWith(apiTokenPrefix) && !isApiTokenText(token))
    throw new CommandError('denied', `the API token in ${variables.token} is not complete or has a typing error`, {
      try: `copy the whole token into ${variables.token}`,
    });
}

const environmentTokenRejected = (key: SessionKey, cause: unknown): CommandError =>
  new CommandError('denied', `${key.server} does not accept the token in ${variables.token}${toReason(cause)}`, {
    try: `set ${variables.token} to a live token, or unset it and sign in`,
    cause,
  });

const isStale = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'STEP_UP_REQUIRED';

/** The proof of a fresh factor. */
const factorsOf = ({ detail }: ApiError): string[] =>
  Array.isArray(detail?.factors) ? detail.factors.filter(one => typeof one === 'string') : ['password'];

export function openSession({ environmentToken, giveFactor, ...options }: SessionOptions): Session {
  const { paths: _, key, ...sending } = options;
  rejectMistyped(environmentToken);
  const findToken = openSavedToken(options);
  let lastToken: string | undefined;
  const token = async (): Promise<string> => {
    lastToken = environmentToken ?? (await findToken());
    return lastToken;
  };
  const client = openServerClient({ baseUrl: key.server, ...sending, token });

  /** Another run may have renewed the token during our call: then the call is retried. */
  async function send(...input: Parameters<Client['call']>): Promise<unknown> {
    try {
      return await client.call(...input);
    } catch (error) {
      if (!isRejected(error)) throw error;
      if (environmentToken !== undefined) throw environmentTokenRejected(key, error);
      const used = lastToken;
      if ((await findToken()) === used) throw sessionOver(key, error);
      return client.call(...input);
    }
  }

  /** Where a fresh factor is needed, it is prompted for, and the call is repeated. */
  async function call(...input: Parameters<Client['call']>): Promise<unknown> {
    try {
      return await send(...input);
    } catch (error) {
      if (!isStale(error)) throw error;
      await giveFactor({ call: send } as Pick<Client, 'call'>, factorsOf(error));
      return send(...input);
    }
  }

  return { open: client.open, call, token } as Session;
}
