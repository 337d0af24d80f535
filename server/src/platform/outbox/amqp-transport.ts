// Events over RabbitMQ (≥ 3.10). Owns one connection that is made anew, with growing pauses, whenever it breaks,
// and on it everything else: the topology, the publishing channel and the consumers.

import { type ChannelModel, type ConfirmChannel, connect, type RecoveringChannelModel } from 'amqplib';
import { CircuitOpenError, type Guard, unguarded } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import { within } from '../within.ts';
import { AmqpConsumer } from './amqp-consumer.ts';
import { publishConfirmed } from './amqp-publisher.ts';
import { declareTopology, eventsExchange } from './amqp-topology.ts';
import {
  type ConsumerGroup,
  checkGroups,
  type EventHandler,
  encodeEvent,
  type OutboxEvent,
  type OutboxTransport,
  type Retry,
  type TransportHealth,
  TransportUnavailable,
} from './transport.ts';

export type AmqpTransportOptions = {
  readonly url: string;
  readonly groups: readonly ConsumerGroup[];
  readonly log: LogPort;
  readonly retry?: Retry;
  /** How many events of a group one consumer handles at the same time. */
  readonly concurrency?: number;
  readonly confirmTimeoutMs?: number;
  /** Around each publication. */
  readonly guard?: Guard;
};

// About four minutes until an event is set aside: most outages behind a handler are shorter.
const defaultRetry: Retry = { maxAttempts: 10, firstDelayMs: 1000, maxDelayMs: 60_000 };
const connectTimeoutMs = 5000;
const answerTimeoutMs = 2000;
const heartbeatSeconds = 10;

export class AmqpTransport implements OutboxTransport {
  readonly #options: AmqpTransportOptions;
  readonly #confirmTimeoutMs: number;
  readonly #consumers = new Set<AmqpConsumer>();
  readonly #connection: Promise<RecoveringChannelModel>;
  #session: { readonly model: ChannelModel; readonly channel: ConfirmChannel } | undefined;
  #closed = false;

  /** Begins to connect; use `openAmqpTransport` to wait for the first attempt. */
  constructor(options: AmqpTransportOptions) {
    checkGroups(options.groups);
    this.#options = options;
    this.#confirmTimeoutMs = options.confirmTimeoutMs ?? 10_000;
    const recovery = {
      waitForConnect: false,
      initialDelay: 100,
      maxDelay: 5000,
      setup: (model: ChannelModel) => this.#setUp(model),
    };
    this.#connection = connect(withHeartbeat(options.url), { timeout: connectTimeoutMs, noDelay: true, recovery });
  }

  /** Resolves with the first success or failure to connect: a server starts without its broker as well. */
  async settle(): Promise<void> {
    const connection = await this.#connection;
    this.#reportOutages(connection);
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.once('connect', () => resolve());
    connection.once('connect-failed', () => resolve());
    await promise;
  }

  async publish(event: OutboxEvent): Promise<void> {
    const content = encodeEvent(event);
    const { guard = unguarded } = this.#options;
    try {
      await guard(() => this.#publish(event, content));
    } catch (error) {
      throw error instanceof CircuitOpenError ? new TransportUnavailable(error.message, error) : error;
    }
  }

  async #publish(event: OutboxEvent, content: Buffer): Promise<void> {
    const channel = this.#session?.channel;
    if (channel === undefined) {
      throw new TransportUnavailable(this.#closed ? 'the transport was closed' : 'there is no connection');
    }
    const options = {
      contentType: 'application/json',
      messageId: event.id,
      type: event.type,
      headers: { 'x-recordproof-tenant': event.tenantId },
    };
    const target = { exchange: eventsExchange, routingKey: event.type };
    await publishConfirmed(channel, target, content, options, this.#confirmTimeoutMs);
  }

  async consume(groupName: string, handler: EventHandler): Promise<AsyncDisposable> {
    const group = this.#options.groups.find(({ name }) => name === groupName);
    if (group === undefined) throw new RangeError(`the consumer group ${groupName} was not named at the start`);
    const consumer = new AmqpConsumer({
      group,
      handler,
      retry: this.#options.retry ?? defaultRetry,
      concurrency: this.#options.concurrency ?? 10,
      confirmTimeoutMs: this.#confirmTimeoutMs,
      log: this.#options.log,
    });
    this.#consumers.add(consumer);
    // Without a connection it begins with the next one.
    const model = this.#session?.model;
    if (model !== undefined) await consumer.start(model, () => this.#renew(model)).catch(() => this.#renew(model));
    return {
      [Symbol.asyncDispose]: async () => {
        this.#consumers.delete(consumer);
        await consumer.stop();
      },
    };
  }

  async probe(): Promise<TransportHealth> {
    const channel = this.#session?.channel;
    if (channel === undefined) return { mode: 'rabbitmq', connected: false };
    const answer = channel.checkExchange(eventsExchange).then(
      () => true,
      () => false,
    );
    return { mode: 'rabbitmq', connected: (await within(answerTimeoutMs, answer)) ?? false };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#consumers].map(consumer => consumer.stop()));
    this.#session = undefined;
    await within(answerTimeoutMs, (await this.#connection).close());
  }

  async #setUp(model: ChannelModel): Promise<void> {
    let isLost = false;
    const onLost = () => {
      isLost = true;
      this.#renew(model);
    };
    model.on('error', () => {});
    model.on('close', onLost);
    const channel = await model.createConfirmChannel();
    channel.on('error', error => this.#options.log.warn({ reason: error.message }, 'RabbitMQ closed a channel'));
    channel.on('close', onLost);
    await declareTopology(channel, this.#options.groups);
    for (const consumer of this.#consumers) await consumer.start(model, onLost);
    // The client does not look for a connection that breaks just now; failing here makes it try again.
    if (isLost) throw new Error('the connection was lost while it was set up');
    this.#session = { model, channel };
  }

  // A channel that ended alone leaves the connection half useful: everything is built up anew.
  #renew(model: ChannelModel): void {
    if (this.#session?.model !== model) return;
    this.#session = undefined;
    model.close().catch(() => {});
  }

  #reportOutages(connection: RecoveringChannelModel): void {
    const { log } = this.#options;
    let isDown = false;
    const onDown = (error: Error) => {
      this.#session = undefined;
      if (!isDown) log.warn({ reason: error.message }, 'RabbitMQ is not available; trying again until it is');
      isDown = true;
    };
    connection.on('error', onDown);
    connection.on('disconnect', onDown);
    connection.on('connect-failed', onDown);
    connection.on('connect', () => {
      if (isDown) log.info({}, 'RabbitMQ is available again');
      isDown = false;
    });
  }
}

export const openAmqpTransport = async (options: AmqpTransportOptions): Promise<AmqpTransport> => {
  const transport = new AmqpTransport(options);
  await transport.settle();
  return transport;
};

// A broker that vanished without a word is noticed after two missed beats.
const withHeartbeat = (text: string): string => {
  const url = URL.parse(text);
  // Not the error of the URL class: that one repeats the text, which holds a password.
  if (url === null || !/^amqps?:$/.test(url.protocol) || url.hostname === '') {
    throw new RangeError('RABBITMQ_URL must look like amqp://user:password@host:5672/vhost');
  }
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(heartbeatSeconds));
  return url.href;
};
