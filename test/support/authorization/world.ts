// The world of the authorization matrix: two tenants with an owner of objects each, and in the first all the kinds of
// accounts that do not own them.
import { logout, type Role } from '@recordproof/shared/api/auth.ts';
import type { Access } from '@recordproof/shared/api/endpoint.ts';
import { permissionsOf } from '../../../server/src/features/accounts/index.ts';
import type { Engine } from '../../../server/src/platform/db/open-db.ts';
import { Person, startApp, type TestApp, testPassword } from '../app.ts';
import { befriend } from '../friends.ts';
import { laptop } from '../real-proofs.ts';

export const everyone = [
  'anonymous',
  'stranger',
  'friend',
  'owner',
  'administrator',
  'monitor',
  'administrator of another tenant',
  'revoked token',
] as const;
export type Who = (typeof everyone)[number];

const roles: Readonly<Record<Exclude<Who, 'anonymous' | 'revoked token'>, Role>> = {
  stranger: 'user',
  friend: 'user',
  owner: 'user',
  administrator: 'admin',
  monitor: 'monitor',
  'administrator of another tenant': 'admin',
};

/** The account that creates objects in a tenant. Private ones have the mark in their names. */
export type Side = {
  readonly owner: Person;
  readonly friend: Person;
  readonly administrator: Person;
  readonly mark: string;
};

export type World = AsyncDisposable & {
  readonly app: TestApp;
  readonly home: Side;
  readonly away: Side;
  readonly people: Readonly<Record<Who, Person>>;
  /** Such an account, which a call may change or suspend. */
  spare(who: Who): Promise<Person>;
  /** A new account in the tenant of this side, unknown to all others. */
  newcomer(side: Side): Promise<Person>;
  /** An unused name. */
  newName(): string;
  /** Closed with the world. */
  keep<T extends Disposable>(thing: T): T;
};

const elsewhere = 'elsewhere';

export async function openWorld(engine: Engine = 'sqlite'): Promise<World> {
  const app = await startApp({
    engine,
    env: { ...laptop, RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1', BACKFILL_WORKER_ENABLED: 'false' },
  });
  const kept = new DisposableStack();
  let count = 0;
  const newName = (): string => {
    count += 1;
    return `somebody-${count}`;
  };
  const person = (who: keyof typeof roles, name: string = newName()): Promise<Person> =>
    app.person(name, {
      role: roles[who],
      ...(who === 'administrator of another tenant' && { tenant: elsewhere }),
    });
  const owner = await person('owner', 'owner');
  const people = {
    anonymous: app.anonymous,
    owner,
    'revoked token': await revokedTokenOf(owner),
    stranger: await person('stranger', 'stranger'),
    friend: await person('friend', 'friend'),
    administrator: await person('administrator', 'administrator'),
    monitor: await person('monitor', 'monitor'),
    'administrator of another tenant': await person('administrator of another tenant', 'far-administrator'),
  };
  const home = { owner, friend: people.friend, administrator: people.administrator, mark: 'private-of-home' };
  const away = {
    owner: await app.person('far-owner', { tenant: elsewhere }),
    friend: await app.person('far-friend', { tenant: elsewhere }),
    administrator: people['administrator of another tenant'],
    mark: 'private-of-elsewhere',
  };
  for (const side of [home, away]) await befriend(side.owner, side.friend);
  return {
    app,
    people,
    home,
    away,
    newcomer: side => app.person(newName(), side === away ? { tenant: elsewhere } : {}),
    newName,
    keep: thing => kept.use(thing),
    spare: who => (who === 'anonymous' || who === 'revoked token' ? Promise.resolve(people[who]) : person(who)),
    [Symbol.asyncDispose]: async () => {
      kept.dispose();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Another session of the same account, ended. */
async function revokedTokenOf({ name, baseUrl }: Person): Promise<Person> {
  const session = new Person(name, baseUrl);
  await session.login(name, testPassword);
  const { token } = session;
  await session.call(logout, {});
  return new Person(name, baseUrl, token);
}

export type ExpectedAccess = 'in' | 'unknown' | 'forbidden';

/** The access that a role has by itself, whatever the object. */
export function expectedAccess(access: Access, who: Who): ExpectedAccess {
  if (access === 'anonymous' || access === 'optional') return 'in';
  if (who === 'anonymous' || who === 'revoked token') return 'unknown';
  if (access === 'signed-in') return 'in';
  const permission = access === 'management' ? 'system:metrics' : access;
  return permissionsOf(roles[who]).has(permission) ? 'in' : 'forbidden';
}
