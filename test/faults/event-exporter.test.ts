// Events exported to a broker: contents, and failures that the exporter must survive.
import { randomUUID } from 'node:crypto';
import { type Channel, connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  type AmqpExporterOptions,
  eventsExchange,
  openAmqpExporter,
} from '../../server/src/platform/outbox/amqp-exporter.ts';
import {
  type EventExporter,
  type ExportedEvent,
  ExporterUnavailable,
} from '../../server/src/platform/outbox/exporter.ts';
import { startApp } from '../support/app.ts';
import { testWith } from '../support/programs.ts';
import { type RunningRabbit, rabbitPrograms, startRabbit } from '../support/rabbitmq.ts';
import { sendFile } from '../support/uploads.ts';

const log = { info: () => {}, warn: () => {} };

const test = testWith(...rabbitPrograms);
let rabbit: RunningRabbit;
beforeAll(async () => {
  rabbit = await startRabbit();
});
afterAll(() => rabbit?.[Symbol.asyncDispose]());

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: Partial<AmqpExporterOptions> = {}): Promise<EventExporter> {
  const exporter = await openAmqpExporter({ url: rabbit.url, log, ...options });
  opened.push(exporter);
  return exporter;
}

const event = (type: string, payload: ExportedEvent['payload'] = {}): ExportedEvent => ({
  id: randomUUID(),
  type,
  tenantId: '7',
  payload,
  createdAt: '2026-06-01T12:00:00.000Z',
});

/** An external consumer with a durable queue, which survives the broker's crash. */
async function withQueue<T>(
  types: readonly string[],
  look: (channel: Channel, queue: string) => Promise<T>,
): Promise<T> {
  const connection = await connect(rabbit.url);
  try {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue(`outside.${randomUUID()}`, { durable: true });
    for (const type of types) await channel.bindQueue(queue, eventsExchange, type);
    return await look(channel, queue);
  } finally {
    await connection.close().catch(() => {});
  }
}

async function readAll(queue: string): Promise<ExportedEvent[]> {
  const connection = await connect(rabbit.url);
  try {
    const channel = await connection.createChannel();
    const bodies: ExportedEvent[] = [];
    for (;;) {
      const message = await channel.get(queue, { noAck: true });
      if (message === false) return bodies;
      bodies.push(JSON.parse(message.content.toString()));
    }
  } finally {
    await connection.close();
  }
}

/** Repeats until the broker has the message. */
async function publishPatiently(exporter: EventExporter, one: ExportedEvent): Promise<void> {
  for (;;) {
    try {
      return await exporter.publish(one);
    } catch (error) {
      if (!(error instanceof ExporterUnavailable)) throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

test('events are published complete and in order, routed by their type', async () => {
  const exporter = await open();
  const stored = event('file.stored', { fileId: '12', nested: { list: [1, 'é'] } });
  const [deleted, other] = [event('file.deleted'), event('friend.added')];
  const queue = await withQueue(['file.*'], async (_, name) => name);
  await Promise.all([stored, other, deleted].map(one => exporter.publish(one)));
  expect(await readAll(queue)).toEqual([stored, deleted]);
});

test('server events are published to the broker, also without consumers of their own', async () => {
  await using server = await startApp({ env: { RABBITMQ_URL: rabbit.url } });
  const alice = await server.person('alice');
  const queue = await withQueue(['#'], async (_, name) => name);
  const { data } = await sendFile(alice, Buffer.from('some bytes'));
  await server.drain();
  const told = await readAll(queue);
  expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['file.stored', 'notice.given']));
  const stored = told.filter(({ type }) => type === 'file.stored');
  expect(stored).toMatchObject([{ payload: { fileId: Number(data.fileId), version: 1 } }]);
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  await rabbit.freeze();
  try {
    await sendFile(alice, Buffer.from('more bytes'));
    const { db } = server.app.database;
    const count = async () =>
      (await db.selectFrom('event').select('id').where('type', '=', 'file-recorded').execute()).length;
    await expect.poll(count, { timeout: 120_000 }).toBe(2);
  } finally {
    rabbit.resume();
  }
});

test('the exporter recovers after a queue or the exchange was deleted', async () => {
  const exporter = await open();
  await withQueue(['#'], async (channel, queue) => {
    await channel.deleteQueue(queue);
    await channel.deleteExchange(eventsExchange);
  });
  await publishPatiently(exporter, event('first')).catch(() => {});
  await expect.poll(() => exporter.probe(), { timeout: 120_000 }).toEqual({ mode: 'rabbitmq', connected: true });
  const queue = await withQueue(['#'], async (_, name) => name);
  const after = event('after');
  await publishPatiently(exporter, after);
  expect(await readAll(queue)).toEqual([after]);
});

test('the probe returns the state of the connection, and a closed exporter rejects events', async () => {
  const exporter = await open();
  expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: true });
  await exporter[Symbol.asyncDispose]();
  expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: false });
  await expect(exporter.publish(event('x'))).rejects.toThrow(ExporterUnavailable);
});

test('publishing to a frozen broker times out with ExporterUnavailable', async () => {
  const exporter = await open({ confirmTimeoutMs: 200 });
  await rabbit.freeze();
  try {
    await expect(exporter.publish(event('x'))).rejects.toThrow(ExporterUnavailable);
    expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: false });
  } finally {
    rabbit.resume();
  }
  await publishPatiently(exporter, event('x'));
});

test('the exporter opens while the broker is down or rejects the login, and logs no password', async () => {
  const lines: string[] = [];
  const warn = (fields: object, message: string) => lines.push(JSON.stringify(fields) + message);
  for (const url of ['amqp://robot:hunter2@127.0.0.1:1', rabbit.url.replace('secret', 'hunter2')]) {
    const exporter = await open({ url, log: { info: () => {}, warn } });
    expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: false });
    await expect(exporter.publish(event('x'))).rejects.toThrow(ExporterUnavailable);
  }
  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain('hunter2');
  await expect(open({ url: 'robot:hunter2@host' })).rejects.toThrow(/^RABBITMQ_URL (?!.*hunter2)/);
});

test('no confirmed event is lost when the broker is killed during a stream', async () => {
  const exporter = await open();
  const queue = await withQueue(['load'], async (_, name) => name);
  const sent = Array.from({ length: 1500 }, (_, i) => event('load', { i }));
  let failures = 0;
  const crashed = Promise.withResolvers<void>();
  const publishAll = async (part: readonly ExportedEvent[]) => {
    for (const one of part) {
      await exporter.publish(one).catch(() => {
        failures += 1;
        return publishPatiently(exporter, one);
      });
      if (one === sent[500]) crashed.resolve(rabbit.crash());
    }
  };
  const lanes = Array.from({ length: 25 }, (_, lane) => sent.filter((_event, i) => i % 25 === lane));
  const publishing = Promise.all(lanes.map(publishAll));
  await crashed.promise;
  await expect(exporter.publish(event('load'))).rejects.toThrow(ExporterUnavailable);
  expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: false });
  await rabbit.restart();
  await publishing;
  expect(failures).toBeGreaterThan(0);
  const arrived = new Set((await readAll(queue)).map(({ id }) => id));
  expect(sent.filter(({ id }) => !arrived.has(id))).toEqual([]);
  expect(await exporter.probe()).toEqual({ mode: 'rabbitmq', connected: true });
}, 120_000);
