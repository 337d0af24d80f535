// Who calls a verb, and from where: what decides about it, and what the audit log notes. A request is one; what no
// request asked for makes its own.
import type { Key, Time } from './db/tables.ts';
import type { Actor } from './http/caller.ts';

/** In whose name something is done: an account, or nobody in particular of a tenant. */
export type Party = {
  readonly tenantId: Key;
  readonly userId: Key | null;
  readonly username: string | null;
};

/** Where a change came from. */
export type Origin = {
  readonly ip: string;
  /** Path and query without what is secret in them, or the name of what runs by itself. */
  readonly url: string;
  readonly method: string;
  readonly startedAt: Time;
};

export type Call<By extends Party = Actor> = Origin & { readonly actor: By };

const maxUrlCharacters = 500;

/** The same call in somebody's name: who was not known when it came, or who is asked for only later. Plain data. */
export const callAs = <By extends Party>({ ip, url, method, startedAt }: Origin, actor: By): Call<By> => ({
  ip,
  url: url.slice(0, maxUrlCharacters),
  method,
  startedAt,
  actor,
});

/** What is kept of a call that goes on after its request, as in the data of a saga: who it was and no more. */
export const keepCall = (call: Call<Party>): Call<Party> => {
  const { tenantId, userId, username } = call.actor;
  return callAs(call, { tenantId, userId, username });
};

/** For what no request asked for: the command line, jobs, schedules. */
export const localOrigin = (what: string, now: Time): Origin => ({
  ip: 'local',
  url: what,
  method: 'LOCAL',
  startedAt: now,
});

export const localCall = (what: string, tenantId: Key, now: Time): Call<Party> =>
  callAs(localOrigin(what, now), nobodyOf(tenantId));

export const nobodyOf = (tenantId: Key): Party => ({ tenantId, userId: null, username: null });
