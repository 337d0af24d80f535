// Event export to RabbitMQ (≥ 3.10): events go to a durable topic exchange with their types as routing keys; consumers
// bind queues to it. One connection, renewed with growing pauses whenever it breaks.

import { type ChannelModel, type ConfirmChannel, connect, type Options, type RecoveringChannelModel } from 'amqplib';
import { CircuitOpenError, type Guard, unguarded } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import { within } from '../within.ts';
import { type EventExporter, type ExportedEvent, ExporterUnavailable } from './exporter.ts';

export type AmqpExporterOptions = {
  readonly url: string;
  readonly log: LogPort;
  readonly confirmTimeoutMs?: number;
  /** Wraps each publication. */
  readonly guard?: Guard;
};

export const eventsExchange = 'recordproof.events';
const connectTimeoutMs = 5000;
const answerTimeoutMs = 2000;
const heartbeatSeconds = 10;

export class AmqpExporter implements EventExporter {
  readonly #options: AmqpExporterOptions;
  readonly #confirmTimeoutMs: number;
  readonly #connection: Promise<RecoveringChannelModel>;
  #session: { readonly model: ChannelModel; readonly channel: ConfirmChannel } | undefined;
  #closed = false;

  /** Starts connecting; use `openAmqpExporter` to wait for the first attempt. */
  constructor(options: AmqpExporterOptions) {
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

  /** Resolves after the first attempt to connect, successful or not: a server also starts without its broker. */
  async waitForFirstConnection(): Promise<void> {
    const connection = await this.#connection;
    this.#reportOutages(connection);
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.once('connect', () => resolve());
    connection.once('connect-failed', () => resolve());
    await promise;
  }

  async publish(event: ExportedEvent): Promise<void> {
    const content = Buffer.from(JSON.stringify(event));
    const { guard = unguarded } = this.#options;
    try {
      await guard(() => this.#publish(event, content));
    } catch (error) {
      throw error instanceof CircuitOpenError ? new ExporterUnavailable(error.message, error) : error;
    }
  }

  async #publish(event: ExportedEvent, content: Buffer): Promise<void> {
    const channel = this.#session?.channel;
    if (channel === undefined) {
      throw new ExporterUnavailable(this.#closed ? 'the exporter was closed' : 'RabbitMQ is not connected');
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

  async probe(): ReturnType<EventExporter['probe']> {
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
    await channel.assertExchange(eventsExchange, 'topic', { durable: true });
    // The client does not notice a connection that breaks at this point; throwing makes it try again.
    if (isLost) throw new Error('the connection was lost while it was set up');
    this.#session = { model, channel };
  }

  // After the loss of a single channel the connection is only partly usable, so both are renewed.
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
      if (!isDown) log.warn({ reason: error.message }, 'RabbitMQ is unavailable; reconnecting');
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

export const openAmqpExporter = async (options: AmqpExporterOptions): Promise<AmqpExporter> => {
  const exporter = new AmqpExporter(options);
  await exporter.waitForFirstConnection();
  return exporter;
};

// The heartbeat detects a dead broker after two missed beats.
const withHeartbeat = (text: string): string => {
  const url = URL.parse(text);
  // An own error, because that of the URL class repeats the text, which holds a password.
  if (url === null || !/^amqps?:$/.test(url.protocol) || url.hostname === '') {
    throw new RangeError('RABBITMQ_URL must look like amqp://user:password@host:5672/vhost');
  }
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(heartbeatSeconds));
  return url.href;
};

/** Resolves once the broker has confirmed the message. */
const publishConfirmed = async (
  channel: ConfirmChannel,
  target: { readonly exchange: string; readonly routingKey: string },
  content: Buffer,
  options: Options.Publish,
  timeoutMs: number,
): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ExporterUnavailable('the broker did not confirm in time')), timeoutMs);
  try {
    channel.publish(target.exchange, target.routingKey, content, { ...options, persistent: true }, error => {
      if (error) reject(new ExporterUnavailable(String(error.message)));
      else resolve();
    });
    await promise;
  } catch (error) {
    // The client throws synchronously if the channel is closed.
    throw error instanceof ExporterUnavailable ? error : new ExporterUnavailable('the connection was lost');
  } finally {
    clearTimeout(timer);
  }
};
