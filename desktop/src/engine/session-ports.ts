// Interfaces that the session calls: server client, token storage, clock and sign-in. The browser and the desktop program
// implement them.
import type { Profile } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import type { SessionBridge } from '../bridge/bridge.ts';

export type IssuedToken = { readonly token: string; readonly expiresIn: number };
/** Times are those of the clock of the ports. */
export type Token = { readonly token: string; readonly issuedAt: number; readonly expiresAt: number };

type FindToken = () => string | undefined | Promise<string | undefined>;

export type SessionPorts = {
  openClient(token: FindToken): Client;
  /** Rejects with a 401 where the session is over. */
  renew(client: Client): Promise<IssuedToken>;
  /**
   * The desktop renews by the token itself. A browser renews by a cookie: also a token that has expired or was
   * rejected, and perhaps as another person, who has signed in in another tab.
   */
  readonly renewsBy: 'token' | 'cookie';
  renewBeforeMs(token: Token): number;
  logOut(client: Client, options: { readonly everywhere: boolean }): Promise<void>;
  /** Undefined if the page navigates to the provider, and returns signed in. */
  signInThrough(client: Client, input: ProviderSignIn): Promise<IssuedToken | undefined>;
  /** Resolves once the person has signed in there again. */
  stepUpThroughProvider(client: Client): Promise<void>;
  /** Tells the other tabs. */
  announceEnd(): void;
  readonly storage: TokenStorage;
  readonly clock: { now(): number };
  /** Called before the session is shown as signed in. */
  identify(profile: Profile): Promise<void>;
};

type ProviderSignIn = Parameters<SessionBridge['signInThrough']>[0];

/** Survives the tab or the program. `forget` takes effect at once; its promise is for durability. */
export type TokenStorage = {
  find(): Token | undefined;
  /** `stay` is undefined where it is unknown: then as before. */
  keep(token: Token, stay: boolean | undefined): Promise<void>;
  replace(token: Token): Promise<void>;
  forget(): Promise<void>;
};
