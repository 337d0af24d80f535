// Who is signed in at the server that is spoken to.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import { login, logout, me, type Profile } from '@recordproof/shared/api/auth.ts';
import { type Client, openClient, TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { openPatientClient } from '@recordproof/shared/transfer/wait.ts';
import type { Account, SessionState } from '../bridge/bridge.ts';
import type { Servers } from './servers.ts';
import type { Tokens } from './tokens.ts';

export type SessionPart = {
  state(): SessionState;
  /** Of the server that is spoken to, with its token. */
  readonly client: Client;
  signIn(wish: { readonly username: string; readonly password: string; readonly stay: boolean }): Promise<void>;
  signOut(wish: { readonly everywhere: boolean }): Promise<void>;
  restore(): Promise<void>;
  reload(): Promise<void>;
  changePassword(wish: { readonly oldPassword: string; readonly newPassword: string }): Promise<void>;
};

type Parts = {
  readonly network: Network;
  readonly servers: Servers;
  readonly tokens: Tokens;
  readonly userAgent: string;
  readonly onChange: (state: SessionState) => void;
};

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

const isAway = (error: unknown): boolean =>
  error instanceof TransportError || (error instanceof ApiError && (error.status >= 500 || error.status === 429));

const toAccount = ({ externalId, username, nickname, email, role, permissions }: Profile): Account => ({
  externalId,
  username,
  nickname,
  email,
  role,
  permissions,
});

export function openSession({ network, servers, tokens, userAgent, onChange }: Parts): SessionPart {
  let state: SessionState = { kind: 'restoring' };
  /** What is learned of an account is shown only while it is the one that is spoken to. */
  const become = (id: string, next: SessionState): void => {
    if (servers.current().id !== id) return;
    state = next;
    onChange(next);
  };
  /** Of the account that is current when it is called, whoever is when it answers. */
  const clientOf = (id: string): Client => {
    const baseUrl = servers.find(id)?.url ?? servers.current().url;
    const client = openClient({ baseUrl, fetch: network.fetch, token: () => tokens.find(id), userAgent });
    return openPatientClient(client, { clock: systemClock });
  };

  async function end(id: string): Promise<void> {
    await tokens.forget(id);
    become(id, { kind: 'signed-out', ended: true });
  }

  /** A refusal ends the session, unless another token was made meanwhile: then it is worth a second try. */
  async function watch<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { id } = servers.current();
    const before = await tokens.find(id);
    try {
      return await work(clientOf(id));
    } catch (error) {
      if (!isRefused(error) || before === undefined) throw error;
      const now = await tokens.find(id);
      if (now !== undefined && now !== before) return work(clientOf(id));
      await end(id);
      throw error;
    }
  }

  const client = {
    call: (...input: Parameters<Client['call']>) => watch(of => of.call(...input)),
    open: (...input: Parameters<Client['open']>) => watch(of => of.open(...input)),
  } as Client;

  async function greet(id: string, through: Pick<Client, 'call'> = clientOf(id)): Promise<void> {
    const profile = await through.call(me);
    await servers.name(id, profile.username);
    become(id, { kind: 'signed-in', account: toAccount(profile) });
  }

  return {
    state: () => state,
    client,
    async signIn({ username, password, stay }) {
      const { id, url } = servers.current();
      const session = await clientOf(id).call(login, { body: { username, password } });
      const fresh = openClient({ baseUrl: url, fetch: network.fetch, token: () => session.token, userAgent });
      const profile = await fresh.call(me);
      // Whose place it is, before the login is there: what another person has left must not go on with it.
      await servers.name(id, profile.username);
      await tokens.take(id, session, { stay });
      become(id, { kind: 'signed-in', account: toAccount(profile) });
    },
    async signOut({ everywhere }) {
      const { id } = servers.current();
      // Where the server is away its session ends by itself; here it ends now.
      await clientOf(id)
        .call(logout, { body: { everywhere } })
        .catch(error => {
          if (everywhere) throw error;
        });
      await tokens.forget(id);
      become(id, { kind: 'signed-out', ended: false });
    },
    async restore() {
      const { id } = servers.current();
      become(id, { kind: 'restoring' });
      if ((await tokens.find(id)) === undefined) return become(id, { kind: 'signed-out', ended: false });
      try {
        await greet(id);
      } catch (error) {
        if (isRefused(error)) await end(id);
        else if (isAway(error)) become(id, { kind: 'unreachable' });
        else throw error;
      }
    },
    reload: () => greet(servers.current().id, client),
    async changePassword(body) {
      const { id } = servers.current();
      await tokens.renew(id, await client.call(changePassword, { body }));
    },
  };
}
