// Session of one account at one server: its token, the person who is signed in, and what a 401 means. A state machine
// over ports, which are all that differs between a browser tab and the desktop program. An answer that arrives after
// the session has ended, or after another sign-in, changes nothing.
import { changePassword } from '@recordproof/shared/api/accounts.ts';
import { appHeader, login, me, type Profile } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { giveSecondFactor } from '@recordproof/shared/api/factors.ts';
import { completeEnrolment } from '@recordproof/shared/api/one-time-codes.ts';
import { completePasskeyEnrolment, signInWithPasskey } from '@recordproof/shared/api/passkeys.ts';
import { useSignInLink } from '@recordproof/shared/api/single-sign-on.ts';
import type { Account, SessionBridge, SessionState, Watched } from '../bridge/bridge.ts';
import { openWatched } from '../bridge/watched.ts';
import type { IssuedToken, SessionPorts, Token } from './session-ports.ts';

export type Session = {
  readonly state: Watched<SessionState>;
  /** Repeats a call once with a new token after a 401; ends the session where there is none. */
  readonly client: Client;
  /** A token that is valid for a while; undefined without a signed-in user. */
  find(): Promise<string | undefined>;
  hasToken(): boolean;
  /** Ends it here, without a call to the server. `ended`: not by the person, or in another tab. */
  end(ended: boolean): Promise<void>;
  readonly requests: Omit<SessionBridge, 'state' | 'serverUrl'>;
};

/** A 401 about the token. One about a password that was typed does not concern the session. */
const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.kind !== 'USER_LOGIN_ERROR';

const toAccount = ({ externalId, username, signInName, nickname, email, role, permissions }: Profile): Account => ({
  ...{ externalId, username, nickname },
  ...(signInName !== undefined && { signInName }),
  ...{ email, role, permissions },
});

export const openSession = (ports: SessionPorts): Session => new SessionMachine(ports);

class SessionMachine implements Session {
  readonly state = openWatched<SessionState>({ kind: 'restoring' });
  readonly #ports: SessionPorts;
  readonly #client: Client;
  #token: Token | undefined;
  #stay: boolean | undefined;
  #renewing: Promise<Token | undefined> | undefined;
  /** Of an enrolment whose recovery codes are being shown. */
  #enrolled: IssuedToken | undefined;
  /** Counts sign-ins and ends. */
  #epoch = 0;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#client = ports.openClient(this.find);
  }

  readonly client: Client = {
    call: (endpoint, ...input) => this.#attempt(endpoint, client => client.call(endpoint, ...input)),
    open: (endpoint, ...input) => this.#attempt(endpoint, client => client.open(endpoint, ...input)),
  };

  find = async (): Promise<string | undefined> => {
    const found = this.#current();
    if (!found || this.#isFresh(found)) return found?.token;
    if (this.#hasExpired(found) && this.#ports.renewsBy === 'token') return undefined;
    try {
      return (await this.#renew())?.token;
    } catch (error) {
      const current = this.#current();
      if (!current || this.#hasExpired(current)) throw error;
      return current.token;
    }
  };

  hasToken(): boolean {
    const current = this.#current();
    return current !== undefined && !this.#hasExpired(current);
  }

  async end(ended: boolean): Promise<void> {
    this.#epoch += 1;
    this.#token = undefined;
    const forgotten = this.#ports.storage.forget();
    if (this.state.get().kind !== 'signed-out') this.state.set({ kind: 'signed-out', ended });
    await forgotten;
  }

  readonly requests: Session['requests'] = {
    restore: () => this.#restore(),
    reload: async () => {
      const epoch = this.#epoch;
      await this.#show(epoch, await this.client.call(me));
    },
    signIn: async ({ stay, ...body }) => {
      await this.#enter(await this.#client.call(login, { body }), stay);
    },
    giveFactor: async ({ stay, ...body }) => {
      await this.#enter(await this.#client.call(giveSecondFactor, { body }), stay);
    },
    signInWithPasskey: async ({ stay, ...body }) => {
      await this.#enter(await this.#client.call(signInWithPasskey, { body }), stay);
    },
    enrol: async body => {
      const { recoveryCodes, ...issued } =
        'code' in body
          ? await this.#client.call(completeEnrolment, { body })
          : await this.#client.call(completePasskeyEnrolment, { body });
      this.#enrolled = issued;
      return { recoveryCodes };
    },
    finishSignIn: async ({ stay }) => {
      const issued = this.#enrolled;
      this.#enrolled = undefined;
      if (issued) await this.#enter(issued, stay);
    },
    signInThrough: async input => {
      const issued = await this.#ports.signInThrough(this.#client, input);
      if (issued) await this.#enter(issued, input.stay);
    },
    stepUpThroughProvider: () => this.#ports.stepUpThroughProvider(this.client),
    signInByLink: async body => {
      await this.#enter(await this.#client.call(useSignInLink, { body, headers: { [appHeader]: 'app' } }), false);
    },
    signOut: async options => {
      const epoch = this.#epoch;
      await this.#ports.logOut(this.#client, options);
      this.#ports.announceEnd();
      if (epoch === this.#epoch) await this.end(false);
      else if (this.state.get().kind === 'signed-out') this.state.set({ kind: 'signed-out', ended: false });
    },
    changePassword: async body => {
      const epoch = this.#epoch;
      const issued = await this.client.call(changePassword, { body });
      if (epoch !== this.#epoch) return;
      this.#token = this.#toToken(issued);
      await this.#ports.storage.keep(this.#token, this.#stay);
    },
  };

  async #enter(issued: IssuedToken, stay: boolean): Promise<void> {
    const profile = await this.#clientWith(issued.token).call(me);
    await this.#ports.identify(profile);
    this.#epoch += 1;
    const epoch = this.#epoch;
    this.#token = this.#toToken(issued);
    this.#stay = stay;
    await this.#keep(this.#token);
    if (epoch === this.#epoch) this.state.set({ kind: 'signed-in', account: toAccount(profile) });
  }

  #current = (): Token | undefined => {
    this.#token ??= this.#ports.storage.find();
    return this.#token;
  };
  #hasExpired = ({ expiresAt }: Token): boolean => expiresAt <= this.#ports.clock.now();
  #isFresh = (token: Token): boolean => token.expiresAt - this.#ports.renewBeforeMs(token) > this.#ports.clock.now();
  #clientWith = (token: string | undefined): Client => this.#ports.openClient(() => token);

  #toToken({ token, expiresIn }: IssuedToken): Token {
    const issuedAt = this.#ports.clock.now();
    return { token, issuedAt, expiresAt: issuedAt + expiresIn * 1000 };
  }

  /** A sign-in that cannot be stored fails. */
  async #keep(token: Token): Promise<void> {
    try {
      await this.#ports.storage.keep(token, this.#stay);
    } catch (error) {
      if (this.#token === token) await this.end(false);
      throw error;
    }
  }

  async #show(epoch: number, profile: Profile): Promise<void> {
    if (epoch !== this.#epoch) return;
    await this.#ports.identify(profile);
    if (epoch === this.#epoch) this.state.set({ kind: 'signed-in', account: toAccount(profile) });
  }

  async #restore(): Promise<void> {
    const epoch = this.#epoch;
    const hadToken = this.#current() !== undefined;
    this.state.set({ kind: 'restoring' });
    try {
      const found = this.#ports.renewsBy === 'cookie' ? (await this.#renew())?.token : await this.find();
      if (epoch !== this.#epoch) return;
      if (found === undefined) await this.end(false);
      else await this.#show(epoch, await this.#clientWith(found).call(me));
    } catch (error) {
      if (epoch !== this.#epoch) return;
      if (isUnauthorized(error)) await this.end(hadToken);
      else this.state.set({ kind: 'unreachable' });
    }
  }

  /** Requests that need a new token at the same time share one exchange. Undefined where the session is over. */
  #renew(): Promise<Token | undefined> {
    this.#renewing ??= this.#exchange().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #exchange(): Promise<Token | undefined> {
    const epoch = this.#epoch;
    const before = this.#current();
    const issued = await this.#issue(before);
    if (epoch !== this.#epoch || this.#current() !== before) return this.#current();
    if (!issued) {
      await this.end(before !== undefined);
      return undefined;
    }
    this.#token = this.#toToken(issued);
    // If the disk rejects it, the user has to sign in again after the next start.
    await this.#ports.storage.replace(this.#token).catch(() => undefined);
    return this.#current();
  }

  async #issue(before: Token | undefined): Promise<IssuedToken | undefined> {
    try {
      const issued = await this.#ports.renew(this.#clientWith(before?.token));
      return (await this.#isOfAnother(issued.token)) ? undefined : issued;
    } catch (error) {
      if (isUnauthorized(error)) return undefined;
      throw error;
    }
  }

  /** A tab continues to act for the person who signed in there. */
  async #isOfAnother(token: string): Promise<boolean> {
    const state = this.state.get();
    if (this.#ports.renewsBy === 'token' || state.kind !== 'signed-in') return false;
    const { externalId } = await this.#clientWith(token).call(me);
    return externalId !== state.account.externalId;
  }

  /** Another token than the rejected one; undefined where there is none, by which the session has ended. */
  async #replaceAfter401(rejected: string | undefined): Promise<string | undefined> {
    const found = await this.find();
    if (found !== undefined && found !== rejected) return found;
    if (this.#ports.renewsBy === 'cookie') return (await this.#renew())?.token;
    await this.end(true);
    return undefined;
  }

  /** A request of one person is never sent with the token of the next. */
  #clientOf(epoch: number): Client {
    return this.#ports.openClient(async () => {
      const token = await this.find();
      if (epoch === this.#epoch) return token;
      throw new ApiError('USER_NOT_LOGGED_IN', 'the session ended before this request was sent: sign in first');
    });
  }

  async #attempt<T>({ access }: { readonly access: string }, send: (client: Client) => Promise<T>): Promise<T> {
    if (access === 'anonymous') return send(this.#client);
    const epoch = this.#epoch;
    const client = this.#clientOf(epoch);
    const sent = await this.find();
    try {
      return await send(client);
    } catch (error) {
      const hasSession = sent !== undefined || this.state.get().kind === 'signed-in';
      if (!isUnauthorized(error) || !hasSession || epoch !== this.#epoch) throw error;
      const other = await this.#replaceAfter401(sent);
      if (other === undefined || epoch !== this.#epoch) throw error;
      return send(client);
    }
  }
}
