// The login of each account that is kept: in memory, and in the vault where people wished to stay. Swapped for a new one
// when less than a quarter of its life is left, once however many ask.
import { refreshToken } from '@recordproof/shared/api/auth.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import type { Servers } from './servers.ts';
import type { KeptToken, Vault } from './vault.ts';

type Session = { readonly token: string; readonly expiresIn: number };

export type Tokens = {
  /** Undefined where nobody is signed in, or not any more. */
  find(id: string): Promise<string | undefined>;
  /** Whether somebody is signed in there, as far as it is known here. */
  has(id: string): boolean;
  take(id: string, session: Session, wish: { readonly stay: boolean }): Promise<void>;
  /** Of an account that stays: the same place as before. */
  renew(id: string, session: Session): Promise<void>;
  forget(id: string): Promise<void>;
};

type Parts = {
  readonly network: Network;
  readonly servers: Servers;
  readonly vault: Vault;
  readonly userAgent: string;
};

const toKept = ({ token, expiresIn }: Session): KeptToken => {
  const issuedAt = Date.now();
  return { token, issuedAt, expiresAt: issuedAt + expiresIn * 1000 };
};
const isOver = ({ expiresAt }: KeptToken): boolean => expiresAt <= Date.now();
const isYoung = ({ issuedAt, expiresAt }: KeptToken): boolean => (expiresAt - Date.now()) * 4 > expiresAt - issuedAt;

export function openTokens({ network, servers, vault, userAgent }: Parts): Tokens {
  const inMemory = new Map<string, KeptToken>();
  const swapping = new Map<string, Promise<string | undefined>>();

  /** The keyring is asked once. */
  function look(id: string): KeptToken | undefined {
    const known = inMemory.get(id) ?? vault.find(id);
    if (known) inMemory.set(id, known);
    return known;
  }

  async function forget(id: string): Promise<void> {
    inMemory.delete(id);
    await vault.forget(id);
  }

  async function renew(id: string, session: Session): Promise<void> {
    const kept = toKept(session);
    inMemory.set(id, kept);
    if (vault.find(id)) await vault.keep(id, kept);
  }

  /** Any other failure than a refusal leaves the old one, which still lives. */
  async function swap(id: string, current: KeptToken): Promise<string | undefined> {
    const baseUrl = servers.find(id)?.url;
    if (baseUrl === undefined) return undefined;
    const client: Client = openClient({ baseUrl, fetch: network.fetch, token: () => current.token, userAgent });
    try {
      await renew(id, await client.call(refreshToken));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return current.token;
      await forget(id);
    }
    return look(id)?.token;
  }

  return {
    async find(id) {
      const current = look(id);
      if (!current || isOver(current)) return undefined;
      if (isYoung(current)) return current.token;
      const running = swapping.get(id) ?? swap(id, current).finally(() => swapping.delete(id));
      swapping.set(id, running);
      return running;
    },
    has(id) {
      const current = look(id);
      return current !== undefined && !isOver(current);
    },
    async take(id, session, { stay }) {
      const kept = toKept(session);
      inMemory.set(id, kept);
      if (stay && vault.canKeep) await vault.keep(id, kept);
      else await vault.forget(id);
    },
    renew,
    forget,
  };
}
