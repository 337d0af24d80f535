// The caller of an operation and its origin: used for authorization and in the audit log. Work without a request makes
// its own.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { Key, Time } from './db/tables.ts';
import type { Actor } from './http/caller.ts';

/** The identity on whose behalf something is done: an account, or the tenant itself. */
export type Party = {
  readonly tenantId: Key;
  readonly userId: Key | null;
  readonly username: string | null;
  /** The API token used by this identity. */
  readonly apiToken?: { readonly id: Key; readonly name: string };
  /** The drop link used by an anonymous sender; the account is that of the link's owner. */
  readonly dropLinkId?: Key;
};

/** Origin of a change. */
export type Origin = {
  readonly ip: string;
  /** Path and query without secrets, or the name of background work. */
  readonly url: string;
  readonly method: string;
  readonly startedAt: Time;
  /** Of the mails that it causes; undefined where the request names none. */
  readonly language?: Language | undefined;
};

export type Call<By extends Party = Actor> = Origin & { readonly actor: By };

const maxUrlCharacters = 500;

/** The same call with another actor, for instance once the caller is known. Plain data. */
export const callAs = <By extends Party>({ ip, url, method, startedAt, language }: Origin, actor: By): Call<By> => ({
  ip,
  url: url.slice(0, maxUrlCharacters),
  method,
  startedAt,
  language,
  actor,
});

/** The part of a call that outlives its request, as in the data of a saga: the identity only. */
export const keepCall = (call: Call<Party>): Call<Party> => {
  const { tenantId, userId, username, apiToken, dropLinkId } = call.actor;
  const token = apiToken && { apiToken: { id: apiToken.id, name: apiToken.name } };
  const link = dropLinkId !== undefined && { dropLinkId };
  return { ...callAs(call, { tenantId, userId, username, ...token, ...link }), language: undefined };
};

/** For work without a request: the command line, jobs, schedules. */
export const localOrigin = (what: string, now: Time): Origin => ({
  ip: 'local',
  url: what,
  method: 'LOCAL',
  startedAt: now,
});

export const localCall = (what: string, tenantId: Key, now: Time): Call<Party> =>
  callAs(localOrigin(what, now), anonymousParty(tenantId));

export const anonymousParty = (tenantId: Key): Party => ({ tenantId, userId: null, username: null });
