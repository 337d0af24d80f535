// Events without a broker: the publishing process calls the handlers itself. The outbox row stays the only memory
// of an event until publish resolves, so that a crash in the middle only means that it is published again.

import { handleEvent, type Outcome } from './handle-event.ts';
import {
  type ConsumerGroup,
  checkGroups,
  type EventHandler,
  EventNotHandled,
  encodeEvent,
  type OutboxEvent,
  type OutboxTransport,
  parseEvent,
  type Retry,
  type TransportHealth,
  TransportUnavailable,
  wants,
} from './transport.ts';

export type LocalTransportOptions = { readonly groups: readonly ConsumerGroup[]; readonly retry?: Retry };

// Short: the outbox that calls publish has a longer patience of its own.
const defaultRetry: Retry = { maxAttempts: 3, firstDelayMs: 50, maxDelayMs: 1000 };

class LocalConsumer {
  readonly handler: EventHandler;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<Outcome>>();

  constructor(handler: EventHandler) {
    this.handler = handler;
  }

  async handle(event: OutboxEvent, retry: Retry): Promise<Outcome> {
    const { handler } = this;
    const running = handleEvent(event, { handler, retry, earlierAttempts: 0, signal: this.#stopping.signal });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}

export class LocalTransport implements OutboxTransport {
  readonly #groups: readonly ConsumerGroup[];
  readonly #retry: Retry;
  readonly #consumers = new Map<string, LocalConsumer[]>();
  #closed = false;

  constructor(options: LocalTransportOptions) {
    checkGroups(options.groups);
    this.#groups = options.groups;
    this.#retry = options.retry ?? defaultRetry;
    for (const { name } of options.groups) this.#consumers.set(name, []);
  }

  async publish(event: OutboxEvent): Promise<void> {
    if (this.#closed) throw new TransportUnavailable('the transport was closed');
    const bytes = encodeEvent(event);
    const groups = this.#groups.filter(group => wants(group, event.type));
    const outcomes = await Promise.all(
      groups.map(async ({ name }) => ({ name, outcome: await this.#deliver(name, bytes) })),
    );
    const givenUp = outcomes.flatMap(({ name, outcome }) =>
      outcome.kind === 'given-up' ? [{ name, cause: outcome.cause }] : [],
    );
    // First what may still succeed: then all are tried again, and those that have handled it know it by its id.
    const waiting = outcomes.filter(({ outcome }) => outcome.kind === 'not-now').map(({ name }) => name);
    if (waiting.length > 0) throw new TransportUnavailable(`${waiting.join(', ')} cannot take the event`);
    if (givenUp.length > 0) {
      throw new EventNotHandled(
        givenUp.map(({ name }) => name),
        givenUp[0]?.cause,
      );
    }
  }

  async consume(group: string, handler: EventHandler): Promise<AsyncDisposable> {
    const consumers = this.#consumers.get(group);
    if (consumers === undefined) throw new RangeError(`the consumer group ${group} was not named at the start`);
    const consumer = new LocalConsumer(handler);
    consumers.push(consumer);
    return {
      [Symbol.asyncDispose]: async () => {
        const index = consumers.indexOf(consumer);
        if (index >= 0) consumers.splice(index, 1);
        await consumer.stop();
      },
    };
  }

  async probe(): Promise<TransportHealth> {
    return { mode: 'embedded', connected: !this.#closed };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#consumers.values()].flat().map(consumer => consumer.stop()));
  }

  async #deliver(group: string, bytes: Buffer): Promise<Outcome> {
    const consumers = this.#consumers.get(group);
    const consumer = consumers?.shift();
    // Through its bytes, so that a handler sees the same here as behind a broker and cannot change it for others.
    const event = parseEvent(bytes);
    if (consumers === undefined || consumer === undefined || event === null) return { kind: 'not-now' };
    consumers.push(consumer);
    return await consumer.handle(event, this.#retry);
  }
}
