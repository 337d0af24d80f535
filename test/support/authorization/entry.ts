// What the matrix has to know of an endpoint: how to ask it rightly, about whose things, and who may know of them.
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

/** Things of one kind, and one that never was. */
export type Kind<T> = { readonly make: (side: Side, world: World) => Promise<T>; readonly nonsense: T };

/** `done` gets what is asked for; `told` is refused, but knows that there is something. */
export type Standing = 'done' | 'told';
export type Knows = Readonly<Partial<Record<Who, Standing>>>;

export type Entry =
  /** Asks about nobody's things: whoever comes through the door gets the status. */
  | {
      readonly kind: 'own';
      readonly ask: (person: Person, world: World) => Later<Question>;
      readonly status: number;
      /** It ends sessions or changes accounts: whoever asks is somebody new. */
      readonly spoils: boolean;
    }
  /** Asks about a thing: who is not among those who know it gets the answer of what never was. */
  | {
      readonly kind: 'about';
      readonly knows: Knows;
      readonly make: (side: Side, world: World) => Promise<Question>;
      readonly nonsense: (world: World) => Later<Question>;
      /** Trying leaves a trace by design: a failed login in the audit log, a code on its way. */
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
/** Published to the world, or given to whoever holds the address. */
export const everybody: Knows = {
  ...wholeTenant,
  anonymous: 'done',
  'administrator of another tenant': 'done',
  'revoked token': 'done',
};
/** What nobody learns by asking. */
export const knowsNothing: Knows = {};
