// One consumer of a group's queue, over as many connections as it lives to see. A message stays unacknowledged while
// it is being handled or waits for its next attempt, so that the broker gives it to another if this process dies.

import type { ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { LogPort } from '../log-port.ts';
import { within } from '../within.ts';
import { publishConfirmed } from './amqp-publisher.ts';
import { deadQueueOf, queueOf } from './amqp-topology.ts';
import { handleEvent, type Outcome, waited } from './handle-event.ts';
import { type ConsumerGroup, type EventHandler, type OutboxEvent, parseEvent, type Retry, wants } from './transport.ts';

export type AmqpConsumerOptions = {
  readonly group: ConsumerGroup;
  readonly handler: EventHandler;
  readonly retry: Retry;
  readonly concurrency: number;
  readonly confirmTimeoutMs: number;
  readonly log: LogPort;
};

// How often an event may be handed out and not finished before it counts as the cause.
const maxDeliveries = 20;

// A broker that hangs or is gone must not hold the stopping of a consumer.
const patiently = (step: Promise<unknown>): Promise<unknown> =>
  within(
    2000,
    step.catch(() => {}),
  );

export class AmqpConsumer {
  readonly #options: AmqpConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #channel: ConfirmChannel | undefined;
  #tag: string | undefined;

  constructor(options: AmqpConsumerOptions) {
    this.#options = options;
  }

  /** Called for each new connection. `onLost` when the channel ends without the connection. */
  async start(model: ChannelModel, onLost: () => void): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const channel = await model.createConfirmChannel();
    channel.on('error', () => {});
    channel.on('close', () => {
      if (this.#channel !== channel) return;
      this.#channel = undefined;
      onLost();
    });
    this.#channel = channel;
    await channel.prefetch(this.#options.concurrency);
    const onMessage = (message: ConsumeMessage | null) => {
      // The broker says so when the queue is deleted under the consumer.
      if (message === null) onLost();
      else this.#track(this.#receive(channel, message));
    };
    this.#tag = (await channel.consume(queueOf(this.#options.group.name), onMessage)).consumerTag;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const channel = this.#channel;
    if (channel !== undefined && this.#tag !== undefined) await patiently(channel.cancel(this.#tag));
    await Promise.all(this.#running);
    this.#channel = undefined;
    // Closing gives back to the queue what was not acknowledged.
    if (channel !== undefined) await patiently(channel.close());
  }

  #track(running: Promise<void>): void {
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #receive(channel: ConfirmChannel, message: ConsumeMessage): Promise<void> {
    const { group, log } = this.#options;
    try {
      const event = parseEvent(message.content);
      if (event === null) await this.#setAside(channel, message, 'unreadable');
      else if (message.fields.redelivered) await this.#countDelivery(channel, message);
      else if (wants(group, event.type)) await this.#handle(channel, message, event);
      // Bound by an earlier version of the group's wishes.
      else settle(() => channel.ack(message));
    } catch (error) {
      // Not acknowledged: the broker hands it out again when this channel ends, as it has or will.
      log.warn({ err: error, group: group.name }, 'an event could not be settled and will be handed out again');
      channel.close().catch(() => {});
    }
  }

  // Somebody received this before and did not finish: it may be what killed them. The broker says that much but does
  // not count, so the event goes back to the queue with a count of its own, before anybody touches it.
  async #countDelivery(channel: ConfirmChannel, message: ConsumeMessage): Promise<void> {
    const deliveries = deliveriesOf(message) + 1;
    if (deliveries >= maxDeliveries) return await this.#setAside(channel, message, 'failed');
    await this.#move(channel, message, queueOf(this.#options.group.name), { [deliveriesHeader]: deliveries });
  }

  async #handle(channel: ConfirmChannel, message: ConsumeMessage, event: OutboxEvent): Promise<void> {
    const { handler, retry, group, log } = this.#options;
    const { signal } = this.#stopping;
    const earlierAttempts = deliveriesOf(message);
    let outcome: Outcome;
    do {
      outcome = await handleEvent(event, { handler, retry, earlierAttempts, signal });
    } while (outcome.kind === 'not-now' && (await waited(retry.maxDelayMs, signal)));
    switch (outcome.kind) {
      case 'handled':
        return settle(() => channel.ack(message));
      case 'not-now':
        return;
      case 'given-up':
        log.warn({ err: outcome.cause, group: group.name, eventId: event.id }, 'an event becomes a dead letter');
        return await this.#setAside(channel, message, 'failed');
    }
  }

  async #setAside(channel: ConfirmChannel, message: ConsumeMessage, reason: 'failed' | 'unreadable'): Promise<void> {
    await this.#move(channel, message, deadQueueOf(this.#options.group.name), { 'x-recordproof-reason': reason });
  }

  // Written and confirmed before the original is acknowledged: twice is possible, never not at all.
  async #move(channel: ConfirmChannel, message: ConsumeMessage, queue: string, headers: object): Promise<void> {
    const { contentType, messageId, type, timestamp } = message.properties;
    const options = { contentType, messageId, type, timestamp, headers: { ...message.properties.headers, ...headers } };
    const target = { exchange: '', routingKey: queue };
    await publishConfirmed(channel, target, message.content, options, this.#options.confirmTimeoutMs);
    settle(() => channel.ack(message));
  }
}

const deliveriesHeader = 'x-recordproof-deliveries';

const deliveriesOf = (message: ConsumeMessage): number => {
  const count: unknown = message.properties.headers?.[deliveriesHeader];
  return typeof count === 'number' && count > 0 ? Math.floor(count) : 0;
};

// On a channel that is gone there is nothing to settle: the broker has taken the message back already.
const settle = (acknowledge: () => void): void => {
  try {
    acknowledge();
  } catch {}
};
