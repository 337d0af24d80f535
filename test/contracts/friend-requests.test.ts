// Concurrent answers to friend requests, ten calls for each, on PostgreSQL through two servers: each request ends in one
// state, and notifications and friendships agree with it.

import { me } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/friends.ts';
import { expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { eachApp } from '../support/each-app.ts';
import { noticesOf } from '../support/events.ts';

const requests = Number(process.env.REQUESTS ?? 12); // 105 at most: one for each pair of accounts
const triesPerRequest = 10;

const verbs = {
  accept: { endpoint: api.acceptFriendRequest, status: 1 },
  reject: { endpoint: api.rejectFriendRequest, status: 2 },
  cancel: { endpoint: api.cancelFriendRequest, status: 3 },
} as const;
type Verb = keyof typeof verbs;

type Open = { id: string; requester: Person; addressee: Person };

/** Pairs of accounts, each with an open request. */
async function openRequests(app: TestApp): Promise<{ people: Person[]; open: Open[] }> {
  const people = await Promise.all(Array.from({ length: 15 }, (_, at) => app.person(`person${at}`)));
  const ids = await Promise.all(people.map(async person => (await person.call(me)).externalId));
  const pairs = people.flatMap((requester, from) =>
    people.slice(from + 1).map((addressee, by) => ({ requester, addressee, addresseeId: ids[from + 1 + by] ?? '' })),
  );
  const open = await Promise.all(
    pairs.slice(0, requests).map(async ({ requester, addressee, addresseeId }) => {
      const { id } = await requester.call(api.sendFriendRequest, { body: { addresseeId } });
      return { id, requester, addressee };
    }),
  );
  return { people, open };
}

const several = { RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' }; // the database alone coordinates them

/** Another server on the same data where the database allows several; else the same one. */
async function openSecond(app: TestApp): Promise<AsyncDisposable & { at(person: Person): Person }> {
  const { db } = app.config;
  if (db.kind === 'sqlite') return { at: person => person, [Symbol.asyncDispose]: async () => undefined };
  const second = await startApp({
    folder: app.folder,
    clock: app.clock,
    env: { ...several, DATABASE_URL: db.url.reveal() },
  });
  return {
    at: ({ name, token }) => new Person(name, second.app.url, token),
    [Symbol.asyncDispose]: () => second[Symbol.asyncDispose](),
  };
}

async function settle({ id, requester, addressee }: Open, verb: Verb, through: (person: Person) => Person) {
  const person = through(verb === 'cancel' ? requester : addressee);
  try {
    const { status } = await person.call(verbs[verb].endpoint, { params: { id } });
    return { id, verb, status };
  } catch (error) {
    if (error instanceof ApiError) return { id, verb, refused: error.kind };
    throw error;
  }
}

eachApp((start, engine) => {
  // Rivals meet on PostgreSQL; on SQLite one writer waits for the other.
  const asRival = engine === 'sqlite' ? ({ tags: 'long' } as const) : {};
  test(`concurrent accepts, rejects and cancels leave each of ${requests} requests in one state`, asRival, async () => {
    await using app = await start({ env: several });
    await using second = await openSecond(app);
    const { people, open } = await openRequests(app);
    expect(open).toHaveLength(requests);
    const kinds = Object.keys(verbs) as Verb[];
    const tries = Array.from({ length: requests * triesPerRequest }, (_, at) => ({
      request: open[at % requests] as Open,
      verb: kinds[Math.floor(Math.random() * kinds.length)] as Verb,
    }));
    const here = (person: Person) => person;
    const results = await Promise.all(
      tries.map(({ request, verb }, at) => settle(request, verb, at % 3 === 0 ? second.at : here)),
    );

    const won = results.filter(result => result.status !== undefined);
    expect(won.map(result => result.id).toSorted(), 'one success for each request').toEqual(
      open.map(({ id }) => id).toSorted(),
    );
    expect(new Set(results.filter(result => result.refused).map(result => result.refused))).toEqual(
      new Set(['FRIEND_REQUEST_PROCESSED']),
    );
    for (const { verb, status } of won) expect(status).toBe(verbs[verb].status);

    const { db } = app.app.database;
    const rows = await db.selectFrom('friend_request').selectAll().execute();
    const stateOf = new Map(won.map(({ id, verb }) => [id, verbs[verb].status]));
    for (const row of rows) expect(row.status, `request ${row.id}`).toBe(stateOf.get(String(row.id)));
    const accepted = rows.filter(row => row.status === 1).map(row => `${row.low_id}+${row.high_id}`);
    const friendships = await db.selectFrom('friendship').selectAll().execute();
    const friends = friendships
      .filter(row => row.user_id < row.friend_id)
      .map(row => `${row.user_id}+${row.friend_id}`);
    expect(friends.toSorted()).toEqual(accepted.toSorted());

    // Another server may still be delivering some of it.
    const countNotices = async () => {
      const told = await Promise.all(people.map(person => noticesOf(app, person.name)));
      return told.flat().filter(({ type }) => type === 'friend-accepted').length;
    };
    await expect.poll(countNotices, { timeout: 120_000 }).toBe(accepted.length);
    for (const person of people) expect(await person.call(api.countPendingRequests)).toEqual({ count: 0 });
    await checkEverything(app);
  });
});
