// Event streams on two servers of one installation, connected through Redis.
import * as authApi from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/events.ts';
import { createUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Audience, notify } from '../../server/src/features/events/index.ts';
import { type Database, openDatabase } from '../../server/src/platform/db/open-db.ts';
import { Person, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { type Listener, listen, open } from '../support/event-streams.ts';
import { type Installation, newInstallation, type ServerProcess } from '../support/installation.ts';
import { type Made, makeAccount } from '../support/people.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { testWith } from '../support/programs.ts';
import { type RunningRedis, redisProgram, startRedis } from '../support/redis.ts';
import { putPart, sendFile, toPlan } from '../support/uploads.ts';

const test = testWith(redisProgram);
let redis: RunningRedis;
let installation: Installation;
let database: Database;
let servers: [ServerProcess, ServerProcess];
let account: Made;
let people = 0;
const listeners: Listener[] = [];

beforeAll(async () => {
  redis = await startRedis();
  const { url } = await (await postgres()).freshDatabase();
  installation = await newInstallation({ DATABASE_URL: url, REDIS_URL: redis.url });
  servers = [await installation.start(), await installation.start()];
  database = await openDatabase(installation.config.db);
});
afterEach(() => {
  for (const listener of listeners.splice(0)) listener[Symbol.dispose]();
});
afterAll(async () => {
  await Promise.all(servers?.map(server => server.stop()) ?? []);
  await database?.close();
  await installation?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
  await stopPostgres();
});

/** One account with one session, as seen through each server. */
async function newPerson(): Promise<[Person, Person]> {
  const name = `person-${++people}`;
  account = await makeAccount(database.db, name);
  const first = new Person(name, servers[0].url);
  await first.login(name, testPassword);
  return [first, new Person(name, servers[1].url, first.token)];
}

const keep = (listener: Listener): Listener => {
  listeners.push(listener);
  return listener;
};

async function announce(title: string, to: Audience = { kind: 'users', userIds: [account.userId] }): Promise<void> {
  const payload = { id: '1', title, priority: 0, isPinned: false };
  const notice = { tenantId: account.tenantId, to, type: 'announcement-published', payload } as const;
  await database.db.transaction().execute(tx => notify(tx, notice, Date.now()));
  await servers[Math.random() < 0.5 ? 0 : 1].tell('drain');
}

const titlesOf = ({ messages }: Listener): string[] =>
  messages.flatMap(message => (message.type === 'announcement-published' ? [message.payload.title] : []));
const untilTitle = (listener: Listener, title: string) =>
  listener.until('announcement-published', message => JSON.stringify(message.payload).includes(`"${title}"`));

test('a token issued by one server opens exactly one stream on the other', async () => {
  const [here, there] = await newPerson();
  const { sseToken } = await here.call(authApi.issueStreamToken);
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      open((index % 2 === 0 ? here : there).baseUrl, { query: { token: sseToken } }),
    ),
  );
  const opened = tries.flatMap(one => (one.status === 'fulfilled' ? [keep(one.value)] : []));
  expect(opened).toHaveLength(1);
});

test('an event on one server arrives on both, once and in id order', async () => {
  const [here, there] = await newPerson();
  const streams = [keep(await listen(here)), keep(await listen(there))];
  const { data } = await sendFile(here, await pattern(5000));
  await sendFile(there, await pattern(6000));
  for (let count = 0; count < 20; count += 1) await announce(`event ${count}`);
  await Promise.all(streams.map(stream => untilTitle(stream, 'event 19')));
  for (const stream of streams) {
    expect(new Set(titlesOf(stream)).size).toBe(20);
    expect(titlesOf(stream)).toHaveLength(20);
    expect(await stream.until('file-recorded')).toMatchObject({ payload: { fileId: data.fileId } });
    expect(stream.messages.filter(({ type }) => type === 'file-recorded')).toHaveLength(2);
    expect(stream.ids.map(Number)).toEqual(stream.ids.map(Number).toSorted((a, b) => a - b));
  }
});

test('upload progress on one server reaches a stream on the other', async () => {
  const [here, there] = await newPerson();
  const stream = keep(await listen(there));
  const bytes = await pattern(4000);
  const { clientId } = await here.call(createUploadSession, { body: toPlan(bytes) });
  await putPart(here, clientId, 0, bytes);
  expect(await stream.until('upload-progress')).toMatchObject({ payload: { clientId, uploadedChunkCount: 1 } });
});

test('an account has at most five streams on all servers; either server counts and closes them', async () => {
  const [here, there] = await newPerson();
  const streams: Listener[] = [];
  for (let count = 0; count < 7; count += 1) streams.push(keep(await listen(count % 2 === 0 ? here : there)));
  for (const stream of streams.slice(0, 2))
    expect(await stream.closed).toMatchObject({ payload: { reason: 'replaced' } });
  for (const person of [here, there])
    expect(await person.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 5 });
  const [, , third, fourth] = streams;
  const [first] = third?.messages ?? [];
  const connectionId = first?.type === 'connected' ? first.payload.connectionId : '';
  await there.call(api.disconnectEvents, { query: { connectionId } });
  expect(await third?.closed).toMatchObject({ payload: { reason: 'disconnected' } });
  expect(await there.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 4 });
  await here.call(api.disconnectEvents);
  expect(await fourth?.closed).toMatchObject({ payload: { reason: 'disconnected' } });
  await Promise.all(streams.map(stream => stream.closed));
  expect(await there.call(api.getStreamStatus)).toEqual({ connected: false, connectionCount: 0 });
});

test('a logout on one server closes the streams on the other', async () => {
  const [here, there] = await newPerson();
  const stream = keep(await listen(there));
  await here.call(authApi.logout, { body: {} });
  expect(await stream.closed).toMatchObject({ payload: { reason: 'session-ended' } });
});

test('without Redis events arrive from the database, and token requests return 503 until it is back', async () => {
  const [here, there] = await newPerson();
  const streams = [keep(await listen(here)), keep(await listen(there))];
  await announce('before');
  await Promise.all(streams.map(stream => untilTitle(stream, 'before')));
  await redis.crash();
  await announce('during');
  await Promise.all(streams.map(stream => untilTitle(stream, 'during')));
  expect(await here.call(api.getStreamStatus)).toEqual({ connected: true, connectionCount: 1 });
  expect(await here.expectError(authApi.issueStreamToken)).toMatchObject({ status: 503 });
  keep(await listen(here));
  await redis.restart();
  await expect.poll(() => here.call(api.getStreamStatus), { timeout: 120_000 }).toMatchObject({ connectionCount: 3 });
  await announce('after');
  await Promise.all(streams.map(stream => untilTitle(stream, 'after')));
  for (const stream of streams) expect(titlesOf(stream)).toEqual(['before', 'during', 'after']);
});

test('clients of a killed server reconnect to the other one and miss no event', async () => {
  const [here, there] = await newPerson();
  const stream = keep(await listen(here));
  await announce('one');
  await untilTitle(stream, 'one');
  const announcing = (async () => {
    for (let count = 0; count < 30; count += 1) {
      const payload = { id: '1', title: `burst ${count}`, priority: 0, isPinned: false };
      const to = { kind: 'users', userIds: [account.userId] } as const;
      const notice = { tenantId: account.tenantId, to, type: 'announcement-published', payload } as const;
      await database.db.transaction().execute(tx => notify(tx, notice, Date.now()));
      if (count === 10) await servers[0].child.kill();
    }
  })();
  await stream.closed;
  const later = keep(await listen(there, { headers: { 'last-event-id': stream.ids.at(-1) ?? '' } }));
  await announcing;
  const seen = () => [...titlesOf(stream), ...titlesOf(later)];
  // Events that the dead server had claimed are published when its lease ends, after a minute.
  await expect.poll(() => seen().length, { timeout: 100_000, interval: 200 }).toBe(31);
  expect(new Set(seen()).size).toBe(31);
  servers[0] = await installation.start();
}, 120_000);
