// Event streams over HTTP: stream tokens, headers, replay after a reconnect, notices, permissions and limits.
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as authApi from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/events.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import {
  type Listener,
  type ListenOptions,
  listen,
  listenAsBrowser,
  open,
  StreamRejected,
} from '../../../../test/support/event-streams.ts';
import { accountOf, announce, announceTo } from '../../../../test/support/events.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { keepNotices, notify } from './notices.ts';
import { type Audience, insertEvents } from './queries.ts';

let app: TestApp;
let ada: Person;
beforeEach(async () => {
  app = await startApp();
  ada = await app.person('ada');
});
afterEach(() => app[Symbol.asyncDispose]());

const titlesOf = ({ messages }: Listener): string[] =>
  messages.flatMap(message => (message.type === 'announcement-published' ? [message.payload.title] : []));

const untilTitle = (listener: Listener, title: string) =>
  listener.until(
    'announcement-published',
    message => message.type === 'announcement-published' && message.payload.title === title,
  );

async function rejection(work: Promise<Listener>): Promise<StreamRejected> {
  try {
    using _listener = await work;
  } catch (error) {
    if (error instanceof StreamRejected) return error;
    throw error;
  }
  throw new Error('the stream should have been refused');
}

const hour = 3600_000;

test('a stream token in the address opens one stream only', async () => {
  const { sseToken, expiresIn } = await ada.call(authApi.issueStreamToken);
  expect(expiresIn).toBe(30);
  using listener = await open(ada.baseUrl, { query: { token: sseToken } });
  expect(listener.messages).toEqual([
    {
      id: '0',
      type: 'connected',
      payload: { connectionId: expect.any(String), missed: false, quietMs: null },
      timestamp: expect.any(String),
    },
  ]);
  expect(await rejection(open(ada.baseUrl, { query: { token: sseToken } }))).toMatchObject({
    status: 401,
    code: 70006,
  });
});

test('of twenty concurrent uses of one token, one succeeds', async () => {
  const { sseToken } = await ada.call(authApi.issueStreamToken);
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, () => open(ada.baseUrl, { query: { token: sseToken } })),
  );
  const opened = tries.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  expect(opened).toHaveLength(1);
  opened[0]?.[Symbol.dispose]();
});

test('a stream token expires after thirty seconds and with the session that requested it', {
  tags: 'long-on-postgres',
}, async () => {
  const late = await ada.call(authApi.issueStreamToken);
  app.clock.advance(31_000);
  expect(await rejection(open(ada.baseUrl, { query: { token: late.sseToken } }))).toMatchObject({ status: 401 });
  const orphan = await ada.call(authApi.issueStreamToken);
  await ada.call(authApi.logout, { body: {} });
  expect(await rejection(open(ada.baseUrl, { query: { token: orphan.sseToken } }))).toMatchObject({ status: 401 });
});

test.each<[string, ListenOptions, number, number]>([
  ['no token', {}, 401, 401],
  ['an unknown token', { query: { token: 'x'.repeat(43) } }, 401, 70006],
  ['an empty token', { query: { token: '' } }, 401, 70006],
  ['a token that is far too long', { query: { token: 'x'.repeat(5000) } }, 401, 70006],
  ['a forged login token', { headers: { authorization: 'Bearer x.y.z' } }, 401, 70006],
])('a connection with %s is rejected', { tags: 'long-on-postgres' }, async (_what, options, status, code) => {
  expect(await rejection(open(ada.baseUrl, options))).toMatchObject({ status, code });
});

test('clients that can set headers connect with their access token', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  await announceTo(app, 'ada', 'hello');
  expect(await untilTitle(listener, 'hello')).toMatchObject({ id: '1' });
});

test('a stream has headers that forbid caching, compression and buffering', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  expect(listener.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    'x-ratelimit-limit': expect.any(String),
  });
});

test('a message is one unnamed event, also for a client of HTTP/1.0', { tags: 'long-on-postgres' }, async () => {
  for (const version of ['1.0', '1.1']) {
    using raw = await openRaw(ada.baseUrl);
    raw.send(`GET /api/v1/sse/connect HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
    await raw.until('"connected"');
    await announceTo(app, 'ada', `over ${version}`);
    await raw.until(`over ${version}`);
    await raw.until('\n\n');
    const [head = '', body = ''] = raw.text().split('\r\n\r\n');
    expect(head).not.toMatch(/transfer-encoding|content-length/i);
    expect(body).toMatch(
      /^retry: \d{4}\nid: \d\ndata: \{"type":"connected","payload":\{[^\n]*\},"timestamp":"[^"]*"\}\n\nid: \d\ndata: \{"type":"announcement-published","payload":\{[^\n]*\},"timestamp":"[^"]*"\}\n\n$/,
    );
  }
});

test('a HEAD request opens no stream', { tags: 'long-on-postgres' }, async () => {
  const response = await ada.fetch('/api/v1/sse/connect', { method: 'HEAD' });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await ada.call(api.getStreamStatus)).toEqual({ connected: false, connectionCount: 0 });
});

test('a connection carries one stream: a second request on it is ignored', { tags: 'long-on-postgres' }, async () => {
  using raw = await openRaw(ada.baseUrl);
  const request = `GET /api/v1/sse/connect HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`;
  raw.send(request + request);
  await raw.until('"connected"');
  await announceTo(app, 'ada', 'still whole');
  await raw.until('still whole');
  expect(raw.text().match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(await ada.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 1 });
});

test('an event is delivered only to its audience', { tags: 'long-on-postgres' }, async () => {
  const people = {
    ada,
    bob: await app.person('bob'),
    boss: await app.person('boss', { role: 'admin' }),
    watcher: await app.person('watcher', { role: 'monitor' }),
    foreigner: await app.person('foreigner', { tenant: 'other' }),
    'foreign-boss': await app.person('foreign-boss', { tenant: 'other', role: 'admin' }),
  };
  const streams = await Promise.all(Object.values(people).map(person => listen(person)));
  const { tenantId, userId } = await accountOf(app, 'ada');
  const other = await accountOf(app, 'foreigner');
  await announce(app, tenantId, { kind: 'users', userIds: [userId, userId] }, 'for ada');
  await announce(app, tenantId, { kind: 'users', userIds: [] }, 'for nobody');
  await announce(app, tenantId, { kind: 'users', userIds: [other.userId] }, 'across the border');
  await announce(app, tenantId, { kind: 'roles', roles: ['admin', 'monitor'] }, 'for the staff');
  await announce(app, other.tenantId, { kind: 'roles', roles: ['admin'] }, 'for the other boss');
  await announce(app, tenantId, { kind: 'tenant' }, 'for all here');
  await announce(app, other.tenantId, { kind: 'tenant' }, 'for all there');
  const last = (index: number) => (index < 4 ? 'for all here' : 'for all there');
  await Promise.all(streams.map((stream, index) => untilTitle(stream, last(index))));
  expect(streams.map(titlesOf)).toEqual([
    ['for ada', 'for all here'],
    ['for all here'],
    ['for the staff', 'for all here'],
    ['for the staff', 'for all here'],
    ['for all there'],
    ['for the other boss', 'for all there'],
  ]);
  for (const stream of streams) stream[Symbol.dispose]();
  const again = await Promise.all(Object.values(people).map(person => listen(person, { query: { lastEventId: '0' } })));
  expect(again.map(titlesOf)).toEqual(streams.map(titlesOf));
  for (const stream of again) stream[Symbol.dispose]();
});

test('an event of a rolled back transaction is not delivered', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  const { tenantId, userId } = await accountOf(app, 'ada');
  const broken = app.app.database.db.transaction().execute(async tx => {
    const payload = { id: '1', title: 'never', priority: 0, isPinned: false };
    const to = { kind: 'users', userIds: [userId] } as const;
    await notify(tx, { tenantId, to, type: 'announcement-published', payload }, app.clock.now());
    throw new Error('changed my mind');
  });
  await expect(broken).rejects.toThrow('changed my mind');
  await announceTo(app, 'ada', 'this');
  await untilTitle(listener, 'this');
  expect(titlesOf(listener)).toEqual(['this']);
});

test('a reconnecting client gets the missed events in order, once, and then new ones', async () => {
  using first = await listen(ada);
  await announceTo(app, 'ada', 'one');
  const { id = '' } = await untilTitle(first, 'one');
  first[Symbol.dispose]();
  await app.person('bob');
  for (const title of ['two', 'three', 'four']) {
    await announceTo(app, 'bob', `${title} for bob`);
    await announceTo(app, 'ada', title);
  }
  await app.drain();
  using second = await listenAsBrowser(ada, { query: { lastEventId: id } });
  await announceTo(app, 'ada', 'five');
  await untilTitle(second, 'five');
  expect(titlesOf(second)).toEqual(['two', 'three', 'four', 'five']);
  expect(second.messages[0]).toMatchObject({ type: 'connected', id, payload: { missed: false } });
  using third = await listen(ada, {
    query: { lastEventId: id },
    headers: { 'last-event-id': second.ids.at(-2) ?? '' },
  });
  expect(titlesOf(third)).toEqual(['five']);
});

test('a new stream reports the age of the newest event; a resumed stream does not', {
  tags: 'long-on-postgres',
}, async () => {
  await announceTo(app, 'ada', 'long ago');
  await app.drain();
  app.clock.advance(90_000);
  using first = await listen(ada);
  expect(first.messages[0]).toMatchObject({ payload: { missed: false, quietMs: expect.closeTo(90_000, -3) } });
  using second = await listen(ada, { headers: { 'last-event-id': first.ids[0] ?? '' } });
  expect(second.messages[0]?.payload).not.toHaveProperty('quietMs');
});

test('a stream that delivered no event can be resumed', { tags: 'long-on-postgres' }, async () => {
  await announceTo(app, 'ada', 'long ago');
  await app.drain();
  using first = await listen(ada);
  first[Symbol.dispose]();
  await announceTo(app, 'ada', 'meanwhile');
  await app.drain();
  using second = await listen(ada, { headers: { 'last-event-id': first.ids[0] ?? '' } });
  expect(titlesOf(second)).toEqual(['meanwhile']);
});

/** Puts events into the database in one go, as consumers of many notices would. */
async function keepMany(count: number, titleOf: (index: number) => string): Promise<string[]> {
  const { tenantId, userId } = await accountOf(app, 'ada');
  const bob = await accountOf(app, 'bob');
  const audiences: Audience[] = [
    { kind: 'tenant' },
    { kind: 'users', userIds: [userId] },
    { kind: 'users', userIds: [bob.userId] },
    { kind: 'roles', roles: ['admin'] },
  ];
  const at = app.clock.now();
  const notices = Array.from({ length: count }, (_, index) => {
    const payload = { id: '1', title: titleOf(index), priority: 0, isPinned: false };
    const to = audiences[index % audiences.length] as Audience;
    return { to, type: 'announcement-published', payload, createdAt: at } as const;
  });
  await app.app.database.db.transaction().execute(tx => insertEvents(tx, tenantId, notices, at));
  return notices.filter((_, index) => index % audiences.length < 2).map(({ payload }) => payload.title);
}

test.each([
  ['hundreds', 450, () => ''],
  ['thousands', 2600, () => ''],
  ['large ones', 120, () => 'x'.repeat(40_000)],
])('%s of missed events are delivered in order, once, and only for this account', async (_what, count, filling) => {
  await app.person('bob');
  const expected = await keepMany(count, index => `${index} ${filling()}`);
  using first = await listen(ada, { query: { lastEventId: '0' } });
  using second = await listen(ada, { query: { lastEventId: '7' } });
  await announceTo(app, 'ada', 'the end');
  await Promise.all([first, second].map(listener => untilTitle(listener, 'the end')));
  expect(titlesOf(first)).toEqual([...expected, 'the end']);
  expect(titlesOf(second)).toEqual([...expected.slice(4), 'the end']);
  expect(first.ids.map(Number)).toEqual(first.ids.map(Number).toSorted((a, b) => a - b));
});

test('events are kept for a day; a client that was away longer is told that events are missing', async () => {
  await announceTo(app, 'ada', 'old');
  await app.drain();
  app.clock.advance(23 * hour);
  await announceTo(app, 'ada', 'new');
  await app.drain();
  app.clock.advance(2 * hour);
  await ada.login('ada', testPassword);
  using listener = await listen(ada, { query: { lastEventId: '0' } });
  expect(titlesOf(listener)).toEqual(['new']);
  expect(listener.messages[0]).toMatchObject({ payload: { missed: true } });
  await app.drain();
  const rows = await app.app.database.db.selectFrom('event').select('id').execute();
  expect(rows).toEqual([{ id: 2 }]);
  using again = await listen(ada, { query: { lastEventId: '0' } });
  expect([titlesOf(again), again.messages[0]]).toMatchObject([['new'], { payload: { missed: true } }]);
  using fine = await listen(ada, { query: { lastEventId: '1' } });
  expect([titlesOf(fine), fine.messages[0]]).toMatchObject([['new'], { payload: { missed: false } }]);
});

test('an event delayed by an outage is kept for a day after it was stored', { tags: 'long-on-postgres' }, async () => {
  const { tenantId, userId } = await accountOf(app, 'ada');
  const payload = { id: '1', title: 'late', priority: 0, isPinned: false };
  const notice = { to: { kind: 'users', userIds: [userId] }, type: 'announcement-published', payload };
  const createdAt = app.clock.now() - 48 * hour;
  const event = { id: 'E', type: 'notice.given', tenantId, payload: notice, createdAt };
  await app.app.database.db
    .transaction()
    .execute(tx => keepNotices({ clock: app.clock, hub: { announce: () => {} } }).handle(tx, [event]));
  app.clock.advance(23 * hour);
  await app.drain();
  using listener = await listen(ada, { query: { lastEventId: '0' } });
  expect(titlesOf(listener)).toEqual(['late']);
  expect(listener.messages[1]?.timestamp).toBe(new Date(createdAt).toISOString());
});

test.each([
  ['from a server that was restored', '999'],
  ['of another format', 'not-ours'],
  ['beyond all numbers', '9'.repeat(40)],
])('a last event id %s starts a stream from now, marked as missed', async (_what, lastEventId) => {
  await announceTo(app, 'ada', 'before');
  await app.drain();
  using listener = await listen(ada, { headers: { 'last-event-id': lastEventId } });
  await announceTo(app, 'ada', 'after');
  await untilTitle(listener, 'after');
  expect(titlesOf(listener)).toEqual(['after']);
  expect(listener.messages[0]).toMatchObject({ id: '1', payload: { missed: true } });
});

test('an invalid last event id in the address is rejected', { tags: 'long-on-postgres' }, async () => {
  for (const lastEventId of ['', '-1', 'x', '1.5', '9'.repeat(16)])
    expect(await rejection(listen(ada, { query: { lastEventId } }))).toMatchObject({ status: 400 });
});

test('a heartbeat is sent every thirty seconds and has no event id', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  for (let beat = 1; beat <= 2; beat += 1) {
    app.clock.advance(30_000);
    await listener.until('heartbeat', message => message !== listener.messages[1] || beat === 1);
  }
  expect(listener.messages.map(({ type }) => type)).toEqual(['connected', 'heartbeat', 'heartbeat']);
  expect(listener.ids).toEqual(['0']);
});

test('the sixth stream of an account closes its oldest, and none of other accounts', {
  tags: 'long-on-postgres',
}, async () => {
  const bob = await app.person('bob');
  using other = await listen(bob);
  const streams: Listener[] = [];
  for (let count = 0; count < 7; count += 1) streams.push(await listen(ada));
  for (const stream of streams.slice(0, 2))
    expect(await stream.closed).toMatchObject({ type: 'disconnected', payload: { reason: 'replaced' } });
  expect(await ada.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 5 });
  await announceTo(app, 'ada', 'to five');
  await Promise.all(streams.slice(2).map(stream => untilTitle(stream, 'to five')));
  expect(other.messages).toHaveLength(1);
  expect(await bob.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 1 });
  for (const stream of streams) stream[Symbol.dispose]();
});

const idOf = (listener: Listener): string => {
  const [first] = listener.messages;
  return first?.type === 'connected' ? first.payload.connectionId : '';
};

test('a stream is closed by its id, all streams without an id', { tags: 'long-on-postgres' }, async () => {
  using first = await listen(ada);
  using second = await listen(ada);
  await ada.call(api.disconnectEvents, { query: { connectionId: idOf(first) } });
  expect(await first.closed).toMatchObject({ payload: { reason: 'disconnected' } });
  expect(await ada.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 1 });
  await ada.call(api.disconnectEvents);
  expect(await second.closed).toMatchObject({ payload: { reason: 'disconnected' } });
  expect(await ada.call(api.getStreamStatus)).toEqual({ connected: false, connectionCount: 0 });
});

test('closing a stream of another account responds like closing one that does not exist', {
  tags: 'long-on-postgres',
}, async () => {
  const bob = await app.person('bob');
  const foreigner = await app.person('foreigner', { tenant: 'other' });
  using listener = await listen(ada);
  for (const person of [bob, foreigner, ada]) {
    const connectionId = person === ada ? 'nonsense' : idOf(listener);
    const response = await person.fetch(`/api/v1/sse/disconnect?connectionId=${connectionId}`, { method: 'DELETE' });
    expect([response.status, await response.json()]).toEqual([200, { code: 200, message: 'success', data: null }]);
  }
  await announceTo(app, 'ada', 'still there');
  await untilTitle(listener, 'still there');
  expect(await bob.call(api.getStreamStatus)).toEqual({ connected: false, connectionCount: 0 });
  const anonymous = app.anonymous;
  expect(await anonymous.expectError(api.disconnectEvents)).toMatchObject({ status: 401 });
  expect(await anonymous.expectError(api.getStreamStatus)).toMatchObject({ status: 401 });
  expect(await anonymous.expectError(authApi.issueStreamToken)).toMatchObject({ status: 401 });
  expect(await ada.expectError(api.disconnectEvents, { query: { connectionId: '' } })).toMatchObject({ status: 400 });
});

const endings: [string, (boss: Person) => Promise<unknown>][] = [
  ['a logout', () => ada.call(authApi.logout, { body: {} })],
  ['a logout everywhere', () => ada.call(authApi.logout, { body: { everywhere: true } })],
  ['a new token', () => ada.call(authApi.refreshToken)],
  [
    'a new password',
    () =>
      ada.call(accountsApi.changePassword, { body: { oldPassword: testPassword, newPassword: 'another password' } }),
  ],
  [
    'a suspension',
    async boss => {
      const { userId } = await accountOf(app, 'ada');
      await boss.call(accountsApi.updateUserStatus, {
        params: { id: String(userId) },
        body: { status: 'SUSPENDED', reason: 'test' },
      });
    },
  ],
  [
    'a new role',
    async boss => {
      const { userId } = await accountOf(app, 'ada');
      await boss.call(accountsApi.updateUserRole, {
        params: { id: String(userId) },
        body: { role: 'monitor', reason: 'test' },
      });
    },
  ],
];

test.each(endings)('%s closes the streams of the session', { tags: 'long-on-postgres' }, async (_what, end) => {
  const boss = await app.person('boss', { role: 'admin' });
  using listener = await listen(ada);
  using other = await listen(boss);
  await end(boss);
  expect(await listener.closed).toMatchObject({ type: 'disconnected', payload: { reason: 'session-ended' } });
  await announceTo(app, 'boss', 'still there');
  await untilTitle(other, 'still there');
});

test('signing out leaves the streams of other sessions open', { tags: 'long-on-postgres' }, async () => {
  const laptop = { ...ada, token: ada.token } as Person;
  using listener = await listen(laptop);
  await ada.login('ada', testPassword);
  using second = await listen(ada);
  await ada.call(authApi.logout, { body: {} });
  await second.closed;
  await announceTo(app, 'ada', 'still there');
  await untilTitle(listener, 'still there');
});

test('a stream is closed when its token expires', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  app.clock.advance(24 * hour);
  expect(await listener.closed).toMatchObject({ payload: { reason: 'session-ended' } });
});

test('a session that ended without a notification is detected at the next heartbeat', {
  tags: 'long-on-postgres',
}, async () => {
  using listener = await listen(ada);
  const { userId } = await accountOf(app, 'ada');
  const { db } = app.app.database;
  await db.updateTable('account').set({ auth_version: 77 }).where('id', '=', userId).execute();
  app.clock.advance(30_000);
  expect(await listener.closed).toMatchObject({ payload: { reason: 'session-ended' } });
});

test('an account that lost a role gets no more events of that role, also before the notification', async () => {
  const boss = await app.person('boss', { role: 'admin' });
  using listener = await listen(boss);
  const { tenantId, userId } = await accountOf(app, 'boss');
  const { db } = app.app.database;
  await db.updateTable('account').set({ auth_version: 77, role: 'user' }).where('id', '=', userId).execute();
  await announce(app, tenantId, { kind: 'roles', roles: ['admin'] }, 'for admins');
  expect(await listener.closed).toMatchObject({ payload: { reason: 'session-ended' } });
  expect(titlesOf(listener)).toEqual([]);
});

test('events without a notification are found by polling within seconds', { tags: 'long-on-postgres' }, async () => {
  using listener = await listen(ada);
  const { tenantId, userId } = await accountOf(app, 'ada');
  const payload = { id: '1', title: 'unheard', priority: 0, isPinned: false };
  const at = app.clock.now();
  const notice = {
    to: { kind: 'users', userIds: [userId] },
    type: 'announcement-published',
    payload,
    createdAt: at,
  } as const;
  await app.app.database.db.transaction().execute(tx => insertEvents(tx, tenantId, [notice], at));
  app.clock.advance(6000);
  await untilTitle(listener, 'unheard');
});

test('a server rejects streams beyond its limit with 503', { tags: 'long-on-postgres' }, async () => {
  await using small = await startApp({ env: { EVENTS_MAX_STREAMS: '2' } });
  const people = await Promise.all(['ann', 'ben', 'cy'].map(name => small.person(name)));
  const [ann, ben, cy] = people as [Person, Person, Person];
  using first = await listen(ann);
  using _second = await listen(ben);
  const { sseToken } = await cy.call(authApi.issueStreamToken);
  expect(await rejection(open(cy.baseUrl, { query: { token: sseToken } }))).toMatchObject({
    status: 503,
    code: 40003,
    retryAfter: '10',
    message: expect.stringContaining('holds 2 event streams'),
  });
  await ann.call(api.disconnectEvents);
  await first.closed;
  using third = await listen(cy);
  expect(third.messages).toHaveLength(1);
});

test('a stopping server notifies its streams and does not wait for them', { tags: 'long-on-postgres' }, async () => {
  const stopping = await startApp({ env: { RECORDPROOF_SHUTDOWN_GRACE_SECONDS: '600' } });
  const ann = await stopping.person('ann');
  using listener = await listen(ann);
  using hanging = await listen(ann);
  hanging.stopReading();
  await stopping[Symbol.asyncDispose](); // long before the grace time, which is longer than a test may take
  expect(await listener.closed).toMatchObject({ payload: { reason: 'shutdown' } });
});

test('a client that does not read is disconnected after a mebibyte of backlog, and delays no other', {
  tags: 'long-on-postgres',
}, async () => {
  const bob = await app.person('bob');
  using slow = await listen(ada);
  using quick = await listen(bob);
  slow.stopReading();
  const { tenantId } = await accountOf(app, 'ada');
  const block = 'x'.repeat(30_000);
  const status = () => ada.call(api.getStreamStatus);
  let sent = 0;
  while ((await status()).connected && sent < 1000) {
    for (let count = 0; count < 20; count += 1) await announce(app, tenantId, { kind: 'tenant' }, `${sent++} ${block}`);
    await untilTitle(quick, `${sent - 1} ${block}`);
  }
  // What the kernel takes for the connection comes on top: some mebibytes.
  expect(sent * block.length).toBeGreaterThan(1024 * 1024);
  expect(sent).toBeLessThan(1000);
  expect(titlesOf(quick)).toHaveLength(sent);
  const metrics = await (await app.person('boss', { role: 'admin' })).fetch('/actuator/prometheus');
  const text = await metrics.text();
  expect(text).toMatch(/^event_streams_ended_total\{reason="slow"\} 1$/m);
  expect(text).toMatch(/^event_streams_open 1$/m);
  expect(Number(/^event_messages_sent_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(sent);
});
