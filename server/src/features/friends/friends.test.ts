// Friendships: requests and their concurrency, notices, remarks, lists, and the end of a friendship.
import { updateProfile } from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/friends.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { noticesOf } from '../../../../test/support/events.ts';
import { befriend, idOf } from '../../../../test/support/friends.ts';

const unknownId = `U${'0'.repeat(22)}`;

const ask = async (from: Person, to: Person, message?: string) =>
  from.call(api.sendFriendRequest, {
    body: { addresseeId: await idOf(to), ...(message !== undefined && { message }) },
  });

/** What a caller can tell apart. */
const shown = ({ status, code, message, detail }: ApiError) => ({ status, code, message, detail });

const friendNames = async (person: Person) => (await person.call(api.listAllFriends)).map(friend => friend.username);

async function openPeople(app: TestApp) {
  const [alice, bob, carol] = [await app.person('alice'), await app.person('bob'), await app.person('carol')];
  return { alice, bob, carol, eve: await app.person('eve', { tenant: 'other' }) };
}

eachApp(start => {
  test('an accepted request makes two friends, and each is notified', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { alice, bob } = await openPeople(app);
    await alice.call(updateProfile, { body: { nickname: 'Ally' } });
    const request = await ask(alice, bob, '  hello  ');
    const [aliceId, bobId] = [await idOf(alice), await idOf(bob)];
    expect(request).toMatchObject({
      requester: { externalId: aliceId, username: 'alice', nickname: 'Ally' },
      addressee: { externalId: bobId, username: 'bob' },
      message: 'hello',
      status: 0,
      answeredAt: null,
    });
    const asked = { requestId: request.id, requesterId: aliceId, requesterName: 'Ally', message: 'hello' };
    expect(await noticesOf(app, 'bob')).toEqual([{ type: 'friend-request', payload: asked }]);
    expect(await bob.call(api.countPendingRequests)).toEqual({ count: 1 });
    const accepted = await bob.call(api.acceptFriendRequest, { params: { id: request.id } });
    expect(accepted).toMatchObject({ status: 1, answeredAt: expect.any(String) });
    const told = { type: 'friend-accepted', payload: { friendId: bobId, friendName: 'bob' } };
    expect(await noticesOf(app, 'alice')).toEqual([told]);
    expect(await noticesOf(app, 'bob')).toHaveLength(1);
    expect(await bob.call(api.countPendingRequests)).toEqual({ count: 0 });
    expect([await friendNames(alice), await friendNames(bob)]).toEqual([['bob'], ['alice']]);
    expect(await ask(alice, bob).catch(shown)).toMatchObject({ code: 60012 });
    await checkEverything(app);
  });

  test('a rejected or cancelled request is closed without a notification, and another can be sent', async () => {
    await using app = await start();
    const { alice, bob } = await openPeople(app);
    const rejected = await ask(alice, bob);
    expect(await bob.call(api.rejectFriendRequest, { params: { id: rejected.id } })).toMatchObject({ status: 2 });
    const cancelled = await ask(alice, bob);
    expect(await alice.call(api.cancelFriendRequest, { params: { id: cancelled.id } })).toMatchObject({ status: 3 });
    expect(await noticesOf(app, 'alice')).toEqual([]);
    for (const { id } of [rejected, cancelled]) {
      expect(await bob.expectError(api.acceptFriendRequest, { params: { id } })).toMatchObject({ code: 60015 });
      expect(await bob.expectError(api.rejectFriendRequest, { params: { id } })).toMatchObject({ code: 60015 });
      expect(await alice.expectError(api.cancelFriendRequest, { params: { id } })).toMatchObject({ code: 60015 });
    }
    await befriend(alice, bob);
    const statuses = async (person: Person, endpoint: typeof api.listSentRequests, query: object = {}) =>
      (await person.call(endpoint, { query })).records.map(request => request.status);
    expect(await statuses(alice, api.listSentRequests)).toEqual([1, 3, 2]);
    expect(await statuses(bob, api.listReceivedRequests, { sort: 'createdAt,asc' })).toEqual([2, 3, 1]);
    expect(await statuses(bob, api.listReceivedRequests, { status: 3 })).toEqual([3]);
    expect(await statuses(bob, api.listSentRequests)).toEqual([]);
    const page = await alice.call(api.listSentRequests, { query: { page: 2, size: 2 } });
    expect(page).toMatchObject({ total: 3, current: 2, size: 2, pages: 2, records: [{ id: rejected.id }] });
    await checkEverything(app);
  });

  test('a request in the opposite direction accepts the first one, also concurrently', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openPeople(app);
    const first = await ask(alice, bob);
    expect(await ask(alice, bob).catch(shown)).toMatchObject({ code: 60011 });
    expect(await ask(bob, alice)).toMatchObject({ id: first.id, status: 1 });
    expect(await noticesOf(app, 'alice')).toMatchObject([{ type: 'friend-accepted' }]);
    const crossing = await Promise.all([ask(carol, bob), ask(bob, carol)]);
    expect(crossing.map(request => request.status).toSorted()).toEqual([0, 1]);
    expect(new Set(crossing.map(request => request.id)).size).toBe(1);
    expect(await friendNames(bob)).toEqual(['alice', 'carol']);
    await checkEverything(app);
  });

  test('of ten concurrent requests to one user, one is created', async () => {
    await using app = await start();
    const { alice, bob } = await openPeople(app);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => ask(alice, bob)));
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    const refused = results.filter(result => result.status === 'rejected').map(result => result.reason.code);
    expect(refused).toEqual(Array(9).fill(60011));
    expect(await bob.call(api.countPendingRequests)).toEqual({ count: 1 });
    await checkEverything(app);
  });

  test('requests to oneself, unknown, foreign and suspended accounts are rejected', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, eve } = await openPeople(app);
    expect(await ask(alice, alice).catch(shown)).toMatchObject({ status: 400, code: 60013 });
    const bobId = await idOf(bob);
    const { db } = app.app.database;
    await db.updateTable('account').set({ status: 'SUSPENDED' }).where('username', '=', 'bob').execute();
    const rejections = await Promise.all(
      [unknownId, await idOf(eve), bobId].map(addresseeId =>
        alice.expectError(api.sendFriendRequest, { body: { addresseeId } }),
      ),
    );
    expect(rejections.map(shown)).toEqual(Array(3).fill(expect.objectContaining({ status: 404, code: 20004 })));
    expect(new Set(rejections.map(rejection => rejection.message)).size).toBe(1);
    for (const body of [{}, { addresseeId: '7' }, { addresseeId: bobId, message: 'x'.repeat(256) }]) {
      const rejection = await alice.expectError(api.sendFriendRequest, { body: body as { addresseeId: string } });
      expect(rejection.status).toBe(400);
    }
  });

  test('a request is visible only to its two users, and each can take only the own actions', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openPeople(app);
    const { id } = await ask(alice, bob);
    const verbs = [api.acceptFriendRequest, api.rejectFriendRequest, api.cancelFriendRequest] as const;
    for (const verb of verbs) {
      const missing = shown(await alice.expectError(verb, { params: { id: '999999' } }));
      expect(missing).toMatchObject({ status: 404, code: 60014 });
      for (const person of [carol, eve]) {
        expect(shown(await person.expectError(verb, { params: { id } }))).toEqual(missing);
      }
      const wrongSide = verb === api.cancelFriendRequest ? bob : alice;
      expect(await wrongSide.expectError(verb, { params: { id } })).toMatchObject({ status: 403 });
      expect(await alice.expectError(verb, { params: { id: 'x' } })).toMatchObject({ status: 400 });
      expect(await app.anonymous.expectError(verb, { params: { id } })).toMatchObject({ status: 401 });
    }
    expect(await bob.call(api.countPendingRequests)).toEqual({ count: 1 });
    const { records } = await carol.call(api.listReceivedRequests);
    expect(records).toEqual([]);
  });

  test('either friend can end the friendship, and a new request is possible', async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openPeople(app);
    await befriend(alice, bob);
    const [friend] = await alice.call(api.listAllFriends);
    const references = [friend?.id ?? '', await idOf(bob)];
    for (const person of [carol, eve]) {
      for (const id of [...references, unknownId, '999999']) {
        const missing = shown(await person.expectError(api.unfriend, { params: { id: unknownId } }));
        expect(shown(await person.expectError(api.unfriend, { params: { id } }))).toEqual(missing);
        const remark = { params: { id }, body: { remark: 'x' } };
        expect(shown(await person.expectError(api.updateRemark, remark))).toEqual(missing);
      }
    }
    await bob.call(api.unfriend, { params: { id: await idOf(alice) } });
    expect([await friendNames(alice), await friendNames(bob)]).toEqual([[], []]);
    for (const id of references) {
      expect(await alice.expectError(api.unfriend, { params: { id } })).toMatchObject({ status: 403, code: 60010 });
    }
    await befriend(bob, alice);
    const again = (await alice.call(api.listAllFriends))[0];
    await alice.call(api.unfriend, { params: { id: again?.id ?? '' } });
    expect(await friendNames(bob)).toEqual([]);
    expect(await alice.expectError(api.unfriend, { params: { id: 'x' } })).toMatchObject({ status: 400 });
    await checkEverything(app);
  });

  test('a remark is visible only to its author and can be removed', async () => {
    await using app = await start();
    const { alice, bob } = await openPeople(app);
    await befriend(alice, bob);
    const params = { id: await idOf(bob) };
    const remarked = await alice.call(api.updateRemark, { params, body: { remark: ' Bob from work ' } });
    expect(remarked).toMatchObject({ username: 'bob', remark: 'Bob from work' });
    expect(await alice.call(api.listAllFriends)).toEqual([remarked]);
    expect(await bob.call(api.listAllFriends)).toMatchObject([{ remark: null }]);
    for (const remark of ['', null]) {
      expect(await alice.call(api.updateRemark, { params, body: { remark } })).toMatchObject({ remark: null });
    }
    for (const remark of ['x'.repeat(51), 'a\u0007b']) {
      expect(await alice.expectError(api.updateRemark, { params, body: { remark } })).toMatchObject({ status: 400 });
    }
  });

  test('friends are listed page by page, sorted by name or by date', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openPeople(app);
    await befriend(alice, carol);
    await befriend(alice, bob);
    const names = async (query: object) =>
      (await alice.call(api.listFriends, { query })).records.map(friend => friend.username);
    expect(await names({})).toEqual(['bob', 'carol']);
    expect(await names({ sort: 'friendsSince,asc' })).toEqual(['carol', 'bob']);
    expect(await names({ sort: 'username,desc' })).toEqual(['carol', 'bob']);
    const page = await alice.call(api.listFriends, { query: { page: 2, size: 1, sort: 'username,asc' } });
    expect(page).toMatchObject({ total: 2, current: 2, size: 1, pages: 2, records: [{ username: 'carol' }] });
    const rejection = await alice.expectError(api.listFriends, { query: { sort: 'remark' } });
    expect(rejection).toMatchObject({ status: 400 });
    expect(rejection.message).toContain('friendsSince, username');
  });

  test('a search finds users of the tenant by part of a name or by id, and returns the relation to each', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openPeople(app);
    const dora = await app.person('dora_100%');
    await dora.call(updateProfile, { body: { nickname: 'ÄRZTIN Bob' } });
    await befriend(alice, bob);
    await ask(carol, alice);
    const find = async (keyword: string) =>
      (await alice.call(api.searchUsers, { query: { keyword } })).map(person => person.username);
    expect(await find('BO')).toEqual(['bob', 'dora_100%']);
    expect(await find('ärzt')).toEqual(['dora_100%']);
    expect(await find('_')).toEqual(['dora_100%']);
    expect(await find('%')).toEqual(['dora_100%']);
    expect(await find('alice'), 'not oneself').toEqual([]);
    expect(await find('eve'), 'not another tenant').toEqual([]);
    expect(await find(await idOf(eve))).toEqual([]);
    expect(await find(await idOf(carol))).toEqual(['carol']);
    expect(await find((await idOf(carol)).slice(0, 10)), 'ids are not searched by part').toEqual([]);
    const [hit] = await alice.call(api.searchUsers, { query: { keyword: 'carol' } });
    const { externalId, username, nickname, avatar } = await carol.call(me);
    expect(hit).toEqual({ externalId, username, nickname, avatar, isFriend: false, hasPendingRequest: true });
    const [friend] = await alice.call(api.searchUsers, { query: { keyword: 'bob' } });
    expect(friend).toMatchObject({ isFriend: true, hasPendingRequest: false });
    const { db } = app.app.database;
    await db.updateTable('account').set({ status: 'SUSPENDED' }).where('username', '=', 'carol').execute();
    expect(await find('carol')).toEqual([]);
    for (const keyword of ['', '  ', 'x'.repeat(65)]) {
      expect(await alice.expectError(api.searchUsers, { query: { keyword } })).toMatchObject({ status: 400 });
    }
  });

  test('a search returns at most twenty users, exact matches first', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const { db } = app.app.database;
    const account = await db.selectFrom('account').selectAll().executeTakeFirstOrThrow();
    const { id: _id, ...template } = account;
    const clone = (name: string) => ({
      ...template,
      username: name,
      username_folded: name,
      email: `${name}@example.org`,
      external_id: `U${name.replaceAll('-', '').padEnd(22, '0')}`,
    });
    const names = [...Array.from({ length: 25 }, (_, at) => `a${at}-ann`), 'annabel', 'ann'];
    await db.insertInto('account').values(names.map(clone)).execute();
    const found = await alice.call(api.searchUsers, { query: { keyword: 'ann' } });
    expect(found).toHaveLength(20);
    expect(found.slice(0, 2).map(person => person.username)).toEqual(['ann', 'annabel']);
  });

  test('calls need a session, and a monitor has read access only', async () => {
    await using app = await start();
    const { alice } = await openPeople(app);
    const watcher = await app.person('watcher', { role: 'monitor' });
    const reads: AnyEndpoint[] = [
      api.listReceivedRequests,
      api.listSentRequests,
      api.countPendingRequests,
      api.listFriends,
      api.listAllFriends,
    ];
    for (const endpoint of reads) {
      expect(await app.anonymous.expectError(endpoint), endpoint.name).toMatchObject({ status: 401 });
      await watcher.call(endpoint);
    }
    const addresseeId = await idOf(alice);
    const writes: [AnyEndpoint, object][] = [
      [api.sendFriendRequest, { body: { addresseeId } }],
      [api.unfriend, { params: { id: addresseeId } }],
      [api.updateRemark, { params: { id: addresseeId }, body: { remark: 'x' } }],
    ];
    for (const [endpoint, input] of writes) {
      expect(await app.anonymous.expectError(endpoint, input), endpoint.name).toMatchObject({ status: 401 });
      expect(await watcher.expectError(endpoint, input), endpoint.name).toMatchObject({ status: 403 });
    }
    const search = { query: { keyword: 'a' } };
    expect(await app.anonymous.expectError(api.searchUsers, search)).toMatchObject({ status: 401 });
  });

  test('the number of friends of an account is limited', async () => {
    await using app = await start();
    const { alice, bob } = await openPeople(app);
    const { db } = app.app.database;
    const { id } = await ask(alice, bob);
    const { id: bobKey, tenant_id } = await db
      .selectFrom('account')
      .select(['id', 'tenant_id'])
      .where('username', '=', 'bob')
      .executeTakeFirstOrThrow();
    const { password_hash } = await db.selectFrom('account').select('password_hash').limit(1).executeTakeFirstOrThrow();
    const accounts = Array.from({ length: api.maxFriends }, (_, at) => ({
      tenant_id,
      external_id: `U${String(at).padStart(22, '0')}`,
      username: `crowd${at}`,
      username_folded: `crowd${at}`,
      email: `crowd${at}@example.org`,
      nickname: null,
      nickname_folded: null,
      avatar: null,
      role: 'user',
      status: 'ACTIVE',
      password_hash,
      auth_version: 1,
      registered_at: 0,
    }));
    for (let from = 0; from < accounts.length; from += 500) {
      const crowd = await db
        .insertInto('account')
        .values(accounts.slice(from, from + 500))
        .returning('id')
        .execute();
      const sides = crowd.flatMap(one => [
        { tenant_id, user_id: bobKey, friend_id: one.id, remark: null, created_at: 0 },
        { tenant_id, user_id: one.id, friend_id: bobKey, remark: null, created_at: 0 },
      ]);
      await db.insertInto('friendship').values(sides).execute();
    }
    expect(await bob.expectError(api.acceptFriendRequest, { params: { id } })).toMatchObject({
      status: 409,
      code: 409,
    });
    expect(await bob.call(api.listAllFriends)).toHaveLength(api.maxFriends);
    expect(await bob.call(api.countPendingRequests)).toEqual({ count: 1 });
  });
});
