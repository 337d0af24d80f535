// Model test of the session: every interleaving of calls, answers, a clock, a server that ends sessions, and another
// tab.
import { changeEmail, changePassword } from '@recordproof/shared/api/accounts.ts';
import { login, logout, me, refreshToken, resumeSession } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileQuota } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { openSession } from './session.ts';
import type { SessionPorts, Token } from './session-ports.ts';

type Answer = { readonly name: string; readonly answer: () => void; readonly cut: () => void };
type By = SessionPorts['renewsBy'];

const unauthorized = () => new ApiError('PERMISSION_TOKEN_INVALID', 'the token is not valid');
const settle = () => new Promise(setImmediate);
const lifeMs = 1000;

/** A server that answers when told to, with its state of that time. */
function openServer(now: () => number) {
  const tokens = new Map<string, { readonly person: string; readonly until: number }>();
  const pending: Answer[] = [];
  let issued = 0;
  let cookie: string | undefined;

  const issue = (person: string) => {
    issued += 1;
    const token = `${person}-${issued}`;
    tokens.set(token, { person, until: now() + lifeMs });
    return { token, expiresIn: lifeMs / 1000 };
  };
  const personOf = (token: string | undefined): string => {
    const found = tokens.get(token ?? '');
    if (!found || found.until <= now()) throw unauthorized();
    return found.person;
  };
  const end = (person: string) => {
    for (const [token, one] of tokens) if (one.person === person) tokens.delete(token);
    if (cookie === person) cookie = undefined;
  };
  const answers: Readonly<
    Record<string, (token: string | undefined, body: { readonly username?: string }) => unknown>
  > = {
    [login.name]: (_, { username = '' }) => issue(username),
    [me.name]: token => ({ externalId: personOf(token), permissions: [] }),
    [refreshToken.name]: token => issue(personOf(token)),
    [resumeSession.name]: () => {
      if (cookie === undefined) throw unauthorized();
      return issue(cookie);
    },
    [logout.name]: token => end(personOf(token)),
    [changePassword.name]: () => {
      throw new ApiError('USER_LOGIN_ERROR', 'wrong password');
    },
    [changeEmail.name]: () => {
      throw new ApiError('USER_LOGIN_ERROR', 'wrong password');
    },
    [fileQuota.name]: token => personOf(token),
  };
  const call = (async (
    endpoint: { readonly name: string; readonly access: string },
    token: () => unknown,
    input: object,
  ) => {
    const sent = endpoint.access === 'anonymous' ? undefined : ((await token()) as string | undefined);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const leave = (work: () => void) => () => {
      pending.splice(pending.indexOf(entry), 1);
      work();
    };
    const body = 'body' in input ? (input.body as object) : {};
    const entry: Answer = {
      name: `${endpoint.name} ${sent?.split('-')[0]}`,
      answer: leave(() => {
        try {
          resolve(answers[endpoint.name]?.(sent, body));
        } catch (error) {
          reject(error);
        }
      }),
      cut: leave(() => reject(new Error('the connection broke'))),
    };
    pending.push(entry);
    return promise;
  }) as (endpoint: object, token: () => unknown, input: object) => Promise<unknown>;
  const openClient = (token: () => unknown): Client =>
    ({ call: (endpoint: object, input: object = {}) => call(endpoint, token, input) }) as Client;
  const setCookie = (person: string | undefined): void => {
    cookie = person;
  };
  return { openClient, pending, end, tokens, setCookie, cookie: () => cookie, personOf };
}

function openWorld(by: By) {
  let now = 0;
  let stored: Token | undefined;
  let announced = 0;
  const server = openServer(() => now);
  const faults = new Set<string>();
  const session = openSession({
    openClient: server.openClient,
    renew: client => client.call(by === 'cookie' ? resumeSession : refreshToken),
    renewsBy: by,
    renewBeforeMs: () => lifeMs / 4,
    logOut: async (client, body) => {
      await client.call(logout, { body });
    },
    signInThrough: async () => undefined,
    stepUpThroughProvider: async () => undefined,
    announceEnd: () => {
      announced += 1;
    },
    storage: {
      find: () => stored,
      keep: async token => {
        if (by === 'token') stored = token;
        else server.setCookie(server.personOf(token.token));
      },
      replace: async token => {
        if (by === 'token') stored = token;
      },
      forget: async () => {
        stored = undefined;
      },
    },
    clock: { now: () => now },
    identify: async () => undefined,
  });
  const person = () => {
    const state = session.state.get();
    return state.kind === 'signed-in' ? state.account.externalId : undefined;
  };
  /** A call of one user is answered with that user's session, or not at all. */
  const read = async () => {
    const asked = person();
    const answered: unknown = await session.client.call(fileQuota, {});
    if (asked !== undefined && answered !== asked) faults.add(`${asked} was answered as ${String(answered)}`);
  };
  return {
    ...{ server, session, faults, person, read },
    announced: () => announced,
    stored: () => stored,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

type World = ReturnType<typeof openWorld>;
type Step = (world: World) => unknown;

const quiet = (work: Promise<unknown>): void => void work.catch(() => undefined);

const steps: Readonly<Record<string, Step>> = {
  read: world => quiet(world.read()),
  'read too': world => quiet(world.read()),
  'sign out': ({ session }) => quiet(session.requests.signOut({ everywhere: false })),
  'sign in as bob': ({ session }) => quiet(session.requests.signIn({ username: 'bob', password: '', stay: true })),
  restore: ({ session }) => quiet(session.requests.restore()),
  'the server ends it': ({ server }) => server.end('ada'),
  'another tab signs in': ({ server }) => server.setCookie('eve'),
  'another tab signs out': ({ server, session }) => {
    server.end('ada');
    quiet(session.end(true));
  },
  'the token gets old': ({ advance }) => advance(lifeMs * 0.8),
};

async function signInAsAda(by: By): Promise<World> {
  const world = openWorld(by);
  quiet(world.session.requests.signIn({ username: 'ada', password: '', stay: true }));
  for (let calls = 0; calls < 2; calls += 1) {
    await settle();
    world.server.pending[0]?.answer();
  }
  await settle();
  expect(world.person()).toBe('ada');
  return world;
}

async function replay(by: By, path: readonly string[]): Promise<World> {
  const world = await signInAsAda(by);
  for (const step of path) {
    const [verb, at] = step.split(' ');
    if (verb === 'answer') world.server.pending[Number(at)]?.answer();
    else if (verb === 'cut') world.server.pending[Number(at)]?.cut();
    else steps[step]?.(world);
    await settle();
  }
  return world;
}

function judge({ session, server, faults, person, stored }: World): string[] {
  const kind = session.state.get().kind;
  const check = (isFault: boolean, fault: string) => (isFault ? [fault] : []);
  const renewals = server.pending.filter(({ name }) => /^(refresh|resume)/.test(name));
  const isQuiet = server.pending.length === 0;
  const held = stored()?.token.split('-')[0];
  return [
    ...faults,
    ...check(renewals.length > 1, 'two renewals at a time'),
    ...check(isQuiet && kind === 'restoring', 'it restores for ever'),
    ...check(isQuiet && kind === 'signed-in' && !session.hasToken(), 'signed in without a token'),
    ...check(isQuiet && kind === 'signed-out' && session.hasToken(), 'signed out with a token'),
    ...check(
      isQuiet && kind === 'signed-in' && held !== undefined && held !== person(),
      'the token of another is stored',
    ),
  ];
}

const keyOf = ({ session, server, stored }: World, left: readonly string[]): string =>
  JSON.stringify([
    ...[session.state.get(), session.hasToken(), stored()?.token.split('-')[0], server.cookie()],
    server.pending.map(({ name }) => name),
    [...server.tokens.values()].map(({ person }) => person).toSorted(),
    left,
  ]);

async function explore(by: By, names: readonly string[], mostSteps: number) {
  const known = new Set<string>();
  const faults: string[] = [];
  let todo: { readonly path: readonly string[]; readonly left: readonly string[] }[] = [{ path: [], left: names }];
  for (let depth = 0; depth <= mostSteps && todo.length > 0; depth += 1) {
    const next: typeof todo = [];
    for (const { path, left } of todo) {
      const world = await replay(by, path);
      const key = keyOf(world, left);
      if (known.has(key)) continue;
      known.add(key);
      faults.push(...judge(world).map(fault => `${fault}: ${path.join(', ')}`));
      const answers = world.server.pending.flatMap((_, at) => [`answer ${at}`, `cut ${at}`]);
      next.push(...answers.map(answer => ({ path: [...path, answer], left })));
      next.push(...left.map(name => ({ path: [...path, name], left: left.filter(one => one !== name) })));
    }
    todo = next;
  }
  return { faults, states: known.size };
}

test.each<[By, readonly string[]]>([
  ['token', ['read', 'read too', 'the token gets old', 'the server ends it', 'sign out']],
  ['token', ['read', 'the token gets old', 'sign out', 'sign in as bob', 'restore']],
  ['cookie', ['read', 'read too', 'the token gets old', 'the server ends it', 'another tab signs in']],
  ['cookie', ['read', 'the token gets old', 'another tab signs out', 'sign in as bob', 'restore']],
])('a session renewed by %s keeps its account, renews once and ends completely: %j', async (by, names) => {
  const { faults, states } = await explore(by, names, 9);
  expect(faults).toEqual([]);
  expect(states).toBeGreaterThan(100);
});

const answerAll = async ({ server }: World): Promise<string[]> => {
  const names: string[] = [];
  for (await settle(); server.pending.length > 0; await settle()) {
    names.push(server.pending[0]?.name ?? '');
    server.pending[0]?.answer();
  }
  return names;
};

test('two rejected requests share one renewal, and each is repeated once', async () => {
  const world = await signInAsAda('cookie');
  world.server.tokens.clear();
  const reads = Promise.all([world.read(), world.read()]);
  await settle();
  for (const { answer } of [...world.server.pending]) answer();
  const after = await answerAll(world);
  await reads;
  expect(after.filter(name => name.startsWith('resumeSession'))).toHaveLength(1);
  expect(after.filter(name => name.startsWith('fileQuota'))).toHaveLength(2);
});

test('a token of another account is rejected, and the session of the tab ends', async () => {
  const world = await signInAsAda('cookie');
  world.server.setCookie('eve');
  world.advance(lifeMs * 0.8);
  quiet(world.read());
  await answerAll(world);
  expect(world.session.state.get()).toEqual({ kind: 'signed-out', ended: true });
});

test('a failed sign-out keeps the session, and notifies no tab', async () => {
  const world = await signInAsAda('cookie');
  const leaving = world.session.requests.signOut({ everywhere: false });
  await settle();
  world.server.pending[0]?.cut();
  await expect(leaving).rejects.toThrow('broke');
  expect([world.person(), world.announced()]).toEqual(['ada', 0]);
});

test.each(['token', 'cookie'] as const)(
  'by %s, a wrong password is sent once and does not end the session',
  async by => {
    const world = await signInAsAda(by);
    const passwords = { oldPassword: 'wrong', newPassword: 'another' };
    const email = { email: 'ada@example.org', code: '123456', password: 'wrong' };
    for (const change of [
      () => world.session.requests.changePassword(passwords),
      () => world.session.client.call(changeEmail, { body: email }),
    ]) {
      const changing = expect(change()).rejects.toThrow('wrong password');
      expect(await answerAll(world)).toHaveLength(1);
      await changing;
      expect(world.person()).toBe('ada');
    }
  },
);

test('a failed renewal keeps a token that is still valid', async () => {
  const world = await signInAsAda('cookie');
  world.advance(lifeMs * 0.8);
  const finding = world.session.find();
  await settle();
  world.server.pending[0]?.cut();
  expect(await finding).toBe('ada-1');
  world.advance(lifeMs);
  const failing = expect(world.session.find()).rejects.toThrow('broke');
  await settle();
  world.server.pending[0]?.cut();
  await failing;
});

test('an expired token without renewal ends the session at the next call', async () => {
  const world = await signInAsAda('token');
  world.advance(lifeMs);
  quiet(world.read());
  expect(await answerAll(world)).toEqual(['fileQuota undefined']);
  expect(world.session.state.get()).toEqual({ kind: 'signed-out', ended: true });
  expect(world.stored()).toBeUndefined();
});
