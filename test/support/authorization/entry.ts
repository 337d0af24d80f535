// Entries of the authorization matrix: how to call an endpoint correctly, whose objects it is about, and which callers
// may know of them.
import type { Person } from '../app.ts';
import type { Side, Who, World } from './world.ts';

/** Parts of a request; `**` among the parameters is the rest of a path. */
export type Question = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly fields?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
};

type Later<T> = T | Promise<T>;

/** Objects of one kind, and one that never existed. */
export type Kind<T> = { readonly make: (side: Side, world: World) => Promise<T>; readonly nonsense: T };

/** `done`: the call succeeds; `told`: it is rejected, but the caller learns that the object exists. */
export type Standing = 'done' | 'told';
export type Knows = Readonly<Partial<Record<Who, Standing>>>;

export type Entry =
  /** About no object: every authorized caller gets the status. */
  | {
      readonly kind: 'own';
      readonly ask: (person: Person, world: World) => Later<Question>;
      readonly status: number;
      /** It ends sessions or changes accounts: each call uses a new account. */
      readonly spoils: boolean;
    }
  /** About an object: callers that may not know of it get the answer for an object that never existed. */
  | {
      readonly kind: 'about';
      readonly knows: Knows;
      readonly make: (side: Side, world: World) => Promise<Question>;
      readonly nonsense: (world: World) => Later<Question>;
      /** Attempts leave a trace by design: a failed login in the audit log, a code on its way. */
      readonly writes: boolean;
    };

export const own = (
  ask: (person: Person, world: World) => Later<Question> = () => ({}),
  { status = 200, spoils = false } = {},
): Entry => ({ kind: 'own', ask, status, spoils });

export const about = <T>(
  kind: Kind<T>,
  knows: Knows,
  ask: (thing: T, world: World) => Later<Question>,
  { writes = false } = {},
): Entry => ({
  kind: 'about',
  knows,
  make: async (side, world) => ask(await kind.make(side, world), world),
  nonsense: world => ask(kind.nonsense, world),
  writes,
});

export const ownerOnly: Knows = { owner: 'done' };
export const ownerAndAdministrator: Knows = { owner: 'done', administrator: 'done' };
export const ownerAndFriend: Knows = { owner: 'done', friend: 'done' };
export const administratorOnly: Knows = { administrator: 'done' };
export const wholeTenant: Knows = {
  stranger: 'done',
  friend: 'done',
  owner: 'done',
  administrator: 'done',
  monitor: 'done',
};
/** Public, or given to holders of the address. */
export const everybody: Knows = {
  ...wholeTenant,
  anonymous: 'done',
  'administrator of another tenant': 'done',
  'revoked token': 'done',
};
/** Never revealed to any caller. */
export const knowsNothing: Knows = {};
