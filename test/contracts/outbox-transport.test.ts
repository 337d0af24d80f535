// What both ways of carrying events promise, and what only a broker must survive.

import { randomUUID } from 'node:crypto';
import { connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deadQueueOf, eventsExchange, queueOf } from '../../server/src/platform/outbox/amqp-topology.ts';
import { type AmqpTransportOptions, openAmqpTransport } from '../../server/src/platform/outbox/amqp-transport.ts';
import { LocalTransport } from '../../server/src/platform/outbox/local-transport.ts';
import {
  type ConsumerGroup,
  EventNotHandled,
  maxEventBytes,
  NotNow,
  type OutboxEvent,
  type OutboxTransport,
  TransportUnavailable,
} from '../../server/src/platform/outbox/transport.ts';
import { type RunningRabbit, startRabbit } from '../support/rabbitmq.ts';

const log = { info: () => {}, warn: () => {} };
const retry = { maxAttempts: 3, firstDelayMs: 1, maxDelayMs: 4 };

let rabbit: RunningRabbit;
beforeAll(async () => {
  rabbit = await startRabbit();
}, 90_000);
afterAll(() => rabbit?.[Symbol.asyncDispose]());

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});
const keep = <T extends AsyncDisposable>(resource: T): T => {
  opened.push(resource);
  return resource;
};

const kinds = ['local', 'rabbitmq'] as const;
const openAmqp = async (groups: readonly ConsumerGroup[], options: Partial<AmqpTransportOptions> = {}) =>
  keep(await openAmqpTransport({ url: rabbit.url, groups, log, retry, ...options }));
const open = async (kind: (typeof kinds)[number], groups: readonly ConsumerGroup[]): Promise<OutboxTransport> =>
  kind === 'local' ? keep(new LocalTransport({ groups, retry })) : await openAmqp(groups);

/** Names that no other test uses: the broker is shared and remembers. */
const names = () => {
  const unique = randomUUID().slice(0, 8);
  const group = (name: string, ...types: string[]): ConsumerGroup => ({
    name: `${name}-${unique}`,
    types: types.map(type => (type === '#' ? `t${unique}.#` : `t${unique}.${type}`)),
  });
  const event = (type: string, payload: OutboxEvent['payload'] = {}): OutboxEvent => ({
    id: randomUUID(),
    type: `t${unique}.${type}`,
    tenantId: '7',
    payload,
    createdAt: '2026-06-01T12:00:00.000Z',
  });
  return { group, event };
};

/** What an outbox does: publish again what could not be published. */
const publishAsOutbox = async (transport: OutboxTransport, event: OutboxEvent): Promise<void> => {
  for (;;) {
    try {
      return await transport.publish(event);
    } catch (error) {
      if (!(error instanceof TransportUnavailable)) throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
};

/** A handler that remembers and can be waited for. */
const inbox = () => {
  const events: OutboxEvent[] = [];
  const waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  return {
    events,
    ids: () => new Set(events.map(({ id }) => id)),
    handler: async (event: OutboxEvent) => {
      events.push(event);
      for (const { isMet, resolve } of waiting) if (isMet()) resolve();
    },
    until: async (isMet: () => boolean) => {
      if (isMet()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ isMet, resolve });
      await promise;
    },
  };
};

const readQueue = async (queue: string): Promise<unknown[]> => {
  const connection = await connect(rabbit.url);
  try {
    const channel = await connection.createChannel();
    const bodies: unknown[] = [];
    for (;;) {
      const message = await channel.get(queue);
      if (message === false) return bodies;
      const text = message.content.toString();
      bodies.push(text.startsWith('{') ? JSON.parse(text) : text);
      channel.ack(message);
    }
  } finally {
    await connection.close();
  }
};

describe.each(kinds)('the %s transport', kind => {
  test('hands an event, whole, to every group that wants its type and to no other', async () => {
    const { group, event } = names();
    const [exact, star, all, other] = [
      group('exact', 'file.stored'),
      group('star', 'file.*'),
      group('all', '#'),
      group('other', 'file.*.deep', 'files.#'),
    ];
    const transport = await open(kind, [exact, star, all, other]);
    const boxes = { exact: inbox(), star: inbox(), all: inbox(), other: inbox() };
    await transport.consume(exact.name, boxes.exact.handler);
    await transport.consume(star.name, boxes.star.handler);
    await transport.consume(all.name, boxes.all.handler);
    await transport.consume(other.name, boxes.other.handler);
    const stored = event('file.stored', { fileId: '12', nested: { list: [1, 'é'] } });
    const deleted = event('file.deleted');
    await transport.publish(stored);
    await transport.publish(deleted);
    await boxes.all.until(() => boxes.all.ids().size === 2);
    await boxes.star.until(() => boxes.star.ids().size === 2);
    await boxes.exact.until(() => boxes.exact.ids().size === 1);
    expect(boxes.exact.events).toEqual([stored]);
    expect(boxes.star.ids()).toEqual(new Set([stored.id, deleted.id]));
    expect(boxes.other.events).toEqual([]);
  });

  test('tries a failing handler again until it succeeds', async () => {
    const { group, event } = names();
    const flaky = group('flaky', '#');
    const transport = await open(kind, [flaky]);
    const attempts: number[] = [];
    const done = Promise.withResolvers<void>();
    await transport.consume(flaky.name, async (_event, attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('not yet');
      done.resolve();
    });
    await transport.publish(event('thing'));
    await done.promise;
    expect(attempts).toEqual([1, 2, 3]);
  });

  test('sets an event aside when its attempts are used up, and goes on with the others', async () => {
    const { group, event } = names();
    const picky = group('picky', '#');
    const transport = await open(kind, [picky]);
    const box = inbox();
    let attempts = 0;
    await transport.consume(picky.name, async received => {
      if (received.type.endsWith('poison')) {
        attempts += 1;
        throw new Error('never');
      }
      await box.handler(received);
    });
    const [poison, good] = [event('poison'), event('good')];
    const publishing = transport.publish(poison);
    if (kind === 'local') await expect(publishing).rejects.toThrow(EventNotHandled);
    else await publishing;
    await transport.publish(good);
    await box.until(() => box.ids().has(good.id));
    if (kind === 'rabbitmq') await expect.poll(() => readQueue(deadQueueOf(picky.name))).toEqual([poison]);
    expect(attempts).toBe(3);
  });

  test('does not count the attempts of a handler that says "not now"', async () => {
    const { group, event } = names();
    const busy = group('busy', '#');
    const transport = await open(kind, [busy]);
    const attempts: number[] = [];
    const done = Promise.withResolvers<void>();
    await transport.consume(busy.name, async (_event, attempt) => {
      attempts.push(attempt);
      if (attempts.length <= 5) throw new NotNow('the database is away');
      done.resolve();
    });
    await publishAsOutbox(transport, event('thing'));
    await done.promise;
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('shares the events of a group among its consumers, each event once', async () => {
    const { group, event } = names();
    const workers = group('workers', '#');
    const transport = await open(kind, [workers]);
    const [one, other] = [inbox(), inbox()];
    await transport.consume(workers.name, one.handler);
    await transport.consume(workers.name, other.handler);
    const sent = Array.from({ length: 100 }, () => event('work'));
    await Promise.all(sent.map(work => transport.publish(work)));
    const total = () => one.events.length + other.events.length;
    await Promise.race([one.until(() => total() === 100), other.until(() => total() === 100)]);
    expect(new Set([...one.ids(), ...other.ids()])).toEqual(new Set(sent.map(({ id }) => id)));
    expect(one.events.length).toBeGreaterThan(0);
    expect(other.events.length).toBeGreaterThan(0);
  });

  test('a consumer that stops finishes what runs and gives the rest back', async () => {
    const { group, event } = names();
    const workers = group('workers', '#');
    const transport = await open(kind, [workers]);
    const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let finished = 0;
    const first = await transport.consume(workers.name, async received => {
      if (received.type.endsWith('stuck')) throw new NotNow('waits for its next attempt');
      started.resolve();
      await release.promise;
      finished += 1;
    });
    const [stuck, slow] = [event('stuck'), event('slow')];
    const publishing = [publishAsOutbox(transport, stuck), publishAsOutbox(transport, slow)];
    await started.promise;
    const stopping = first[Symbol.asyncDispose]();
    release.resolve();
    await stopping;
    expect(finished).toBe(1);
    const box = inbox();
    await transport.consume(workers.name, box.handler);
    await box.until(() => box.ids().has(stuck.id));
    await Promise.all(publishing);
    expect(box.ids()).toEqual(new Set([stuck.id]));
  });

  test('refuses events and groups that make no sense', async () => {
    const { group, event } = names();
    const transport = await open(kind, [group('some', '#')]);
    await expect(transport.publish({ ...event('x'), type: 'a b' })).rejects.toThrow(RangeError);
    await expect(transport.publish({ ...event('x'), type: 'file.*' })).rejects.toThrow(RangeError);
    await expect(transport.publish(event('x', { blob: 'x'.repeat(maxEventBytes) }))).rejects.toThrow(RangeError);
    await expect(transport.consume('unheard-of', async () => {})).rejects.toThrow(RangeError);
    const twice = group('twice', '#');
    await expect(open(kind, [twice, twice])).rejects.toThrow('named twice');
  });

  test('says how it is, and publishes nothing once it is closed', async () => {
    const transport = await open(kind, []);
    const mode = kind === 'local' ? 'embedded' : 'rabbitmq';
    expect(await transport.probe()).toEqual({ mode, connected: true });
    await transport[Symbol.asyncDispose]();
    expect(await transport.probe()).toEqual({ mode, connected: false });
    await expect(transport.publish(names().event('x'))).rejects.toThrow(TransportUnavailable);
  });
});

describe('over a broker', () => {
  test('events wait for a group that nobody consumes yet', async () => {
    const { group, event } = names();
    const late = group('late', '#');
    const transport = await openAmqp([late]);
    const early = event('early');
    await transport.publish(early);
    await transport[Symbol.asyncDispose]();
    const box = inbox();
    await (await openAmqp([late])).consume(late.name, box.handler);
    await box.until(() => box.events.length === 1);
    expect(box.events).toEqual([early]);
  });

  test('a message that is no event is set aside and does not stop the others', async () => {
    const { group, event } = names();
    const some = group('some', '#');
    const transport = await openAmqp([some]);
    const box = inbox();
    await transport.consume(some.name, box.handler);
    const stranger = await connect(rabbit.url);
    const channel = await stranger.createConfirmChannel();
    const good = event('good');
    channel.publish(eventsExchange, good.type, Buffer.from('no event at all'));
    await channel.waitForConfirms();
    await stranger.close();
    await transport.publish(good);
    await box.until(() => box.ids().has(good.id));
    await expect.poll(() => readQueue(deadQueueOf(some.name))).toEqual(['no event at all']);
  });

  test('a type that a group wanted in an earlier version is passed over', async () => {
    const { group, event } = names();
    const before = group('changed', '#');
    await (await openAmqp([before]))[Symbol.asyncDispose]();
    const transport = await openAmqp([{ ...before, types: before.types.map(type => type.replace('#', 'wanted')) }]);
    const box = inbox();
    await transport.consume(before.name, box.handler);
    const wanted = event('wanted');
    await transport.publish(event('unwanted'));
    await transport.publish(wanted);
    await box.until(() => box.events.length > 0);
    expect(box.events).toEqual([wanted]);
  });

  test('an event that its consumers do not survive counts its attempts, and is set aside in the end', async () => {
    const { group, event } = names();
    const mortal = group('mortal', '#');
    await openAmqp([mortal]);
    const [once, often] = [event('killed-once'), event('killed-often')];
    const stranger = await connect(rabbit.url);
    const channel = await stranger.createConfirmChannel();
    const headers = { 'x-recordproof-deliveries': 19 };
    channel.sendToQueue(queueOf(mortal.name), Buffer.from(JSON.stringify(once)));
    channel.sendToQueue(queueOf(mortal.name), Buffer.from(JSON.stringify(often)), { headers });
    await channel.waitForConfirms();
    // Taken, not acknowledged, and gone.
    for (const _ of [once, often]) expect(await channel.get(queueOf(mortal.name))).not.toBe(false);
    await stranger.close();
    const handled = Promise.withResolvers<[string, number]>();
    const transport = await openAmqp([mortal]);
    await transport.consume(mortal.name, async ({ id }, attempt) => handled.resolve([id, attempt]));
    expect(await handled.promise).toEqual([once.id, 2]);
    await expect.poll(() => readQueue(deadQueueOf(mortal.name))).toEqual([often]);
  });

  test('a queue that somebody deletes is made again and consumed again', async () => {
    const { group, event } = names();
    const fragile = group('fragile', '#');
    const transport = await openAmqp([fragile]);
    const box = inbox();
    await transport.consume(fragile.name, box.handler);
    const stranger = await connect(rabbit.url);
    await (await stranger.createChannel()).deleteQueue(queueOf(fragile.name));
    await stranger.close();
    const after = event('after');
    await expect
      .poll(async () => {
        await publishAsOutbox(transport, after);
        return box.ids().has(after.id);
      })
      .toBe(true);
  });

  test('a broker that is there but silent does not hold a publisher for ever', async () => {
    const transport = await openAmqp([], { confirmTimeoutMs: 200 });
    await rabbit.freeze();
    try {
      await expect(transport.publish(names().event('x'))).rejects.toThrow(TransportUnavailable);
      expect(await transport.probe()).toEqual({ mode: 'rabbitmq', connected: false });
    } finally {
      rabbit.resume();
    }
    await publishAsOutbox(transport, names().event('x'));
  }, 30_000);

  test('a server can start while the broker is away or refuses it, and tells no secret', async () => {
    const lines: string[] = [];
    const warn = (fields: object, message: string) => lines.push(JSON.stringify(fields) + message);
    for (const url of ['amqp://robot:hunter2@127.0.0.1:1', rabbit.url.replace('secret', 'hunter2')]) {
      const transport = await openAmqp([], { url, log: { info: () => {}, warn } });
      expect(await transport.probe()).toEqual({ mode: 'rabbitmq', connected: false });
      await expect(transport.publish(names().event('x'))).rejects.toThrow(TransportUnavailable);
    }
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('hunter2');
    await expect(openAmqp([], { url: 'robot:hunter2@host' })).rejects.toThrow(/^RABBITMQ_URL (?!.*hunter2)/);
  });

  test('nothing confirmed is lost when the broker is killed in the middle of the stream', async () => {
    const { group, event } = names();
    const [steady, resting] = [group('steady', '#'), group('resting', '#')];
    const transport = await openAmqp([steady, resting]);
    const box = inbox();
    await transport.consume(steady.name, box.handler);
    const sent = Array.from({ length: 1500 }, (_, i) => event('load', { i }));
    let failures = 0;
    const crashed = Promise.withResolvers<void>();
    const publishAll = async (part: readonly OutboxEvent[]) => {
      for (const one of part) {
        await transport.publish(one).catch(() => {
          failures += 1;
          return publishAsOutbox(transport, one);
        });
        if (one === sent[500]) crashed.resolve(rabbit.crash());
      }
    };
    const lanes = Array.from({ length: 25 }, (_, lane) => sent.filter((_event, i) => i % 25 === lane));
    const publishing = Promise.all(lanes.map(publishAll));
    await crashed.promise;
    await expect(transport.publish(event('load'))).rejects.toThrow(TransportUnavailable);
    expect(await transport.probe()).toEqual({ mode: 'rabbitmq', connected: false });
    await rabbit.restart();
    await publishing;
    expect(failures).toBeGreaterThan(0);
    const all = new Set(sent.map(({ id }) => id));
    await box.until(() => box.ids().size === all.size);
    expect(box.ids()).toEqual(all);
    const rested = inbox();
    await transport.consume(resting.name, rested.handler);
    await rested.until(() => rested.ids().size === all.size);
    expect(rested.ids()).toEqual(all);
    expect(await transport.probe()).toEqual({ mode: 'rabbitmq', connected: true });
  }, 120_000);
});
